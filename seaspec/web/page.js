// page.js: the page on which a game is played: seats, the table, options as buttons and cells, the log, "why not?".
//
// It shows what the engine says, and asks it; it knows no rules. One person or several at one screen: what the others
// may not see is covered until the screen is passed on.

const MOST_BUTTONS = 60;
const MOST_SENTENCES = 3000;
const MOST_REASONS = 8;
const THINKING = 900;
const PAUSE = 350;

/** An element. `more`: its attributes; functions are listened to. */
function make(tag, more = {}, ...inside) {
  const found = document.createElement(tag);
  for (const [name, value] of Object.entries(more)) {
    if (typeof value === "function") found.addEventListener(name, value);
    else if (value === true) found.setAttribute(name, "");
    else if (value !== false && value !== null) found.setAttribute(name, value);
  }
  found.append(...inside.filter((one) => one !== null));
  return found;
}

const button = (text, act, more = {}) => make("button", { type: "button", click: act, ...more }, text);

class Table {
  constructor(root, games) {
    this.root = root;
    this.games = games;
    this.setting = null;
    this.seats = [];
    this.play = null;
    this.turn = 0;
    this.pause = PAUSE;
    this.isPaused = false;
    this.viewer = 0;
    this.covered = null;  // who sits at the screen; null: nobody has said so
    this.chosenCells = [];
    this.filter = "";
    this.said = make("p", { class: "news", role: "status", "aria-live": "polite" });
    this.alert = make("p", { class: "alert", role: "alert", hidden: true });
    this.body = make("div");
    root.replaceChildren(this.alert, this.said, this.body);
  }

  complain(text) {
    this.alert.textContent = text;
    this.alert.hidden = !text;
  }

  /** Whether several people look at this screen, and not all may see all. */
  get hidesHands() {
    return this.about.secrets && this.people.length > 1;
  }

  get people() {
    return this.seats.map((who, seat) => (who === "person" ? seat : null)).filter((seat) => seat !== null);
  }

  // ----------------------------------------------------------------------------------------------- before the play

  /** One of the ways to play that the page has. What it needs is loaded. */
  async use(setting) {
    if (setting === this.setting) return;
    const turn = (this.turn += 1);
    const machine = await this.games.machine(setting);
    if (turn !== this.turn) return;
    this.setting = setting;
    this.machine = machine;
    this.about = machine.about;
    this.seats = this.about.players.map((_, seat) => this.seats[seat] ?? (seat === 0 ? "person" : "random"));
    this.thinker?.end();
    this.thinker = undefined;
    this.mind = null;
    this.play = null;
  }

  showStart() {
    this.turn += 1;
    this.play = null;
    this.body.replaceChildren(startForm(this));
    this.say("");
  }

  begin() {
    this.complain("");
    try {
      const play = new SeaSpec.Play(this.machine);
      play.settle();
      this.start(play);
    } catch (error) {
      this.fail(error);
      return;
    }
    this.next();
  }

  start(play) {
    this.play = play;
    this.turn += 1;
    this.isPaused = false;
    this.viewer = this.people[0] ?? 0;
    this.covered = this.hidesHands ? null : this.viewer;
    this.heard = 0;
    this.forgetChoice();
  }

  forgetChoice() {
    this.chosenCells = [];
    this.filter = "";
    this.picked = new Map();
  }

  fail(error) {
    if (error instanceof SeaSpec.RuleError) this.complain(`The rules fail here: ${error.message}.`);
    else if (error instanceof SeaSpec.TooMany) this.complain(`${error.message}.`);
    else {
      this.complain(`This page has failed: ${error.message}`);
      console.error(error);
    }
  }

  // ------------------------------------------------------------------------------------------------------ the play

  /** Whoever is asked now: a bot chooses, a person is shown the options. */
  next() {
    try {
      this.goOn();
    } catch (error) {
      this.fail(error);
    }
  }

