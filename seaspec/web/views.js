// views.js: what happens as events, and what a player sees: places, states, the log. What the module noted on the way is
// all that is used; who sees what was settled by it when it happened.

SeaSpec.Sight = class {
  constructor(machine) {
    this.machine = machine;
    this.about = machine.about;
    this.all = this.about.players.map((_, seat) => seat);
    this.settled = new Map();
  }

  /** The seats that see an instance of a place or state, now. */
  seers(state, thing, instance) {
    const { sight } = thing;
    if (sight === "all") return this.all;
    if (sight === "nobody") return [];
    const [found] = this.machine.ask(state, sight.ask, sight.keys[instance].map((value, n) => [sight.types[n], value]));
    return found === null ? [] : Array.isArray(found) ? found : [found];
  }

  /** The same of a slot; its answer is kept while the position stays. */
  slot(state, slot) {
    const place = this.about.places.find((one) => slot >= one.slot && slot < one.slot + one.names.length);
    return this.seers(state, place, slot - place.slot);
  }
};

/** From what was noted on the way to events. `before`: the position before it, null at the beginning. */
SeaSpec.events = function (machine, sight, before, after, rows) {
  const { about } = machine;
  const table = new SeaSpec.Table(machine, before ?? after);
  const where = before ? [...table.where] : null;
  const whereFirst = where ?? firstWhere(new SeaSpec.Table(machine, after).where, rows);
  const seats = (mask) => sight.all.filter((seat) => (BigInt.asUintN(64, mask) >> BigInt(seat)) & 1n);
  const node = before ? machine.node(before) : null;
  let isBlind = node !== null && node.kind === "draw";
  let watched = null;
  let carried = new Map();
  const found = [];
  for (let n = 0; n < rows.length; n++) {
    const [kind, first, second, third] = rows[n];
    switch (Number(kind)) {
      case 1: {
        const [piece, origin] = [Number(first), Number(second)];
        const fromBox = table.placeOf(origin).box;
        let leaving = watched ?? sight.slot(before ?? after, origin);
        if (isBlind && fromBox) leaving = [];
        isBlind = false;
        watched = null;
        const group = carried.get(origin) ?? { pieces: [], leaving };
        group.pieces.push(piece);
        carried.set(origin, group);
        whereFirst[piece] = Number(third);
        break;
      }
      case 2: {
        const text = about.said[Number(first)];
        const words = [];
        while (n + 1 < rows.length && Number(rows[n + 1][0]) === 9) words.push(rows[++n][1]);
        found.push({ kind: "said", text: saidText(machine, text, words), audience: seats(second) });
        break;
      }
      case 3: {
        const slot = Number(first);
        const lying = whereFirst.map((_, piece) => piece).filter((piece) => whereFirst[piece] === slot);
        found.push({ kind: "shown", slot, pieces: lying, audience: seats(second) });
        break;
      }
      case 4:
        found.push({ kind: "veiled", player: first < 0n ? null : Number(first), before: first < 0n ? machine.veiled() : null });
        break;
      case 5:
        found.push({ kind: "unveiled" });
        break;
      case 6:
        found.push({ kind: "out", player: Number(first) });
        break;
      case 7:
        watched = first < 0n ? null : seats(first);
        break;
      case 8: {
        const target = Number(first);
        const coming = second < 0n ? sight.slot(after, target) : seats(second);
        for (const [origin, { pieces, leaving }] of carried) {
          found.push({ kind: "moved", pieces, origin, target, leaving, coming });
        }
        carried = new Map();
        break;
      }
    }
  }
  return found;
};

/** Where each piece lay before all moves, told backwards. */
function firstWhere(where, rows) {
  const found = [...where];
  for (const [kind, piece, origin] of [...rows].reverse()) {
    if (Number(kind) === 1) found[Number(piece)] = Number(origin);
  }
  return found;
}

function saidText(machine, text, words) {
  let at = 0;
  return text.map((part) => {
    if (typeof part === "string") return part;
    const value = machine.values.read(words, at, part.type);
    at += machine.values.size(part.type);
    return machine.values.show(value, part.type);
  }).join("");
}

