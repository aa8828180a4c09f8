// bots.js: who chooses for a seat: at random, or by many random plays (a tree search by upper confidence bounds).
//
// The search goes on from the position as it is, with all that is hidden; the page says so where there are secrets.

SeaSpec.MOST_TRIED = 150;

SeaSpec.randomOption = function (machine, state) {
  return Math.floor(Math.random() * machine.count(state));
};

/** The number of the option that fared best in plays of about so many milliseconds. */
SeaSpec.search = function (machine, state, milliseconds) {
  const root = { plays: 0, ways: new Map() };
  const end = Date.now() + milliseconds;
  let seed = Math.floor(Math.random() * 2 ** 31);
  do {
    playOnce(machine, state, root, (seed += 1));
  } while (Date.now() < end);
  const best = [...root.ways].reduce((a, b) => (b[1].plays > a[1].plays ? b : a));
  return best[0];
};

/** One play from the root: down the tree, one new way, then at random to the end; each seat remembers how it fared. */
function playOnce(machine, start, root, seed) {
  let [state, node] = [start, root];
  const path = [];
  try {
    for (let depth = 0; depth < 40 && !machine.isOver(state); depth++) {
      if (machine.node(state).kind !== "decision") {
        machine.seed(seed, depth);
        state = machine.sample(state);
        continue;
      }
      const count = machine.count(state);
      const [number, isNew] = way(node, count);
      path.push([node, node.ways.get(number), machine.decider(state)]);
      const next = node.ways.get(number);
      state = machine.step(state, number);
      node = next;
      if (isNew) break;
    }
    machine.seed(seed, 1000);
    const last = machine.isOver(state) ? state : machine.playOn(state, 1500);
    const winners = last === null ? [] : machine.seats(last, "winners");
    for (const [from, to, seat] of path) {
      from.plays += 1;
      to.plays += 1;
      to.won += winners.includes(seat) ? 1 / winners.length : 0;
    }
  } catch (error) {
    if (!(error instanceof SeaSpec.RuleError)) throw error;
    for (const [from, to] of path) {
      from.plays += 1;
      to.plays += 1;
    }
  }
}

function way(node, count) {
  const most = Math.min(count, SeaSpec.MOST_TRIED);
  if (node.ways.size < most) {
    let number = count <= SeaSpec.MOST_TRIED ? node.ways.size : Math.floor(Math.random() * count);
    const isNew = !node.ways.has(number);
    if (isNew) node.ways.set(number, { plays: 0, won: 0, ways: new Map() });
    return [number, isNew];
  }
  let [best, most_] = [0, -Infinity];
  for (const [number, next] of node.ways) {
    const worth = number >= count ? -Infinity
      : next.won / (next.plays || 1) + Math.sqrt((1.4 * Math.log(node.plays + 1)) / (next.plays || 1));
    if (worth > most_) [best, most_] = [number, worth];
  }
  return [best, false];
}

/** A thinker in a process of its own, made of this very text; `null` where the browser lets none be made. */
SeaSpec.thinker = function (engine, game) {
  const inside = `${engine}
const SeaSpec = seaspecEngine();
let machine = null;
onmessage = async ({ data }) => {
  try {
    machine = machine ?? await SeaSpec.open(data.game);
    postMessage({ id: data.id, number: SeaSpec.search(machine, data.state, data.milliseconds) });
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
    if (data.fault) fail(new Error(data.fault)); else tell(data.number);
  };
  worker.addEventListener("error", (event) => {
    for (const [, fail] of waiting.values()) fail(new Error(event.message || "no thinker can be made here"));
    waiting.clear();
  });
  return (state, milliseconds) => new Promise((tell, fail) => {
    waiting.set((count += 1), [tell, fail]);
    worker.postMessage({ id: count, game, state, milliseconds });
  });
};
