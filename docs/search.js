// The search of the manual: the same as outlive/units/search.py, over the index that build.py made of it. No network.
"use strict";

function wordsOf(text) {
  return text.toLowerCase().match(/[a-z0-9_]+/g) || [];
}

function find(query, index) {
  const asked = [...new Set(wordsOf(query))].filter((word) => Object.hasOwn(index.telling, word));
  const whole = ` ${wordsOf(query).join(" ")} `;
  const worth = (words) => words.reduce((sum, word) => sum + index.telling[word], 0);
  const all = worth(asked);
  const found = [];
  for (const page of index.pages) {
    const known = asked.filter((word) => Object.hasOwn(page.weights, word));
    if (!known.length || worth(known) < index.enough * all) continue;
    let score = known.reduce((sum, word) => sum + index.telling[word] * page.weights[word], 0);
    const phrases = page.phrases.filter((phrase) => whole.includes(phrase));
    score += Math.max(0, ...phrases.map((phrase) => worth(phrase.trim().split(" ")) * index.overview));
    found.push({ score, page });
  }
  const before = (a, b) => (a.page.name < b.page.name ? -1 : 1);
  found.sort((a, b) => b.score - a.score || before(a, b));
  return found
    .slice(0, index.most)
    .filter((it) => it.score >= index.near * found[0].score)
    .map((it) => it.page);
}

function show(query) {
  const list = document.getElementById("found");
  const pages = find(query, INDEX);
  list.replaceChildren(
    ...pages.map((page) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = `${page.name}.html`;
      link.textContent = page.title;
      item.append(link, document.createElement("br"), page.headline);
      return item;
    }),
  );
  const count = pages.length === 1 ? "One page" : `${pages.length || "No"} pages`;
  document.getElementById("count").textContent = wordsOf(query).length ? `${count} found.` : "";
}

if (typeof document !== "undefined" && document.getElementById("found")) {
  const box = document.getElementById("query");
  box.value = new URLSearchParams(location.search).get("q") || "";
  box.addEventListener("input", () => show(box.value));
  show(box.value);
}
