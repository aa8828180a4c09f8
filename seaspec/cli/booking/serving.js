// In a book that `seaspec book --serve` shows: it asks whether there is news, and waits for the answer. A new book is
// loaded, and the reader stays where they are; the faults of a text are shown above the last book that had none.
(function () {
  "use strict";
  var own = document.currentScript.dataset.book;
  var seen = "";
  var box = document.createElement("section");
  box.setAttribute("role", "alert");
  box.style.cssText = "position: sticky; top: 0; z-index: 9; margin: 0; padding: .6em 1em; max-height: 60vh; overflow: auto;" +
    "background: #5c1a12; color: #fff";
  box.hidden = true;
  document.body.prepend(box);

  function say(title, text) {
    box.replaceChildren();
    box.hidden = !title;
    if (!title) return;
    var head = document.createElement("strong");
    head.textContent = title;
    var body = document.createElement("pre");
    body.textContent = text;
    body.tabIndex = 0;
    body.style.cssText = "white-space: pre-wrap; color: inherit; background: none; border: 0";
    box.append(head, body);
  }

  async function listen() {
    for (;;) {
      try {
        var answer = await fetch("/news?seen=" + seen, {cache: "no-store"});
        var news = await answer.json();
        seen = news.seen;
        if (news.book !== own) return location.reload();
        say(news.faults ? "The text has faults. Below is the last book without." : "", news.faults);
      } catch (error) {
        say("seaspec book has ended.", "What is below is not renewed any more.");
        await new Promise(function (go) { setTimeout(go, 1000); });
        seen = "";
      }
    }
  }

  listen();
})();