/** The event of an answer or outcome. It shows a piece also to those who saw it move on the way. */
SeaSpec.answered = function (machine, sight, words, option, events) {
  const { node, table, state } = words;
  if (node.kind === "draw") return [];
  const pieces = words.piecesIn(option);
  const shown = sight.all.map((seat) => new Set(pieces.filter((piece) => sight.slot(state, table.where[piece]).includes(seat))));
  for (const event of events.filter((one) => one.kind === "moved")) {
    for (const seat of new Set([...event.leaving, ...event.coming])) {
      for (const piece of event.pieces) shown[seat].add(piece);
    }
  }
  if (node.kind === "decision") {
    return [{ kind: "answered", player: words.seat, option, words, hidden: node.hidden, unnoticed: node.secretly, shown }];
  }
  let seer = null;
  if (node.seer !== undefined && node.seer !== null) [seer] = machine.ask(state, node.seer);
  return [{ kind: "happened", option, words, seer, shown }];
};

/** A line of the log as a player sees it; null if the player does not notice the event at all. `told`: acts are told in
 * the sentences of the rules. */
SeaSpec.eventText = function (machine, event, seat, told = false) {
  const { about } = machine;
  const names = about.players;
  const namer = (shown) => (piece) => (shown.has(piece) ? about.pieces[piece] : SeaSpec.UNSEEN);
  const slotName = (slot) => {
    const place = about.places.find((one) => slot >= one.slot && slot < one.slot + one.names.length);
    return [place, place.names[slot - place.slot]];
  };
  switch (event.kind) {
    case "answered": {
      if (event.player !== seat && event.unnoticed) return null;
      if (event.player !== seat && event.hidden) return `${names[event.player]} chooses`;
      const name = namer(event.shown[seat]);
      const sentence = told ? event.words.told(event.option, name) : null;
      return sentence ?? `${names[event.player]}: ${event.words.text(event.option, name)}`;
    }
    case "happened":
      if (event.seer !== null && event.seer !== seat) {
        return event.words.node.kind === "roll"
          ? `${names[event.seer]} rolls in secret`
          : `chance chooses, and ${names[event.seer]} alone sees it`;
      }
      return `chance: ${event.words.text(event.option, namer(event.shown[seat]))}`;
    case "said":
      return event.audience.includes(seat) ? event.text : null;
    case "shown": {
      const titles = SeaSpec.sortedNames(event.pieces.map((piece) => about.pieces[piece]));
      return event.audience.includes(seat) ? `${slotName(event.slot)[1]} is shown: ${titles.join(", ") || "nothing"}` : null;
    }
    case "out":
      return `${names[event.player]} drops out`;
    case "moved": {
      const ends = [[event.origin, event.leaving], [event.target, event.coming]].map(([slot, seers]) => {
        const [place, name] = slotName(slot);
        return place.uncounted && !seers.includes(seat) ? SeaSpec.UNSEEN : name;
      });
      if (ends[0] === SeaSpec.UNSEEN && ends[1] === SeaSpec.UNSEEN) return null;
      const isSeen = event.leaving.includes(seat) || event.coming.includes(seat);
      const what = isSeen
        ? SeaSpec.sortedNames(event.pieces.map((piece) => about.pieces[piece]))
        : event.pieces.map(() => SeaSpec.UNSEEN);
      if (told) return movedText(about, event, ends, what.join(", "));
      return `${what.join(", ")}: ${ends[0]} -> ${ends[1]}`;
    }
    default:
      return null;
  }
};

/** A move in words: `Card 7 goes from the deck to the hand of Ann`, `Boat 1 comes to B3`. */
function movedText(about, event, ends, what) {
  const names = [event.origin, event.target].map((slot, n) => {
    const number = about.places.findIndex((one) => slot >= one.slot && slot < one.slot + one.names.length);
    const place = about.places[number];
    if (ends[n] === SeaSpec.UNSEEN) return "somewhere";
    if (place.box) return null;
    const cell = SeaSpec.cellOfSlot(about, ends[n]);
    return cell ? cell.slice(cell.indexOf(" ") + 1) : (about.scene.places[number].titles ?? place.names)[slot - place.slot];
  });
  const who = event.pieces.length > 1 ? ["go", "come"] : ["goes", "comes"];
  const shown = what.split(SeaSpec.UNSEEN).length - 1;
  const subject = shown === event.pieces.length ? (shown === 1 ? "a hidden piece" : `${shown} hidden pieces`) : what;
  if (names[0] === null) return `${subject} ${who[1]} to ${names[1] ?? "the box"}`;
  return `${subject} ${who[0]} from ${names[0]} to ${names[1] ?? "the box"}`;
}

