// plays.js: a play that goes on: its history, undo, and the form in which it is saved, which `seaspec replay` takes.
//
// A play is its list of moves: choices and outcomes of chance, by their texts. Chance follows from the seed and the
// number of the move, so that after undo the same luck is met.

SeaSpec.PlayError = class extends Error {};
SeaSpec.MOST_LINKED = 4_000_000;  // no link holds more bytes, however squeezed

/** An option, or outcome, is taken (null: one at random): which it was, the position after it, and what happened. */
SeaSpec.taken = function (machine, sight, words, option) {
  const { state } = words;
  const after = option === null ? machine.sample(state) : machine.step(state, option.number);
  const rows = machine.traced();
  const chosen = option ?? machine.chosen(state);
  const events = SeaSpec.events(machine, sight, state, after, rows);
  return { option: chosen, after, events: [...SeaSpec.answered(machine, sight, words, chosen, events), ...events] };
};

SeaSpec.isChance = (node) => ["chance", "draw", "roll", "throw"].includes(node.kind);

SeaSpec.Play = class {
  constructor(machine, seed = Math.floor(Math.random() * 2 ** 31)) {
    this.machine = machine;
    this.sight = new SeaSpec.Sight(machine);
    this.seed = seed;
    this.moves = [];
    this.states = [machine.begin()];
    this.steps = [{ events: SeaSpec.events(machine, this.sight, null, this.states[0], machine.traced()) }];
  }

  get state() {
    return this.states[this.states.length - 1];
  }

  get node() {
    return this.machine.node(this.state);
  }

  get isOver() {
    return this.machine.isOver(this.state);
  }

  /** The seat that is asked; null if chance is, or nobody. */
  get asked() {
    return this.node.kind === "decision" ? this.machine.decider(this.state) : null;
  }

  /** The options and outcomes of the position, in words. */
  get words() {
    if (this.spoken?.state !== this.state) this.spoken = new SeaSpec.Words(this.machine, this.state);
    return this.spoken;
  }

  isChance() {
    return SeaSpec.isChance(this.node);
  }

  // ------------------------------------------------------------------------------------------------------- playing

  /** An option is chosen; then chance goes on until somebody is asked. */
  choose(option) {
    this.take(option);
    this.settle();
  }

  settle() {
    while (this.isChance()) this.take(null);
  }

  /** An option, or outcome, is taken; null: one at random. */
  take(option) {
    const { machine, words } = this;
    const player = this.asked;
    if (option === null) machine.seed(this.seed, this.moves.length);
    const taken = SeaSpec.taken(machine, this.sight, words, option);
    this.moves.push({ player, menu: words.node.menu ?? "", text: words.text(taken.option), option: taken.option });
    this.states.push(taken.after);
    this.steps.push({ events: taken.events });
    words.forget();
    this.spoken = null;
  }

  /** The option that a text means is taken. */
  say(text) {
    const option = this.words.find(text);
    if (option === null) throw new SeaSpec.PlayError(`'${short(text)}' is no option there`);
    this.take(option);
  }

  get canUndo() {
    return this.moves.some((move) => move.player !== null);
  }

  /** The last choice is taken back, and all that chance did since. `by`: the last choice of one of these seats. */
  undo(by = null) {
    let last = this.moves.length - 1;
    while (last >= 0 && (this.moves[last].player === null || (by && !by.includes(this.moves[last].player)))) last -= 1;
    if (last >= 0) this.backTo(last);
  }

  /** As it was after so many moves. */
  backTo(count) {
    this.moves.length = count;
    this.states.length = count + 1;
    this.steps.length = count + 1;
    this.spoken = null;
  }

  /** How it ended; null while it goes on. */
  get result() {
    if (!this.isOver) return null;
    const { machine, state } = this;
    const names = (seats) => seats.map((seat) => machine.about.players[seat]);
    const { why } = this.node;
    return {
      winners: names(machine.seats(state, "winners")),
      losers: names(machine.seats(state, "losers")),
      scores: machine.scores(state),
      reason: why ? this.words.sentence(why, []) : "the game is over",
      cites: this.node.cites ?? [],
    };
  }

  // -------------------------------------------------------------------------------------------------- saved plays

  /** The data of a saved play (seaspec/saved.py). */
  saved() {
    const { about } = this.machine;
    const { result } = this;
    return {
      format: "seaspec play",
      version: 1,
      rules: about.rules,
      players: about.players,
      seed: null,
      moves: this.moves.map((move) => (move.player === null
        ? { chance: move.text }
        : { player: about.players[move.player], menu: move.menu, does: move.text })),
      result: result && { winners: result.winners, losers: result.losers, reason: result.reason },
    };
  }

  /** The play that the data tell of. A `PlayError` says what is wrong with them. */
  static of(machine, data) {
    const { about } = machine;
    SeaSpec.settingOf([about.rules], SeaSpec.rulesOfSaved(data));
    if (JSON.stringify(data.players) !== JSON.stringify(about.players)) {
      throw new SeaSpec.PlayError(`it was played by others than ${about.players.join(", ")}`);
    }
    if (!Array.isArray(data.moves)) throw new SeaSpec.PlayError("its moves are missing");
    return SeaSpec.Play.followed(machine, data.moves.map((move) => ({
      isChance: "chance" in Object(move), text: asText(Object(move).chance ?? Object(move).does),
    })));
  }

  /** The play with these moves. */
  static followed(machine, moves, seed) {
    const play = new SeaSpec.Play(machine, seed);
    moves.forEach((move, n) => {
      try {
        if (play.isOver) throw new SeaSpec.PlayError("the game is over by then");
        if (move.isChance !== play.isChance()) {
          throw new SeaSpec.PlayError(move.isChance ? "somebody is asked there" : "chance comes first there");
        }
        play.say(move.text);
      } catch (error) {
        if (!(error instanceof SeaSpec.PlayError || error instanceof SeaSpec.RuleError
          || error instanceof SeaSpec.TooMany)) throw error;
        throw new SeaSpec.PlayError(`move ${n + 1}: ${error.message}`);
      }
    });
    return play;
  }

  // --------------------------------------------------------------------------------------------------------- links

  /** The play in a few characters, for a link: the rules by their fingerprint, the moves by their texts. */
  async linked() {
    const moves = this.moves.map((move) => (move.player === null ? [move.text] : move.text));
    const { name, stack, options, digest } = this.machine.about.rules;
    const data = JSON.stringify({ rules: { name, stack, options, digest }, seed: this.seed, moves });
    const packed = await through(new TextEncoder().encode(data), new CompressionStream("deflate-raw"));
    const text = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(""));
    return text.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  }

  /** The play of what a link holds (`linkData`). A `PlayError` says what is wrong with it. */
  static ofLink(machine, data) {
    SeaSpec.settingOf([machine.about.rules], data.rules);
    const seed = Number.isSafeInteger(data.seed) ? data.seed : undefined;
    return SeaSpec.Play.followed(machine, data.moves.map((move) =>
      ({ isChance: Array.isArray(move), text: asText(Array.isArray(move) ? move[0] : move) })), seed);
  }
};

