const data = JSON.parse(document.getElementById("queries-data").textContent);
const viewer = document.getElementById("queries");
const part = name => viewer.querySelector(`[data-part="${name}"]`);
const make = (tag, text = "", kind = "") => {
  const made = document.createElement(tag);
  made.textContent = text; // ids are text, never markup
  made.className = kind;
  return made;
};
const ROW = 32; // pixels, as in page.css
let order = [], chosen = 0;

for (const [place, [metric, model, baseline]] of data.pairs.entries()) {
  const { metrics, models } = data;
  const text = `${metrics[metric]}: ${models[model]} − ${models[baseline]}`;
  part("pair").append(new Option(text, place));
}
const pair = () => data.pairs[part("pair").value];
const shown = value => value === null ? "undefined" : value.toFixed(4);
const difference = query => {
  const [metric, model, baseline] = pair();
  const values = data.values[metric];
  const [one, other] = [values[model][query], values[baseline][query]];
  return one === null || other === null ? null : one - other;
};
const signed = value => value === null ? "undefined"
  : (value > 0 ? "+" : value < 0 ? "−" : "") + Math.abs(value).toFixed(4);

// Queries that the model lost most come first; those without a value come last.
const arrange = () => {
  const sign = (data.lower[pair()[0]] ? -1 : 1) * (part("order").value === "best" ? -1 : 1);
  const key = data.labels.map((_, query) => {
    const value = difference(query);
    return value === null ? Infinity : sign * value;
  });
  const sought = part("search").value.trim().toLowerCase();
  const hits = new Set(data.items.flatMap((id, item) => id.toLowerCase().includes(sought) ? [item] : []));
  const holds = query => !sought || data.labels[query].toLowerCase().includes(sought)
    || data.lists.some(lists => lists[query].some(item => hits.has(item)))
    || data.relevant[query].some(([item]) => hits.has(item));
  order = [...data.labels.keys()].filter(holds).sort((a, b) => key[a] - key[b] || a - b);
  const [n, all] = [order.length, data.labels.length].map(count => count.toLocaleString("en-US"));
  part("count").textContent = `${n} of ${all} queries`;
  part("room").style.height = `${order.length * ROW}px`;
  part("list").scrollTop = 0;
  choose(0);
};

// Only the rows of the list that can be seen are drawn.
const drawList = () => {
  const list = part("list"), room = part("room");
  const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 5);
  const last = Math.min(order.length, first + Math.ceil(list.clientHeight / ROW) + 10);
  const rows = [];
  for (let place = first; place < last; place++) {
    const row = make("div", "", "query");
    row.id = `query-${place}`;
    row.style.top = `${place * ROW}px`;
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", place === chosen);
    row.append(make("span", data.labels[order[place]]), make("span", signed(difference(order[place]))));
    row.addEventListener("click", () => choose(place));
    rows.push(row);
  }
  room.replaceChildren(...rows);
  list.setAttribute("aria-activedescendant", `query-${chosen}`);
};

const moved = (rank, other) => !other ? "new" : rank === other ? "" : rank < other
  ? `↑ ${other - rank}` : `↓ ${rank - other}`;

const listOf = (query, place, beside, says) => {
  const column = make("div", "", "one-list");
  column.append(make("h3", data.models[place]));
  column.append(make("p", `${data.metrics[pair()[0]]} ${shown(data.values[pair()[0]][place][query])}`));
  const items = data.lists[place][query], tied = new Set(data.tied[place][query]);
  const relevant = new Map(data.relevant[query].map(entry => [entry[0], entry]));
  const ranks = new Map(data.lists[beside][query].map((item, rank) => [item, rank + 1]));
  const rows = items.map((item, rank) => {
    const row = make("li", "", relevant.has(item) ? "relevant" : "");
    const entry = relevant.get(item);
    const other = entry ? entry[2 + beside] : ranks.get(item);
    row.append(make("span", tied.has(rank) || tied.has(rank + 1) ? `${rank + 1}=` : rank + 1, "rank"));
    row.append(make("span", entry ? `✓ ${data.items[item]}` : data.items[item], "id"));
    row.append(make("span", entry ? `grade ${entry[1]}` : "", "grade"));
    row.append(make("span", says(rank + 1, other), "moved"));
    return row;
  });
  const list = make("ol");
  list.append(...rows);
  column.append(items.length ? list : make("p", "The list is empty."));
  const below = data.relevant[query].filter(entry => !items.includes(entry[0]));
  for (const entry of below) {
    const where = entry[2 + place] ? `at rank ${entry[2 + place]}` : "not in the list";
    column.append(make("p", `✓ ${data.items[entry[0]]}, grade ${entry[1]}: ${where}`, "missed"));
  }
  return column;
};

const choose = place => {
  chosen = Math.max(0, Math.min(place, order.length - 1));
  const list = part("list"), top = chosen * ROW;
  if (top < list.scrollTop) list.scrollTop = top;
  if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
  drawList();
  if (!order.length) { part("lists").replaceChildren(make("p", "No query has this text.")); return; }
  const query = order[chosen], [, model, baseline] = pair();
  const went = (rank, other) => other ? "" : "gone";
  part("label").textContent = `Query ${data.labels[query]}: ${signed(difference(query))}`;
  part("lists").replaceChildren(listOf(query, baseline, model, went), listOf(query, model, baseline, moved));
};

const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };
part("list").addEventListener("keydown", event => {
  if (!(event.key in steps)) return;
  event.preventDefault();
  choose(chosen + steps[event.key]);
});
part("list").addEventListener("scroll", drawList);
addEventListener("resize", drawList);
for (const name of ["pair", "order", "search"]) part(name).addEventListener("input", arrange);
arrange();
