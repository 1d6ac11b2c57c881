// Search as you type, over an index that lies beside the page: it works from disk.
"use strict";
(() => {
  const up = document.body.dataset.up;
  const query = document.getElementById("query");
  const found = document.getElementById("found");
  let index = null;
  const element = (tag, attributes, ...children) => {
    const node = Object.assign(document.createElement(tag), attributes);
    node.append(...children);
    return node;
  };
  const show = () => {
    const words = query.value.trim();
    if (words === "") {
      found.replaceChildren();
      return;
    }
    index ??= MiniSearch.loadJSON(window.assayIndex, window.assayOptions);
    // Every word; where no part has them all, any of them.
    const search = (combineWith) => index.search(words, { prefix: true, fuzzy: 0.15, boost: { title: 4, page: 2 }, combineWith }).slice(0, 12);
    const all = search("AND");
    const hits = all.length > 0 ? all : search("OR");
    const items = hits.map((hit) =>
      element(
        "li",
        {},
        element("a", { href: `${up}/${hit.href}`, textContent: hit.title }),
        element("span", { className: "soft", textContent: ` ${hit.group} \u00b7 ${hit.page}` }),
      ),
    );
    found.replaceChildren(
      element("p", { textContent: hits.length > 0 ? `Found for \u201c${words}\u201d:` : `Nothing was found for \u201c${words}\u201d.` }),
      element("ul", {}, ...items),
    );
  };
  query.addEventListener("input", show);
  query.form.addEventListener("submit", (event) => {
    event.preventDefault();
    found.querySelector("a")?.click();
  });
  // On a narrow screen the contents are closed until they are asked for.
  if (matchMedia("(max-width: 60rem)").matches) document.querySelector(".menu").removeAttribute("open");
})();
