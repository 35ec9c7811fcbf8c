const valueOf = (row, place) => {
  const text = row.cells[place].textContent.trim();
  const number = parseFloat(text.replace(/^[<×] ?/, "").replace(/,(?=\d{3})/g, ""));
  return Number.isNaN(number) ? text : number;
};
const compare = (a, b) => typeof a === typeof b
  ? (a < b ? -1 : a > b ? 1 : 0) : (typeof a === "number" ? -1 : 1);
for (const title of document.querySelectorAll("th")) {
  title.tabIndex = 0;
  const sort = () => {
    const down = title.getAttribute("aria-sort") !== "descending";
    const table = title.closest("table"), place = title.cellIndex;
    for (const one of table.querySelectorAll("th")) one.removeAttribute("aria-sort");
    title.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...table.tBodies[0].rows];
    rows.sort((a, b) => (down ? -1 : 1) * compare(valueOf(a, place), valueOf(b, place)));
    table.tBodies[0].append(...rows);
  };
  title.addEventListener("click", sort);
  title.addEventListener("keydown", event => { if (event.key === "Enter") sort(); });
}
