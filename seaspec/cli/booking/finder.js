// The search of a book in one file: rules, headings and clauses that have the words that are typed, the rarest first.
// What is folded is left out, as on a site. Words of Latin letters are found without -s, -ed and -ing.
(function () {
  "use strict";
  var MOST = 12;
  var WEIGHTS = {clauses: 2, rules: 1.5}; // where players look for an answer
  var field = document.getElementById("book-seek");
  var list = document.getElementById("book-found");
  var entries = null;

  function cut(word) {
    if (seaWords.isCyrillic(word)) return seaWords.cut(word);
    return word.replace(/(.{3,}?)(?:e?s|ed|ing|e)$/, "$1");
  }

  function textOf(node) {
    if (node.nodeType === 3) return node.data;
    if (/^(DETAILS|SCRIPT|STYLE|SVG)$/i.test(node.nodeName)) return "";
    return Array.from(node.childNodes, textOf).join(" ");
  }

  // Of a heading: what stands below it, up to the next thing with a name of its own.
  function below(head) {
    var text = "";
    for (var next = head.nextElementSibling; next && !/^(H1|H2|H3|DT|DL)$/.test(next.nodeName) && !next.id;) {
      text += " " + textOf(next);
      next = next.nextElementSibling;
    }
    return text;
  }

  function made() {
    var heading = "";
    return Array.from(document.querySelectorAll("main :is(h1, h2, h3, dt, .thing)[id]"), function (head) {
      var title = head.matches(".thing") ? (head.querySelector("b") || head).textContent : textOf(head);
      if (head.matches("h1, h2")) heading = title;
      var page = head.closest("section").querySelector("h1");
      var text = head.matches(".thing") ? textOf(head) : below(head);
      var counts = new Map();
      seaWords.parted(text).map(cut).forEach(function (word) { counts.set(word, 1 + (counts.get(word) || 0) / 2); });
      seaWords.parted(title + (head.matches("dt") ? " " + heading : "")).map(cut).forEach(function (word) {
        counts.set(word, 3 + (counts.get(word) || 0));
      });
      var where = page && page !== head ? " (" + page.textContent + ")" : "";
      var length = (4 + Math.sqrt(text.length / 40)) / (WEIGHTS[head.closest("section").id] || 1);
      return {id: head.id, title: title.trim() + where, counts: counts, length: length};
    });
  }

  function weight(word) {
    return entries.filter(function (entry) { return entry.counts.has(word); }).length;
  }

  function seek() {
    entries = entries || made();
    var words = seaWords.telling(field.value).map(cut).map(function (word) { return [word, weight(word)]; });
    var found = entries.map(function (entry) {
      var sum = 0;
      words.forEach(function (pair) {
        if (pair[1]) sum += (entry.counts.get(pair[0]) || 0) * Math.log(1 + entries.length / pair[1]) / entry.length;
      });
      return [sum, entry];
    }).filter(function (pair) { return pair[0]; }).sort(function (one, other) { return other[0] - one[0]; });
    list.replaceChildren();
    found.slice(0, MOST).forEach(function (pair) {
      var item = document.createElement("li");
      var way = document.createElement("a");
      way.href = "#" + pair[1].id;
      way.textContent = pair[1].title;
      item.append(way);
      list.append(item);
    });
    if (!found.length && words.length) list.textContent = "Nothing is found.";
  }

  field.addEventListener("input", seek);
  field.form.addEventListener("submit", function (event) {
    event.preventDefault();
    var first = list.querySelector("a");
    if (first) first.click();
  });
})();