  goOn() {
    this.forgetChoice();
    const { play } = this;
    const seat = play.asked;
    if (seat !== null && this.seats[seat] === "person") this.viewer = seat;
    else if (this.covered !== null) this.viewer = this.covered;
    if (this.hidesHands && this.covered !== this.viewer) {
      this.showCover(this.viewer);
      return;
    }
    this.covered = this.viewer;
    this.showPlay();
    if (seat !== null && this.seats[seat] !== "person" && !this.isPaused) this.letBot(seat);
  }

  async letBot(seat) {
    const { turn, play } = this;
    const { state } = play;
    const isLeft = () => turn !== this.turn || play.state !== state;
    try {
      let text = null;
      if (this.seats[seat] === "search") text = await this.thoughtOf(play, seat);
      else await new Promise((go) => setTimeout(go, this.pause));
      if (isLeft()) return;
      if (text !== null) play.choose(play.words.find(text));
      else if (this.seats[seat] === "search") play.choose(this.mind.choose(play, seat, THINKING / 2));
      else play.choose(SeaSpec.anyOption(play));
      this.next();
    } catch (error) {
      if (turn === this.turn) this.fail(error);
    }
  }

  /** What a bot that thinks chooses, in a process of its own; null if none can be made: it has to think here. */
  async thoughtOf(play, seat) {
    if (this.thinker === undefined) {
      this.thinker = SeaSpec.thinker(seaspecEngine.toString(), this.games.packed(this.setting));
    }
    try {
      if (this.thinker !== null) return await this.thinker(play, seat, THINKING);
    } catch {
      this.thinker = null;
    }
    this.mind ??= new SeaSpec.Mind();
    return null;
  }

  choose(option) {
    this.complain("");
    try {
      this.play.choose(option);
    } catch (error) {
      this.fail(error);
      return;
    }
    this.next();
  }

  undo() {
    this.turn += 1;
    this.complain("");
    this.play.undo(this.people.length ? this.people : null);
    this.heard = 0;
    this.next();
  }

  showCover(seat) {
    const name = this.about.players[seat];
    this.body.replaceChildren(make("div", { class: "cover" },
      make("p", {}, `Pass the screen to ${name}.`),
      button(`I am ${name}`, () => { this.covered = seat; this.heard = 0; this.next(); }, { class: "main" })));
    this.say(`Pass the screen to ${name}.`);
    this.body.querySelector("button").focus();
  }

  showPlay() {
    const { play } = this;
    const seen = SeaSpec.view(play, this.viewer, true);
    this.news(seen);
    const asks = play.asked !== null && this.seats[play.asked] === "person";
    const table = make("div", { class: "table" });
    this.drawTable(table, seen);
    const parts = [this.tools(), table, play.isOver ? this.ending() : asks ? this.question() : this.waiting(),
      this.logPart(seen), asks ? this.whyPart() : null];
    this.body.replaceChildren(...parts.filter((part) => part !== null));
    const first = this.body.querySelector(".options button, .options input, .ending button");
    if (first && (asks || play.isOver)) first.focus({ preventScroll: true });
  }

  /** The picture, with the cells that options name to be clicked. */
  drawTable(table, seen) {
    const drawn = SeaSpec.draw(this.about, seen, "");
    table.innerHTML = drawn.svg;
    const svg = table.querySelector("svg");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", `The table as ${this.about.players[this.viewer]} sees it`);
    svg.removeAttribute("height");
    svg.removeAttribute("width");
    svg.style.maxWidth = `${drawn.width}px`;
    table.insertAdjacentHTML("beforeend", "");
    if (this.play.asked === null || this.seats[this.play.asked] !== "person") return;
    const named = this.cellsOfOptions();
    for (const spot of drawn.spots) {
      const options = named.get(spot.key);
      if (!options) continue;
      const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      for (const [name, value] of [["x", spot.x], ["y", spot.y], ["width", spot.w], ["height", spot.h]]) rect.setAttribute(name, value);
      rect.setAttribute("class", this.chosenCells.includes(spot.key) ? "cell chosen" : "cell");
      rect.addEventListener("click", () => this.clickCell(spot.key, named));
      svg.append(rect);
    }
  }

