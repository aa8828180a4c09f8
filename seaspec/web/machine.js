// machine.js: the module of a game, run. Positions are bytes, options are numbered from 0; the module decides everything.
//
// The memory of the module: its constants, the context (errors, what has happened), rows of options, a position,
// arguments, results, a stack. Where what stands is told by `about.memory` (seaspec/web/describe.py).

SeaSpec.RuleError = class extends Error {};
SeaSpec.TooMany = class extends Error {};  // no fault of the rules: something is too big for the page

const STEP = 0n, PLAY = 1n, SAMPLE = 2n;
const GIVEN = 1 << 14, TOLD = 1 << 20, STACK = 1 << 20, BLOCK = 65536;

SeaSpec.unpack = async function (text) {
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
};

/** A game out of a page: `{title, module, about}`, both packed. */
SeaSpec.open = async function (game) {
  const about = JSON.parse(new TextDecoder().decode(await SeaSpec.unpack(game.about)));
  const module = await WebAssembly.compile(await SeaSpec.unpack(game.module));
  return SeaSpec.Machine.of(module, about);
};

SeaSpec.Machine = class {
  static async of(module, about) {
    const here = about.memory;
    const up = (offset, to = 64) => Math.ceil(offset / to) * to;
    const at = { context: up(here.constants) };
    at.rows = up(at.context + here.context);
    at.state = up(at.rows + here.rows);
    at.given = up(at.state + here.state);
    at.told = at.given + GIVEN;
    const size = up(at.told + TOLD + STACK, BLOCK);
    const memory = new WebAssembly.Memory({ initial: size / BLOCK });
    const stack = new WebAssembly.Global({ value: "i32", mutable: true }, size);
    const given = { env: { __linear_memory: memory, __stack_pointer: stack } };
    return new SeaSpec.Machine(module, about, at, memory, await WebAssembly.instantiate(module, given));
  }

  constructor(module, about, at, memory, instance) {
    this.module = module;
    this.about = about;
    this.here = about.memory;
    this.at = at;
    this.values = new SeaSpec.Values(about);
    this.calls = instance.exports;
    this.bytes = new Uint8Array(memory.buffer);
    this.view = new DataView(memory.buffer);
    this.given = new BigInt64Array(memory.buffer, at.given, GIVEN / 8);
    this.told = new BigInt64Array(memory.buffer, at.told, TOLD / 8);
    this.put(this.here.rowsWord, BigInt(at.rows));
    this.first = Uint8Array.from(this.here.initial.match(/../g), (pair) => parseInt(pair, 16));
  }

  word(place) {
    return this.view.getBigInt64(this.at.context + place, true);
  }

  put(place, value) {
    this.view.setBigInt64(this.at.context + place, value, true);
  }

  // ------------------------------------------------------------------------------------------------------- running

  /** The first node. */
  begin() {
    return this.run(this.first, STEP, 0);
  }

  /** The next node after the option or outcome with this number. */
  step(state, number) {
    return this.run(state, STEP, number);
  }

  /** The next node after one at random. */
  sample(state) {
    return this.run(state, SAMPLE, 0);
  }

  /** The end of a random play from here; null if that takes more than so many decisions. */
  playOn(state, limit) {
    const end = this.run(state, PLAY, 0, BigInt(limit + 1));
    return this.isOver(end) ? end : null;
  }

  /** From here on what is drawn at random follows from two numbers. */
  seed(seed, number) {
    this.calls.seed(this.at.context, BigInt(seed), BigInt(number));
  }

  run(state, mode, number, left = 0n) {
    this.lay(state);
    this.put(this.here.left, left);
    this.put(this.here.trace, 0n);
    if (this.calls.run(this.at.state, this.at.context, mode, BigInt(number))) throw this.fault();
    return this.bytes.slice(this.at.state, this.at.state + this.here.state);
  }

  /** A position is laid into the memory of the module, and no error is known. */
  lay(state) {
    this.bytes.set(state, this.at.state);
    for (const place of [this.here.error, this.here.alternative, this.here.fuel, this.here.left]) this.put(place, 0n);
  }

  fault() {
    const number = Number(this.word(this.here.error));
    const message = this.here.messages[number - 1] ?? "the rules fail here";
    return this.here.limits.includes(message) ? new SeaSpec.TooMany(message) : new SeaSpec.RuleError(message);
  }

  /** What happened on the way to the node that was reached last: rows of four numbers. */
  traced() {
    const count = Number(this.word(this.here.trace));
    if (count > this.here.mostTraced) throw new Error("too much has happened in one step to be told");
    const start = this.here.trace + 8;
    return Array.from({ length: count }, (_, row) =>
      Array.from({ length: 4 }, (_, place) => this.word(start + 32 * row + 8 * place)));
  }

  /** The table as it was when a joint choice began. */
  veiled() {
    const found = new Uint8Array(this.here.state);
    const start = this.at.context + this.here.veiled;
    found.set(this.bytes.subarray(start, start + this.here.end));
    return found;
  }

  // --------------------------------------------------------------------------------------------------------- nodes

  block(state) {
    return state[0] | (state[1] << 8);
  }

  node(state) {
    return this.about.nodes[this.block(state)];
  }

  isOver(state) {
    return state[this.here.over] !== 0;
  }

  /** The seat that is asked; null where chance or nobody is. */
  decider(state) {
    this.lay(state);
    const seat = Number(this.calls.decider(this.at.state, this.at.context));
    if (this.word(this.here.error)) throw this.fault();
    return seat < 0 ? null : seat;
  }

  /** How many options or outcomes there are. */
  count(state) {
    this.lay(state);
    const count = Number(this.calls.options(this.at.state, this.at.context));
    if (this.word(this.here.error)) throw this.fault();
    return count;
  }

  /** The options or outcomes from one number to another, without the latter. */
  options(state, from = 0, to = Infinity) {
    const end = Math.min(to, this.count(state));
    const size = this.here.words[this.block(state)];
    const most = Math.floor(this.told.length / size);
    const found = [];
    for (let first = from; first < end; first += most) {
      const last = Math.min(end, first + most);
      this.calls.tell(this.at.state, this.at.context, BigInt(first), BigInt(last), this.at.told);
      for (let n = first; n < last; n++) found.push(this.option(state, n, this.told, (n - first) * size));
    }
    return found;
  }

  /** An option from its words. */
  option(state, number, words, at) {
    const node = this.node(state);
    const [weight, alternative] = [Number(words[at]), Number(words[at + 1])];
    if (alternative < 0) return { number, weight, kind: "pass", action: null, values: [] };
    const action = node.offer === "actions" ? node.actions[alternative] : null;
    const values = [];
    let place = at + 2;
    for (const type of this.kinds(node, action)) {
      values.push(type === null ? Number(words[place]) : this.values.read(words, place, type));
      place += type === null ? 1 : this.values.size(type);
    }
    return { number, weight, kind: action === null ? node.offer ?? node.kind : "act", action, values };
  }

  /** The types of the values of an option; null for a plain number. */
  kinds(node, action) {
    if (action !== null) return this.about.actions[action].params.map((param) => param.type);
    if (node.variables) return node.variables.map((variable) => variable.type);
    return Array(node.kind === "throw" ? node.rolls + 1 : 1).fill(null);
  }

  /** What was taken at random at a position, after it was done. */
  chosen(state) {
    const [block, node, number] = [this.block(state), this.node(state), Number(this.word(this.here.chosen))];
    const words = [1n, 0n];
    if (node.kind === "draw" || node.kind === "roll") return this.option(state, null, [1n, 0n, BigInt(number)], 0);
    if (node.kind === "throw") {
      for (let n = 0; n < node.rolls; n++) words.push(this.word(this.here.totals + 8 * n));
      return this.option(state, null, [...words, BigInt(number)], 0);
    }
    if (node.kind === "chance" && node.offer === "subset") {
      const size = this.here.words[block] - 2;
      for (let n = 0; n < size; n++) words.push(this.word(this.here.taken[block] + 8 * n));
      return this.option(state, null, words, 0);
    }
    return this.options(state, number, number + 1)[0];
  }

  // ----------------------------------------------------------------------------------------------------- questions

  /** The values of a question at a position. `names`: types and values of the names that it is over. */
  ask(state, number, names = []) {
    this.lay(state);
    let at = 0;
    for (const [type, value] of names) at = this.values.write(this.given, at, value, type);
    const answer = this.about.answers[number];
    this.told.fill(0n, 0, answer.words);
    this.calls.ask(this.at.state, this.at.context, BigInt(number), this.at.given, this.at.told);
    if (this.word(this.here.error)) throw this.fault();
    const found = [];
    at = 0;
    for (const type of answer.types) {
      found.push(this.values.read(this.told, at, type));
      at += this.values.size(type);
    }
    return found;
  }

  /** The seats that a position names as winners, as losers, as out of the game. */
  seats(state, what) {
    const mask = new DataView(state.buffer).getBigUint64(this.here[what], true);
    return this.about.players.map((_, seat) => seat).filter((seat) => (mask >> BigInt(seat)) & 1n);
  }

  /** Scores by seat, once the game is over; null if it was not decided by them; of who is out null. */
  scores(state) {
    if (!state[this.here.scored]) return null;
    const view = new DataView(state.buffer);
    return this.about.players.map((_, seat) => {
      const terms = Array.from({ length: this.here.terms }, (_, term) =>
        view.getBigInt64(this.here.scores + 8 * (this.here.terms * seat + term), true));
      const found = terms.filter((value) => value !== SeaSpec.NONE).map(Number);
      return found.length ? found : null;
    });
  }
};
