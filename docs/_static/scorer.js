// How the search orders pages: those who type a name want its page, and prose of the guide comes
// before prose of the reference. The numbers are Sphinx's own, but for the last part.
var Scorer = {
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
  score: ([page, title, , , score, , kind]) => {
    const typed = new URLSearchParams(location.search).get("q") || "";
    const name = title.split(".").pop().toLowerCase().replace(/_(at_k_)?score$/, "");
    if (kind === "object" && name === typed.trim().toLowerCase()) return score + 20;
    return kind === "text" && page.startsWith("generated/") ? score - 3 : score;
  },
};
