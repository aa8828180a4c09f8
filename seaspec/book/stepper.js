// Steps through the plays of a page: buttons, arrow keys, the board after each move. Where it does not run, the moves
// are a list. The pictures (seaspec/book/plays.py) are squeezed, and share their lines: each is told by runs of them. A
// link to a step, `#NAME-step-3`, opens its play there. In a book that is one file all pictures are kept so.
(() => {
  "use strict";

  let found = [];
  const steppers = new Map();

  const unsqueezed = async (text) => {
    const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  };
  const playOf = (name) => found.find((one) => Object.hasOwn(one.plays, name));

  const joined = (lines, runs) => {
    const parts = [];
    for (let at = 0; at < runs.length; at += 2) parts.push(...lines.slice(runs[at], runs[at] + runs[at + 1]));
    return parts.join("\n");
  };
  const picture = (lines, runs) => URL.createObjectURL(new Blob([joined(lines, runs)], { type: "image/svg+xml" }));

  const made = (tag, settings, ...inside) => {
    const element = Object.assign(document.createElement(tag), settings);
    element.append(...inside);
    return element;
  };

  // A move in words, without the name of its rule.
  const words = (move) => [...move.childNodes]
    .filter((part) => !part.classList?.contains("by"))
    .map((part) => (part.classList?.contains("mark") ? "– " : "") + part.textContent)
    .join("");

  const prepare = (box) => {
    const name = box.dataset.play;
    const play = playOf(name);
    const moves = [...box.querySelectorAll("li")];
    if (!play || steppers.has(name) || moves.length !== play.plays[name].length) return;
    const given = box.querySelector("img");
    const list = box.querySelector("ol");
    const board = given || made("img", { alt: "" });
    const said = made("p", { className: "said" });
    said.setAttribute("aria-live", "polite");
    let here = given ? moves.length - 1 : 0;

    const draw = () => {
      URL.revokeObjectURL(board.src);
      board.src = picture(play.lines, play.plays[name][here]);
    };
    const reach = () => {
      if (list.scrollHeight > list.clientHeight) list.tabIndex = 0; // what scrolls is reached by keys
    };
    const show = (wanted, isChosen) => {
      reach();
      here = Math.max(0, Math.min(moves.length - 1, wanted));
      const move = moves[here];
      draw();
      board.alt = "the board: " + words(move);
      said.className = "said " + move.className.replace("here", "");
      said.textContent = `${here} of ${moves.length - 1}: ${words(move)}`;
      for (const one of moves) {
        one.classList.toggle("here", one === move);
        if (one === move) one.setAttribute("aria-current", "step");
        else one.removeAttribute("aria-current");
      }
      list.scrollTop += move.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 2;
      first.disabled = previous.disabled = here === 0;
      next.disabled = last.disabled = here === moves.length - 1;
      if (isChosen) history.replaceState(null, "", "#" + move.id);
    };
    const button = (sign, told, to) => {
      const one = made("button", { type: "button", textContent: sign, title: told });
      one.setAttribute("aria-label", told);
      one.addEventListener("click", () => show(to(), true));
      return one;
    };
    const first = button("|◀", "the first step", () => 0);
    const previous = button("◀", "one step back", () => here - 1);
    const next = button("▶", "the next step", () => here + 1);
    const last = button("▶|", "the last step", () => moves.length - 1);
    const keys = { ArrowLeft: previous, ArrowRight: next, Home: first, End: last };
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "a play, step by step; arrow keys go through it");
    box.addEventListener("keydown", (event) => {
      if (!(event.key in keys) || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      keys[event.key].click();
    });
    moves.forEach((move, number) => move.addEventListener("click", (event) => {
      if (!event.target.closest("a")) show(number, true);
    }));
    box.prepend(made("div", { className: "steps" }, first, previous, next, last), said, board);
    box.classList.add("runs");
    steppers.set(name, { box, moves, show });
    const fold = box.closest("details");
    if (!given && fold && !fold.open) fold.addEventListener("toggle", () => show(here, false), { once: true });
    else if (!given) show(here, false);
    else {
      draw(); // the same as its file, which is not fetched then
      reach();
      moves[here].classList.add("here");
      said.textContent = `${here} of ${here}: ${words(moves[here])}`;
      next.disabled = last.disabled = true;
    }
  };

  const follow = () => {
    let wanted = location.hash.slice(1);
    try {
      wanted = decodeURIComponent(wanted);
    } catch {
      return; // no name of ours
    }
    for (const { box, moves, show } of steppers.values()) {
      const number = moves.findIndex((move) => move.id === wanted);
      if (number < 0) continue;
      for (let fold = box.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
      show(number, false);
      box.scrollIntoView({ block: "start" });
      box.focus({ preventScroll: true });
    }
  };

  const begin = async () => {
    found = await Promise.all((window.seaspecPlays || []).map(unsqueezed));
    for (const image of document.querySelectorAll("img[data-picture]")) {
      const play = playOf(image.dataset.picture);
      image.src = picture(play.lines, play.plays[image.dataset.picture][0]);
    }
    document.querySelectorAll(".stepper").forEach(prepare);
    follow();
    window.addEventListener("load", follow); // once the browser has gone to the move itself
    window.addEventListener("hashchange", follow);
  };
  begin();
})();
