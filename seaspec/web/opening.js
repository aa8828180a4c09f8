// opening.js: what comes before a play: the ways to play that the page has, who sits where, plays from files and links.

/** The games of a page: `seaspecGames` lists them; what is played stands in the page, or in a file beside it. */
class Games {
  constructor(settings) {
    this.settings = settings;
    this.opened = new Map();
  }

  /** The machine of a setting; it is opened once. */
  machine(setting) {
    const known = this.opened.get(setting.digest);
    if (known) return known;
    const opening = this.load(setting).then(SeaSpec.open);
    this.opened.set(setting.digest, opening);
    opening.catch(() => this.opened.delete(setting.digest));  // it may be there the next time
    return opening;
  }

  packed(setting) {
    return globalThis.seaspecPacked?.[setting.digest];
  }

  async load(setting) {
    if (!this.packed(setting)) {
      await new Promise((go) => {
        document.head.append(make("script", { src: setting.file, load: go, error: go }));
      });
    }
    if (!this.packed(setting)) throw new Error(`its file, ${setting.file}, must lie beside this page, and be of the same book`);
    return this.packed(setting);
  }
}

/** Which game, who sits where, or a play that was saved. */
function startForm(table) {
  const { settings } = table.games;
  const seats = make("div", {}, ...seatRows(table));
  const file = make("input", { type: "file", id: "saved-play", accept: ".json,application/json",
    change: (event) => openFile(table, event.target.files[0]) });
  const ways = choice("setting", table.setting.digest, settings.map((one) => [one.digest, one.label]), async (digest) => {
    table.complain("");
    try {
      await table.use(settings.find((one) => one.digest === digest));
    } catch (error) {
      if (table.play) return;
      table.complain(`This can not be played here: ${error.message}.`);
      ways.value = table.setting.digest;
    }
    seats.replaceChildren(...seatRows(table));
    table.say(`It is played by ${table.about.players.join(", ")}.`);
  });
  return make("div", { class: "start" },
    settings.length > 1 ? make("p", {}, make("label", { for: "setting" }, "It is played with "), ways) : null,
    seats,
    make("p", {}, button("Begin", () => table.begin(), { class: "main" })),
    make("p", {}, make("label", { for: "saved-play" }, "or open a saved play: "), file));
}

function choice(id, chosen, values, act) {
  return make("select", { id, change: (event) => act(event.target.value) },
    ...values.map(([value, text]) => make("option", { value, selected: value === chosen }, text)));
}

function seatRows(table) {
  const { secrets, players } = table.about;
  const kinds = [["person", "a person"], ["random", "a bot that plays at random"],
    ["search", secrets ? "a bot that thinks, and guesses what is hidden from it" : "a bot that thinks"]];
  const rows = players.map((name, seat) => make("p", {}, make("label", { for: `seat-${seat}` }, `${name} is `),
    choice(`seat-${seat}`, table.seats[seat], kinds, (kind) => { table.seats[seat] = kind; })));
  if (secrets) {
    const note = "What is hidden lies in the memory of this page: it is covered, not locked away.";
    rows.push(make("p", { class: "note" }, note));
  }
  return rows;
}

function openFile(table, file) {
  if (!file) return undefined;
  return table.openPlay(async () => {
    let data;
    try {
      data = JSON.parse(await file.text());
    } catch {
      throw new SeaSpec.PlayError("the file is no JSON. Was it cut?");
    }
    return { rules: SeaSpec.rulesOfSaved(data), make: (machine) => SeaSpec.Play.of(machine, data) };
  });
}

/** Whether the address is a link to a play; then that is opened. */
function openLink(table) {
  const [, text] = /^#play=(.*)$/.exec(location.hash) ?? [];
  if (text === undefined) return false;
  table.openPlay(async () => {
    const data = await SeaSpec.linkData(text);
    return { rules: data.rules, make: (machine) => SeaSpec.Play.ofLink(machine, data) };
  });
  return true;
}

/** Whether the page around is dark. */
function isDark() {
  for (const box of [document.body, document.documentElement]) {
    const [red, green, blue, opaque = 1] = getComputedStyle(box).backgroundColor.match(/[\d.]+/g).map(Number);
    if (opaque > 0.5) return red + green + blue < 300;
  }
  return false;
}

async function openPage() {
  const root = document.getElementById("seaspec-play");
  if (!root) return;
  const followPage = () => root.classList.toggle("dark", isDark());
  followPage();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", followPage);
  const settings = globalThis.seaspecGames;
  if (!settings) {
    root.textContent = "The game is missing: its files must lie beside this page.";
    return;
  }
  if (typeof WebAssembly === "undefined" || typeof DecompressionStream === "undefined") {
    root.textContent = "This browser is too old to play the game here: it needs WebAssembly and DecompressionStream.";
    return;
  }
  const table = new Table(root, new Games(settings));
  try {
    await table.use(settings[0]);
  } catch (error) {
    root.textContent = `The game can not be opened here: ${error.message}.`;
    return;
  }
  globalThis.addEventListener("hashchange", () => openLink(table));
  if (!openLink(table)) table.showStart();
  root.dataset.ready = "yes";
  root.table = table;
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", openPage);
else openPage();