  /** By cell, the options that name it, or a piece that lies there. */
  cellsOfOptions() {
    const found = new Map();
    if (this.play.node.offer === "subset") return found;
    let options;
    try {
      options = this.possible();
    } catch {
      return found;
    }
    const add = (key, option) => found.set(key, [...(found.get(key) ?? []), option]);
    for (const option of options) for (const key of this.cellsOf(option)) add(key, option);
    return found;
  }

  cellsOf(option) {
    const { words } = this.play;
    const { about } = this;
    const found = new Set();
    const types = this.machine.kinds(words.node, option.action).map((type) => (type === null ? null : about.types[type]));
    option.values.forEach((value, n) => {
      const type = types[n];
      if (!type || value === null) return;
      const ty = type.kind === "maybe" ? about.types[type.of] : type;
      if (ty.kind === "cell") found.add(`${ty.board} ${about.boards[ty.board][value]}`);
      if (ty.kind === "set" && about.types[ty.of].kind === "cell") {
        const { board } = about.types[ty.of];
        for (const cell of value) found.add(`${board} ${about.boards[board][cell]}`);
      }
    });
    for (const piece of words.piecesIn(option)) {
      const key = SeaSpec.cellOfSlot(about, words.table.slotName(words.table.where[piece]));
      if (key) found.add(key);
    }
    return found;
  }

  /** The options that are still meant: those that name all cells that were clicked. */
  possible() {
    const all = this.play.words.listed();
    return this.chosenCells.length
      ? all.filter((option) => { const cells = this.cellsOf(option); return this.chosenCells.every((key) => cells.has(key)); })
      : all;
  }

  clickCell(key, named) {
    const options = named.get(key);
    if (this.chosenCells.includes(key)) {
      this.chosenCells = this.chosenCells.filter((one) => one !== key);
    } else if (options.length === 1) {
      this.choose(options[0]);
      return;
    } else {
      this.chosenCells = [...this.chosenCells, key];
    }
    this.showPlay();
  }

  // --------------------------------------------------------------------------------------------------- the options

  question() {
    const { play } = this;
    const name = this.about.players[play.asked];
    const part = make("section", { class: "options" });
    let options;
    try {
      options = this.possible();
    } catch (error) {
      if (!(error instanceof SeaSpec.TooMany)) throw error;
      part.append(make("h3", {}, `${name}: ${play.words.question()}`), make("p", {}, `${error.message}.`),
        button("Choose one at random", () => this.choose(SeaSpec.anyOption(play))));
      return part;
    }
    part.append(make("h3", {}, `${name}: ${play.words.question()}${this.toChoose()}`));
    if (this.chosenCells.length) {
      part.append(make("p", {}, `${options.length} that name ${this.chosenCells.map((key) => key.split(" ")[1]).join(" and ")} `,
        button("show all", () => { this.chosenCells = []; this.showPlay(); }, { class: "small" })));
    }
    if (play.node.offer === "subset" && options.length > 12) part.append(this.members(options));
    else part.append(...this.listed(options));
    return part;
  }

  /** What is to be chosen, if it is no action: `: choose a cell`. */
  toChoose() {
    const { node } = this.play;
    if (node.offer !== "values") return "";
    return `: choose ${node.variables.map((variable) => variable.kind).join(" and ")}`;
  }

  /** A button for each option; many are found by their words. */
  listed(options) {
    const { words } = this.play;
    const texts = options.map((option) => {
      const text = words.text(option);
      return { option, text, told: (options.length > MOST_SENTENCES ? null : words.told(option)) ?? text };
    });
    const counted = new Map();
    for (const { told } of texts) counted.set(told, (counted.get(told) ?? 0) + 1);
    const list = make("ul");
    const fill = () => {
      const wanted = this.filter.toLowerCase().split(/\s+/).filter(Boolean);
      const found = texts.filter(({ text, told }) => wanted.every((word) => `${told} ${text}`.toLowerCase().includes(word)));
      const rows = found.slice(0, MOST_BUTTONS).map(({ option, text, told }) =>
        make("li", {}, button(counted.get(told) > 1 ? text : told, () => this.choose(option))));
      if (found.length > MOST_BUTTONS) rows.push(make("li", {}, `and ${found.length - MOST_BUTTONS} more: type a part of what is meant`));
      list.replaceChildren(...rows);
    };
    fill();
    if (texts.length <= MOST_BUTTONS) return [list];
    const search = make("input", { type: "search", id: "filter-options", value: this.filter,
      input: (event) => { this.filter = event.target.value; fill(); } });
    return [make("p", {}, make("label", { for: "filter-options" }, `${texts.length} ways: `), search), list];
  }