/** What a link holds: `{rules, seed, moves}`. A `PlayError` if that is no play. */
SeaSpec.linkData = async function (text) {
  let data;
  try {
    const plain = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
    const packed = Uint8Array.from(plain, (sign) => sign.charCodeAt(0));
    const whole = await through(packed, new DecompressionStream("deflate-raw"), SeaSpec.MOST_LINKED);
    data = Object(JSON.parse(new TextDecoder().decode(whole)));
  } catch {
    throw new SeaSpec.PlayError("the link holds no play: was it cut?");
  }
  if (!isPlain(data.rules)) throw new SeaSpec.PlayError("the link holds no rules by which it was played");
  if (!Array.isArray(data.moves)) throw new SeaSpec.PlayError("the link holds no moves");
  return data;
};

/** By which rules the data of a saved play say that it was played. */
SeaSpec.rulesOfSaved = function (data) {
  if (!isPlain(data) || data.format !== "seaspec play") throw new SeaSpec.PlayError("this is no saved play");
  if (data.version !== 1) throw new SeaSpec.PlayError(`version ${short(data.version)} of saved plays is not known here`);
  return isPlain(data.rules) ? data.rules : {};
};

/** The one of several ways to play (`{name, stack, options, digest, label}`) by which a play was played. A `PlayError`
 * says why there is none. */
SeaSpec.settingOf = function (settings, rules) {
  const found = settings.find((one) => one.digest === rules.digest);
  if (found) return found;
  const [{ name, stack, options }] = settings;
  const theirs = short(rules.name ?? "another game");
  if (theirs !== name) throw new SeaSpec.PlayError(`it is a play of ${theirs}, and this is ${name}`);
  const alike = (one) => ["stack", "options"].every((part) => JSON.stringify(one[part]) === JSON.stringify(rules[part]));
  if (settings.some(alike)) throw new SeaSpec.PlayError("it was played by another version of the rules than this one");
  const chapters = (Array.isArray(rules.stack) ? rules.stack : []).filter((chapter) => !stack.includes(chapter));
  const values = Object.entries(isPlain(rules.options) ? rules.options : {}).filter(([key, value]) => options[key] !== value)
    .map(([key, value]) => `${key} = ${short(value)}`);
  const how = [...chapters, ...values].map(short).join(", ") || "other options";
  const here = settings.map((one) => one.label).filter(Boolean).join("; ");
  throw new SeaSpec.PlayError(`it was played with ${how}, and here it can be played ${here ? `with ${here}` : "otherwise"}`);
};

function isPlain(data) {
  return data !== null && typeof data === "object" && !Array.isArray(data);
}

/** What somebody else has written where a text belongs. */
function asText(value) {
  return typeof value === "string" ? value : JSON.stringify(value) ?? "nothing";
}

/** The same for a message. */
function short(value) {
  const told = asText(value);
  return told.length > 60 ? `${told.slice(0, 60)}..` : told;
}

/** Bytes, squeezed or not; an error if that makes more than so many. */
async function through(bytes, stream, most = Infinity) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length;
    if (size > most) {
      await reader.cancel();
      throw new Error("it is too long");
    }
    parts.push(next.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
