// bots.js: who chooses for a seat: at random, or by many random plays (a tree search by upper confidence bounds).
//
// A bot knows what its player knows. Where something is hidden it thinks about plays that it supposes (supposing.js),
// never about the true position; where it finds none in time, it chooses at random. What chance will bring is thrown anew
// in each play that it tries.

SeaSpec.MOST_TRIED = 150;
const DEEP = 40, LONG = 1500, MOST_NAMED = 2000;

/** An option at random. */
SeaSpec.anyOption = function ({ machine, state }) {
  const number = Math.floor(Math.random() * machine.count(state));
  return machine.options(state, number, number + 1)[0];
};

/** Bots that think, in one play after another. */
SeaSpec.Mind = class {
  constructor() {
    this.beliefs = new Map();
    this.baffled = 0;
  }

  /** The option that a seat chooses, after so many milliseconds. */
  choose(play, seat, milliseconds) {
    const { machine, state } = play;
    const end = Date.now() + milliseconds;
    if (machine.count(state) === 1) return SeaSpec.anyOption(play);
    let positions = this.positions(play, seat, end - milliseconds / 2);
    if (!positions.length) positions = this.positions(play, seat, end - milliseconds / 8);
    if (!positions.length) {
      this.baffled += 1;
      return SeaSpec.anyOption(play);
    }
    const number = SeaSpec.search(machine, state, positions, end);
    return machine.options(state, number, number + 1)[0];
  }

  /** The positions that a player must hold possible: the true one, if nothing is hidden. */
  positions(play, seat, until) {
    if (!play.machine.about.secrets) return [play.state];
    if (this.machine !== play.machine) this.beliefs.clear();
    this.machine = play.machine;
    if (!this.beliefs.has(seat)) {
      this.beliefs.set(seat, new SeaSpec.Beliefs(play.machine, seat, Math.floor(Math.random() * 2 ** 31)));
    }
    return this.beliefs.get(seat).plays(play, until).map((supposed) => supposed.stand.state);
  }
};

/** The number of the option of `state` that fared best in plays from `positions`, which look the same to who chooses. */
SeaSpec.search = function (machine, state, positions, end) {
  const isGuess = positions[0] !== state;
  const offered = some(named(machine, state, isGuess));
  const roots = positions.map((position) => {
    const theirs = isGuess ? named(machine, position, true) : offered;
    return { position, numbers: new Map([...offered.keys()].map((name) => [name, theirs.get(name)])), nodes: new Map() };
  });
  const ways = new Map([...offered.keys()].map((name) => [name, { plays: 0, there: 0, won: 0 }]));
  let seed = Math.floor(Math.random() * 2 ** 31);
  let n = 0;
  do {
    playOnce(machine, roots[n % roots.length], ways, (seed += 1));
    n += 1;
  } while (Date.now() < end);
  const [best] = [...ways].reduce((a, b) => (b[1].plays > a[1].plays ? b : a));
  return offered.get(best);
};

/** The options of a position by what they are to who chooses: the same in every position that looks the same. */
function named(machine, state, isGuess) {
  if (!isGuess) {
    const count = machine.count(state);
    const isAny = count > 2 * MOST_NAMED;
    return new Map(Array.from({ length: isAny ? MOST_NAMED : count }, (_, n) => {
      const number = isAny ? Math.floor(Math.random() * count) : n;
      return [number, number];
    }));
  }
  const words = new SeaSpec.Words(machine, state);
  const names = new Map();
  for (const option of machine.options(state, 0, MOST_NAMED)) {
    const text = words.text(option);
    if (!names.has(text)) names.set(text, option.number);
  }
  return names;
}

/** So many of them as can be tried. */
function some(names) {
  const left = [...names];
  while (left.length > SeaSpec.MOST_TRIED) left.splice(Math.floor(Math.random() * left.length), 1);
  return new Map(left);
}