  /** Members of a set are picked one by one. */
  members(options) {
    const { words } = this.play;
    const of = this.about.types[words.node.variables[0].type].of;
    const name = (value) => this.machine.values.show(value, of, (piece) => words.pieceName(piece));
    const most = new Map();
    const byText = new Map(options.map((option) => [words.text(option), option]));
    for (const option of options) {
      const counts = new Map();
      for (const value of option.values[0]) counts.set(name(value), (counts.get(name(value)) ?? 0) + 1);
      for (const [text, number] of counts) most.set(text, Math.max(most.get(text) ?? 0, number));
    }
    const chosen = () => {
      const names = [...this.picked].flatMap(([text, number]) => Array(number).fill(text));
      return byText.get(`{${SeaSpec.sortedNames(names).join(", ")}}`) ?? null;
    };
    const done = button("Choose these", () => this.choose(chosen()), { class: "main", disabled: chosen() === null });
    const update = () => { done.disabled = chosen() === null; };
    const boxes = SeaSpec.sortedNames([...most.keys()]).flatMap((text) =>
      Array.from({ length: most.get(text) }, (_, n) => make("label", { class: "member" },
        make("input", { type: "checkbox", checked: (this.picked.get(text) ?? 0) > n, change: (event) => {
          this.picked.set(text, (this.picked.get(text) ?? 0) + (event.target.checked ? 1 : -1));
          update();
        } }), ` ${text}`)));
    return make("div", {}, make("div", { class: "members" }, ...boxes), make("p", {}, done));
  }

  waiting() {
    const { play } = this;
    const who = play.asked === null ? "" : this.about.players[play.asked];
    return make("section", { class: "options" }, make("p", {}, `${who} chooses .. `),
      button(this.isPaused ? "Go on" : "Pause", () => {
        this.isPaused = !this.isPaused;
        this.turn += 1;
        this.next();
      }));
  }

  ending() {
    const { result } = this.play;
    const { winners, scores, reason } = result;
    const rows = (scores ?? []).map((score, seat) => make("li", {}, `${this.about.players[seat]}: ${score ? score.join(", ") : "out"}`));
    return make("section", { class: "ending" },
      make("h3", {}, winners.length ? `${winners.join(" and ")} ${winners.length > 1 ? "win" : "wins"}` : "Nobody wins"),
      make("p", {}, reason, ...clauses(result.cites)), rows.length ? make("ul", {}, ...rows) : null,
      button("Play again", () => this.showStart(), { class: "main" }));
  }

  // ------------------------------------------------------------------------------------------------- beside the play

  tools() {
    const { play } = this;
    const names = make("p", { class: "eyes" }, `As ${this.about.players[this.viewer]} sees it`);
    return make("div", { class: "tools" }, names,
      button("Take back", () => this.undo(), { disabled: !play.canUndo }),
      button("Copy a link to this play", () => this.copyLink()),
      button("Save", () => this.save()),
      button("New play", () => { history.replaceState(null, "", location.pathname + location.search); this.showStart(); }));
  }

  async copyLink() {
    try {
      const hash = `#play=${await this.play.linked()}`;
      history.replaceState(null, "", hash);
      await navigator.clipboard?.writeText(location.href).catch(() => undefined);
      this.say("The address of this page is now a link to this play.");
    } catch (error) {
      this.fail(error);
    }
  }