/** What a player attends to: events in the order in which he comes to know of them. */
SeaSpec.Attention = class {
  constructor() {
    this.before = null;
    this.isVeiled = false;
    this.owner = null;
    this.waiting = [];
  }

  copy() {
    return Object.assign(new SeaSpec.Attention(), this, { waiting: [...this.waiting] });
  }

  /** What is heard of a step. */
  after(events, seat) {
    const heard = [];
    for (const event of events) {
      if (event.kind === "veiled") {
        this.before ??= event.before;
        this.isVeiled = true;
        this.owner = event.player;
      } else if (event.kind === "unveiled") {
        heard.push(...this.waiting);
        this.before = null;
        this.isVeiled = false;
        this.owner = null;
        this.waiting = [];
      } else if (this.isVeiled && this.owner !== seat && !(event.kind === "answered" && event.player === seat)) {
        this.waiting.push(event);
      } else {
        heard.push(event);
      }
    }
    return heard;
  }
};

/** What a player sees: `{places, states, log, asked, menu, over, options}`; places and states by their names. */
SeaSpec.view = function (play, seat, told = false) {
  const { machine, sight, state } = play;
  const isOver = machine.isOver(state);
  const { attention, lines } = heardBy(play, seat, told);
  const late = (isOver ? attention.waiting : []).map((event) => SeaSpec.eventText(machine, event, seat, told));
  const before = isOver ? null : attention.before;
  const seen = SeaSpec.seen(machine, sight, before ?? state, seat);
  const node = machine.node(state);
  const decider = machine.decider(state);
  const isUnknown = node.kind !== "decision" || (decider !== seat && (node.secretly || before !== null));
  return {
    ...seen,
    log: [...lines, ...late.filter((text) => text !== null)],
    asked: isUnknown || decider === null ? null : machine.about.players[decider],
    menu: isUnknown ? null : node.menu,
    over: isOver,
    options: !isUnknown && decider === seat ? machine.count(state) : 0,
  };
};

/** What a seat has heard so far. It is kept with the play, so that a long one is not told anew at each move. */
function heardBy(play, seat, told) {
  play.heard ??= new Map();
  const key = `${seat} ${told}`;
  let known = play.heard.get(key);
  if (!known || play.steps[known.count - 1] !== known.last) {  // nothing yet, or moves were taken back
    known = { count: 0, last: undefined, attention: new SeaSpec.Attention(), lines: [] };
    play.heard.set(key, known);
  }
  for (; known.count < play.steps.length; known.count++) {
    known.last = play.steps[known.count];
    for (const event of known.attention.after(known.last.events, seat)) {
      const text = SeaSpec.eventText(play.machine, event, seat, told);
      if (text !== null) known.lines.push(text);
    }
  }
  return known;
}

/** Places and states as a seat sees them. */
SeaSpec.seen = function (machine, sight, state, seat) {
  const { about } = machine;
  const table = new SeaSpec.Table(machine, state);
  const sees = (thing, instance) => sight.seers(state, thing, instance).includes(seat);
  const places = {};
  const inBox = () => about.places.every((place) => place.box || place.names.every((_, n) =>
    table.lying[place.slot + n].length === 0 || sees(place, n)));
  for (const place of about.places) {
    place.names.forEach((name, n) => {
      const lying = table.lying[place.slot + n];
      const isSeen = place.box ? inBox() : sees(place, n);
      const titles = lying.map((piece) => about.pieces[piece]);
      places[name] = {
        contents: isSeen ? (place.order === "row" ? titles : SeaSpec.sortedNames(titles)) : null,
        size: isSeen || !place.uncounted ? lying.length : null,
      };
    });
  }
  const found = new Map();
  for (const one of about.states.filter((thing) => !thing.track)) {
    one.names.forEach((name, entry) => {
      if (!sees(one, entry)) return;
      const slots = (one.pieces?.[entry] ?? []).filter((piece) => about.twins[piece] !== null)
        .map((piece) => table.where[piece]).filter((slot) => sight.slot(state, slot).includes(seat));
      const where = slots.length ? ` in ${slots.map((slot) => table.slotName(slot)).join(" and ")}` : "";
      const wheres = found.get(name) ?? new Map();
      found.set(name, wheres);
      const value = machine.values.show(table.value(one, entry), one.type);
      wheres.set(where, [...(wheres.get(where) ?? []), value]);
    });
  }
  const states = {};
  for (const [name, wheres] of found) {
    for (const where of [...wheres.keys()].sort()) states[name + where] = [...wheres.get(where)].sort().join(", ");
  }
  return { places, states };
};
