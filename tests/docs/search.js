// Run the search of a built site outside a browser: node search.js FOLDER < queries.json
// Prints, for each query, the pages that Sphinx's own code finds, the best first.
const fs = require("fs");
const vm = require("vm");
const folder = process.argv[2];
const context = vm.createContext({
  console, _ready: () => {}, _: (text) => text, SPHINX_HIGHLIGHT_ENABLED: false, setTimeout, URLSearchParams, Set, Map,
  document: { getElementById: () => ({}), documentElement: { dataset: {} } },
  location: { search: "" },
  localStorage: { getItem: () => null },
});
context.window = context;
const run = (name) =>
  vm.runInContext(fs.readFileSync(`${folder}/${name}`, "utf8"), context, { filename: name });
run("_static/documentation_options.js");
run("_static/language_data.js");
run("_static/searchtools.js");
run("searchindex.js");
const queries = JSON.parse(fs.readFileSync(0, "utf8"));
context.queries = queries;
const found = vm.runInContext(
  `queries.map((query) => {
    location.search = "?q=" + encodeURIComponent(query);
    const parsed = Search._parseQuery(query);
    const seen = new Set();
    return Search._performSearch(...parsed).reverse().map((row) => row[0])
      .filter((page) => !seen.has(page) && seen.add(page));
  })`,
  context,
);
console.log(JSON.stringify(found));