  save() {
    const text = JSON.stringify(this.play.saved(), null, 1);
    const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: "application/json" })),
      download: `${this.about.name}.play.json` });
    link.click();
    this.say("Saved. `seaspec replay` takes the file, and this page opens it again.");
  }

  /** A play that was saved, or that a link holds: `find` gives its rules, and what makes it of a machine. */
  async openPlay(find) {
    this.complain("");
    try {
      const { rules, make: makePlay } = await find();
      const setting = SeaSpec.settingOf(this.games.settings, rules);
      await this.use(setting);
      if (this.setting !== setting) return;
      const play = makePlay(this.machine);
      play.settle();
      this.start(play);
    } catch (error) {
      if (error instanceof SeaSpec.PlayError) this.complain(`That play can not be opened: ${error.message}.`);
      else this.fail(error);
      if (!this.play) this.showStart();
      return;
    }
    this.next();
  }

  logPart(seen) {
    const lines = seen.log.slice(-200).map((text) => make("li", {}, text));
    const list = make("ol", { class: "log", tabindex: "0", "aria-label": "What has happened" }, ...lines);
    setTimeout(() => { list.scrollTop = list.scrollHeight; });
    return make("section", {}, make("h3", {}, "What has happened"), list);
  }

  /** What is new is said to who listens. */
  news(seen) {
    const fresh = seen.log.slice(Math.max(this.heard ?? 0, seen.log.length - 3));
    this.heard = seen.log.length;
    const { play } = this;
    const ask = play.asked === null ? "" : `${this.about.players[play.asked]} is asked: ${play.words.question()}.`;
    this.say([...fresh, play.isOver ? "The game is over." : ask].filter(Boolean).join(" · "));
  }

  say(text) {
    this.said.textContent = text;
  }

  // -------------------------------------------------------------------------------------------------------- why not?

  whyPart() {
    const { about } = this;
    const names = Object.keys(about.actions);
    if (!names.length) return null;
    const answer = make("div", { role: "status" });
    const params = make("span");
    const action = make("select", { id: "why-action", change: () => fill() },
      ...names.map((name) => make("option", { value: name }, about.actions[name].general || name)));
    const fill = () => {
      const chosen = about.actions[action.value];
      params.replaceChildren(...chosen.params.flatMap((param, n) => {
        if (n === 0 && chosen.asks) return [];
        if (!param.values) return [];
        const id = `why-${n}`;
        const values = param.values.map((value) => make("option", { value: JSON.stringify(value) },
          this.machine.values.show(value, param.type)));
        return [make("label", { for: id }, ` ${param.name} `), make("select", { id, "data-param": n },
          ...(param.values.length > 1 ? [make("option", { value: "" }, "any")] : []), ...values)];
      }));
      answer.replaceChildren();
    };
    const ask = () => {
      const chosen = about.actions[action.value];
      const seat = this.play.asked;
      const given = chosen.params.map((_, n) => {
        if (n === 0 && chosen.asks) return seat;
        const field = params.querySelector(`[data-param="${n}"]`);
        return !field || field.value === "" ? undefined : JSON.parse(field.value);
      });
      const isWhole = given.every((value) => value !== undefined);
      const reasons = isWhole
        ? SeaSpec.whyNot(this.play, seat, action.value, given)
        : SeaSpec.whyNever(this.play, seat, action.value, given);
      answer.replaceChildren(reasons.length
        ? make("ul", {}, ...reasons.slice(0, MOST_REASONS).map((reason) => make("li", {}, reason.text,
          reason.values.length ? ` (${reason.values.map(([what, value]) => `${what} = ${value}`).join(", ")})` : "",
          ...clauses(reason.cites), reason.guard ? make("small", {}, ` needs ${reason.guard}${reason.at ? `, ${reason.at}` : ""}`) : null)),
          reasons.length > MOST_REASONS ? make("li", {}, `and ${reasons.length - MOST_REASONS} more`) : null)
        : make("p", {}, isWhole ? "Nothing speaks against it: it can be done now." : "Some ways to do it are open now."));
    };
    fill();
    return make("details", { class: "why" }, make("summary", {}, "Why not ..?"),
      make("p", {}, make("label", { for: "why-action" }, "why can I not: "), action, params, " ", button("Tell", ask)), answer);
  }
}

/** Clauses of the rule book, linked where the book shows them. */
function clauses(cites) {
  return cites.flatMap(({ id, href }) => [" ", href ? make("a", { href }, `[${id}]`) : `[${id}]`]);
}