/** One play from a root: down the tree, one new way, then at random to the end; each seat remembers how it fared. */
function playOnce(machine, root, ways, seed) {
  const there = [...root.numbers].filter(([, number]) => number !== undefined);
  if (!there.length) return;
  for (const [name] of there) ways.get(name).there += 1;
  const fresh = there.filter(([name]) => ways.get(name).plays === 0);
  const [name, first] = fresh.length
    ? fresh[seed % fresh.length]
    : there.reduce((a, b) => (promise(ways.get(b[0]), ways.get(b[0]).there) > promise(ways.get(a[0]), ways.get(a[0]).there) ? b : a));
  const path = [[null, ways.get(name), machine.decider(root.position)]];
  if (!root.nodes.has(name)) root.nodes.set(name, { plays: 0, ways: new Map() });
  let node = root.nodes.get(name);
  try {
    let state = machine.step(root.position, first);
    for (let depth = 0; depth < DEEP && ways.get(name).plays > 0 && !machine.isOver(state); depth++) {
      if (machine.node(state).kind !== "decision") {
        machine.seed(seed, depth);
        state = machine.sample(state);
        continue;
      }
      const [number, isNew] = wayOn(node, machine.count(state));
      const next = node.ways.get(number);
      path.push([node, next, machine.decider(state)]);
      state = machine.step(state, number);
      node = next;
      if (isNew) break;
    }
    machine.seed(seed, 1000);
    const last = machine.isOver(state) ? state : machine.playOn(state, LONG);
    const winners = last === null ? [] : machine.seats(last, "winners");
    for (const [, to, seat] of path) to.won += winners.includes(seat) ? 1 / winners.length : 0;
  } catch (error) {
    if (!(error instanceof SeaSpec.RuleError)) throw error;  // where the rules fail, nobody wins
  }
  for (const [from, to] of path) {
    if (from) from.plays += 1;
    to.plays += 1;
  }
}

/** How much a way is worth a try, that could be gone so many times. */
function promise(way, times) {
  return way.won / (way.plays || 1) + Math.sqrt((1.4 * Math.log(times + 1)) / (way.plays || 1));
}

/** A way on from a node, and whether it is new. What may be chosen there depends on chance: of numbers that are not there
 * now none is gone. */
function wayOn(node, count) {
  const most = Math.min(count, SeaSpec.MOST_TRIED);
  if (node.ways.size < most) {
    const number = count <= SeaSpec.MOST_TRIED ? node.ways.size : Math.floor(Math.random() * count);
    const isNew = !node.ways.has(number);
    if (isNew) node.ways.set(number, { plays: 0, won: 0, ways: new Map() });
    return [number, isNew];
  }
  const there = [...node.ways].filter(([number]) => number < count);
  if (!there.length) {
    node.ways.set(0, { plays: 0, won: 0, ways: new Map() });
    return [0, true];
  }
  return [there.reduce((a, b) => (promise(b[1], node.plays) > promise(a[1], node.plays) ? b : a))[0], false];
}

/** A thinker in a process of its own, made of this very text; `null` where the browser lets none be made. It is told the
 * moves of a play, and tells the text of an option. */
SeaSpec.thinker = function (engine, game) {
  const inside = `${engine}
const SeaSpec = seaspecEngine();
const mind = new SeaSpec.Mind();
let machine = null;
let play = null;
onmessage = async ({ data }) => {
  try {
    machine = machine ?? await SeaSpec.open(data.game);
    play = SeaSpec.sameAs(play ?? new SeaSpec.Play(machine, 0), data.moves);
    const option = mind.choose(play, data.seat, data.milliseconds);
    postMessage({ id: data.id, text: play.words.text(option), baffled: mind.baffled });
  } catch (error) {
    postMessage({ id: data.id, fault: String(error) });
  }
};`;
  let worker;
  try {
    worker = new Worker(URL.createObjectURL(new Blob([inside], { type: "text/javascript" })));
  } catch {
    return null;
  }
  const waiting = new Map();
  let count = 0;
  worker.onmessage = ({ data }) => {
    const [tell, fail] = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.fault) fail(new Error(data.fault));
    else tell(data.text);
    think.baffled = data.baffled;
  };
  worker.addEventListener("error", (event) => {
    for (const [, fail] of waiting.values()) fail(new Error(event.message || "no thinker can be made here"));
    waiting.clear();
  });
  const think = (play, seat, milliseconds) => new Promise((tell, fail) => {
    waiting.set((count += 1), [tell, fail]);
    const moves = play.moves.map((move) => move.text);
    worker.postMessage({ id: count, game: count === 1 ? game : null, moves, seat, milliseconds });
  });
  think.baffled = 0;  // how often nothing could be supposed in time
  think.end = () => worker.terminate();
  return think;
};

/** A play that has gone as far as these moves: what they share is kept. */
SeaSpec.sameAs = function (play, moves) {
  let n = 0;
  while (n < Math.min(moves.length, play.moves.length) && play.moves[n].text === moves[n]) n += 1;
  play.backTo(n);
  for (const text of moves.slice(n)) play.say(text);
  return play;
};
