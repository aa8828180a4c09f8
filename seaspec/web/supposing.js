// supposing.js: plays that a player must hold possible: what bots think about where something is hidden from them.
//
// A supposed play is another play of the same game that has looked the same to a player all along: the same lines of the
// log, the same table wherever the play rested, the same options. It is made of the evidence alone, step by step: what
// the player knows of an answer is followed, what is hidden is drawn at random. If a draw turns out to be wrong, two
// pieces change roles from where they last lay together, or a hidden answer is changed, and the play is run again from
// there. seaspec/bots/supposing.py tells it in full; this is the same, in as much time as there is.

SeaSpec.SUPPOSED = 6;  // plays that are supposed at a time
const STIRS = 2, TRIED = 64, EXCHANGES = 24, REPAIRS = 30, RESTARTS = 20, QUIET = 1000, MOST_SOUGHT = 5000;

class TimeIsUp extends Error {}

/** Numbers at random from a seed: from 0, below 1. */
SeaSpec.randomFrom = function (seed) {
  let at = seed >>> 0;
  return () => {
    at = (at + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(at ^ (at >>> 15), at | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

SeaSpec.Supposing = class {
  constructor(eyes, evidence, random, until) {
    this.eyes = eyes;
    this.machine = eyes.machine;
    this.evidence = evidence;
    this.random = random;
    this.until = until;
    this.byLabel = new Map();
    eyes.labels.forEach((label, piece) => this.byLabel.set(label, [...(this.byLabel.get(label) ?? []), piece]));
  }

  any(list) {
    return list[Math.floor(this.random() * list.length)];
  }

  shuffled(list) {
    const found = [...list];
    for (let n = found.length - 1; n > 0; n--) {
      const other = Math.floor(this.random() * (n + 1));
      [found[n], found[other]] = [found[other], found[n]];
    }
    return found;
  }

  // ------------------------------------------------------------------------------------------------------- growing

  begin() {
    const { machine } = this;
    const state = machine.begin();
    const stand = this.stand(null, state, SeaSpec.events(machine, this.eyes.sight, null, state, machine.traced()));
    return stand && { steps: [], stand };
  }

  /** A play goes on to where the evidence ends; null if that was not managed in time. */
  grow(supposed) {
    this.far = supposed;
    try {
      for (let n = 0; n < RESTARTS; n++) {
        const found = this.grown(this.far ?? this.begin());
        if (found) return found;
        this.far = null;
      }
    } catch (error) {
      if (!(error instanceof TimeIsUp)) throw error;
    }
    return null;
  }

  grown(given) {
    let supposed = given;
    let isFresh = supposed !== null && !this.isOwn(supposed.stand);
    while (supposed) {
      const { stand } = supposed;
      if (this.isOwn(stand) && isFresh) {
        for (let n = 0; n < STIRS; n++) supposed = this.changed(supposed) ?? supposed;
      }
      this.far = supposed;
      const now = supposed.stand;
      if (now.count === this.evidence.lines.length && now.agrees && this.isOwn(now)) return supposed;
      if (now.since.length > QUIET) return null;
      supposed = this.extended(supposed, true) ?? this.repaired(supposed);
      isFresh = true;
    }
    return null;
  }

  isOwn(stand) {
    return this.machine.decider(stand.state) === this.eyes.seat;
  }

  /** One step more, if there is one that agrees with the evidence. */
  extended(supposed, isStrict) {
    for (const [answer, hidden] of this.candidates(supposed.stand, isStrict)) {
      const stand = this.stepped(supposed.stand, answer);
      if (stand) {
        const weight = hidden ? this.weight(supposed.stand, answer) : 0;
        return { steps: [...supposed.steps, { stand: supposed.stand, answer, hidden, weight }], stand };
      }
    }
    return null;
  }

  /** Where an answer leads; null if that does not look like the evidence. */
  stepped(stand, answer) {
    if (Date.now() > this.until) throw new TimeIsUp();
    try {
      const words = new SeaSpec.Words(this.machine, stand.state);
      const { after, events } = SeaSpec.taken(this.machine, this.eyes.sight, words, answer);
      return this.stand(stand, after, events);
    } catch (error) {
      if (error instanceof SeaSpec.RuleError || error instanceof SeaSpec.TooMany) return null;
      throw error;
    }
  }

  stand(before, state, events) {
    const { eyes, evidence, machine } = this;
    if (machine.isOver(state)) return null;
    const attention = before ? before.attention.copy() : new SeaSpec.Attention();
    const lines = eyes.lines(attention.after(events, eyes.seat));
    const begun = before ? before.count : 0;
    const count = begun + lines.length;
    if (lines.some((line, n) => line !== evidence.lines[begun + n])) return null;
    if (lines.length && before) {
      for (let passed = begun + 1; passed < count; passed++) if (evidence.stops.get(passed)?.vague === false) return null;
      if (evidence.stops.has(begun) && !before.agrees) return null;
    }
    const stop = evidence.stops.get(count);
    const agrees = stop !== undefined && eyes.glimpse(state, attention) === stop.glimpse;
    if (!agrees && !eyes.isVague(state, attention)) return null;
    const since = !before || lines.length ? [] : [...before.since, machine.decider(before.state)];
    return { state, attention, count, since, agrees };
  }

  // ---------------------------------------------------------------------------------------------------- candidates

  /** Answers to be tried at a step, and whether the player does not know them. */
  *candidates(stand, isStrict) {
    const { machine } = this;
    const { state } = stand;
    const known = this.known(stand);
    if (known && known.answer.kind === "draw") {
      for (const option of this.drawable(stand, known, isStrict)) yield [option, false];
    } else if (known) {
      for (const option of this.counterparts(stand, known)) yield [option, false];
    } else if (SeaSpec.isChance(machine.node(state))) {
      const tries = machine.node(state).kind === "draw" ? 1 : TRIED;
      for (let n = 0; n < tries; n++) yield [this.outcome(state), true];
    } else {
      const count = machine.count(state);
      const numbers = count <= 10 * TRIED
        ? this.shuffled(Array(count).keys()).slice(0, TRIED)
        : new Set(Array.from({ length: TRIED }, () => Math.floor(this.random() * count)));
      for (const number of numbers) yield [machine.options(state, number, number + 1)[0], true];
    }
  }

  known(stand) {
    const who = this.machine.decider(stand.state);
    const nth = stand.since.filter((one) => one === who).length;
    return this.evidence.known.get(SeaSpec.Evidence.turn(stand.count, who, nth)) ?? null;
  }

  /** The answers that are the same to the player: with pieces of the same titles in the same places. */
  *counterparts(stand, known) {
    const { state } = stand;
    const among = known.pieces.map(([, label, slot]) =>
      this.byLabel.get(label).filter((piece) => slot === null || SeaSpec.slotOf(this.machine, state, piece) === slot));
    const wanted = new Set(known.pieces.map(([piece]) => piece)).size;
    let tries = TRIED;
    for (const chosen of choices(among)) {
      if ((tries -= 1) < 0) return;
      if (new Set(chosen).size < wanted) continue;
      const names = new Map(known.pieces.map(([piece], n) => [piece, chosen[n]]));
      const option = this.legal(state, renamed(this.machine, state, known.answer, names));
      if (option) yield option;
    }
  }

  /** The option, or outcome, of a position with these values; null if there is none. */
  legal(state, answer) {
    const { machine } = this;
    const key = keyOf(answer);
    const count = machine.count(state);
    const guess = answer.number;
    if (typeof guess === "number" && guess < count) {
      const [option] = machine.options(state, guess, guess + 1);
      if (keyOf(option) === key) return option;
    }
    if (count > MOST_SOUGHT) return null;
    return machine.options(state).find((option) => keyOf(option) === key) ?? null;
  }

  /** Pieces of the title that was drawn. Strictly: one of those that are hidden, if it can be drawn at all. */
  drawable(stand, known, isStrict) {
    const { state } = stand;
    if (this.machine.node(state).kind !== "draw") return [];
    const [[, label]] = known.pieces;
    const there = this.machine.options(state).filter((option) => this.eyes.labels[option.values[0]] === label);
    if (!isStrict) return this.shuffled(there);
    const hidden = this.eyes.hiddenSlots(state);
    const drawn = new Map(there.map((option) => [option.values[0], option]));
    const pool = this.byLabel.get(label)
      .filter((piece) => drawn.has(piece) || hidden.has(SeaSpec.slotOf(this.machine, state, piece)));
    const option = drawn.get(this.any(pool));
    return option ? [option] : [];
  }

  /** An outcome of chance, as likely as it is; of very many, any. */
  outcome(state) {
    const { machine } = this;
    const count = machine.count(state);
    if (count > MOST_SOUGHT) {
      const number = Math.floor(this.random() * count);
      return machine.options(state, number, number + 1)[0];
    }
    const outcomes = machine.options(state);
    let left = this.random() * outcomes.reduce((sum, one) => sum + one.weight, 0);
    return outcomes.find((one) => (left -= one.weight) < 0) ?? outcomes[outcomes.length - 1];
  }

  /** The logarithm of how likely a hidden answer or outcome is. */
  weight(stand, answer) {
    const { machine } = this;
    const count = machine.count(stand.state);
    if (!SeaSpec.isChance(machine.node(stand.state)) || count > MOST_SOUGHT) return -Math.log(count);
    const whole = machine.options(stand.state).reduce((sum, one) => sum + one.weight, 0);
    return Math.log(answer.weight / whole);
  }

  // ------------------------------------------------------------------------------------------------------- changes

  /** The play with other answers from a step on, if it looks the same. */
  again(supposed, first, answers) {
    let { stand } = supposed.steps[first];
    const steps = supposed.steps.slice(0, first);
    for (const answer of answers) {
      const known = this.known(stand);
      let found = null;
      for (const option of this.ways(stand, answer, known)) {
        const after = this.stepped(stand, option);
        if (after) {
          found = [option, after];
          break;
        }
      }
      if (found === null) return null;
      const [option, after] = found;
      steps.push({ stand, answer: option, hidden: !known, weight: known ? 0 : this.weight(stand, option) });
      stand = after;
    }
    return { steps, stand };
  }

  *ways(stand, answer, known) {
    const option = this.legal(stand.state, answer);
    if (option) yield option;
    if (known && known.answer.kind !== "draw") yield* this.counterparts(stand, known);
  }

  /** The play with two pieces in each other's place from a step on, up to which they lay together. */
  exchanged(supposed, one, other, since) {
    const names = new Map([[one, other], [other, one]]);
    const answers = supposed.steps.slice(since).map(({ stand, answer }) => renamed(this.machine, stand.state, answer, names));
    return this.again(supposed, since, answers);
  }

  /** The steps at which two pieces, that nobody could tell apart by where they lay, were parted; latest first. */
  partings(supposed, one, other) {
    const found = [];
    let isApart = true;
    for (let number = supposed.steps.length - 1; number >= 0; number--) {
      const isTogether = this.eyes.together(supposed.steps[number].stand.state, one, other);
      if (isTogether && isApart) found.push(number);
      isApart = !isTogether;
    }
    return found;
  }

  /** A random change, if it looks the same and is accepted: pieces exchanged, or a hidden answer drawn anew. */
  changed(supposed) {
    const { machine } = this;
    const choosable = hiddenChoices(supposed);
    const pieces = this.hiddenPieces(supposed.stand);
    let found;
    let drawn = null;  // a step whose answer is drawn as likely as it weighs: that counts once
    if (pieces.length > 1 && (!choosable.length || this.random() < 0.5)) {
      const [one, other] = this.shuffled(pieces);
      const partings = this.eyes.labels[one] === this.eyes.labels[other] ? [] : this.partings(supposed, one, other);
      if (!partings.length) return null;
      found = this.exchanged(supposed, one, other, this.any(partings));
    } else if (choosable.length) {
      drawn = this.any(choosable);
      const { state } = supposed.steps[drawn].stand;
      const number = Math.floor(this.random() * machine.count(state));
      const answer = SeaSpec.isChance(machine.node(state)) ? this.outcome(state) : machine.options(state, number, number + 1)[0];
      found = this.again(supposed, drawn, [answer, ...supposed.steps.slice(drawn + 1).map((taken) => taken.answer)]);
    } else return null;
    if (!found || !this.standsLike(found.stand, supposed.stand)) return null;
    let gain = weightOf(found) - weightOf(supposed);
    if (drawn !== null) gain -= found.steps[drawn].weight - supposed.steps[drawn].weight;
    if (choosable.length && pieces.length < 2) gain += Math.log(choosable.length / Math.max(1, hiddenChoices(found).length));
    return gain >= 0 || this.random() < Math.exp(gain) ? found : null;
  }

  /** Whether two plays are at the same point; a hidden question may have come up in one of them alone. */
  standsLike(stand, other) {
    return stand.count === other.count && stand.agrees === other.agrees
      && this.machine.decider(stand.state) === this.machine.decider(other.state);
  }

  hiddenPieces(stand) {
    const slots = this.eyes.hiddenSlots(stand.state);
    return this.eyes.labels.map((_, piece) => piece)
      .filter((piece) => slots.has(SeaSpec.slotOf(this.machine, stand.state, piece)));
  }

  // ------------------------------------------------------------------------------------------------------- repairs

  /** Change something earlier so that the play goes on by one step. */
  repaired(given) {
    let supposed = given;
    let found = this.brought(supposed) ?? this.extended(supposed, false);
    for (let n = 0; n < REPAIRS && !found; n++) {
      const other = this.changed(supposed);
      if (other) {
        supposed = other;
        found = this.extended(supposed, false);
      }
    }
    return found;
  }

  /** Pieces that were seen to come from somewhere are brought there by exchanges, one after another. */
  brought(given) {
    let supposed = given;
    let missing = this.missing(supposed.stand);
    while (missing.length) {
      let found = null;
      let tries = EXCHANGES;
      for (const [one, other, since] of this.exchanges(supposed, missing[0])) {
        if ((tries -= 1) < 0) break;
        const moved = this.exchanged(supposed, one, other, since);
        if (!moved) continue;
        const further = this.extended(moved, false);  // the piece that was brought is drawn
        if (further) return further;
        if (this.missing(moved.stand).length < missing.length) found = moved;
      }
      if (!found) return null;
      supposed = found;
      missing = this.missing(supposed.stand);
    }
    return null;
  }

  /** Which pieces may be exchanged, and since when, so that a piece is where it is missing. */
  *exchanges(supposed, { label, among, others }) {
    const hidden = this.eyes.hiddenSlots(supposed.stand.state);
    const ones = this.byLabel.get(label).filter((piece) => !among.includes(piece)
      && hidden.has(SeaSpec.slotOf(this.machine, supposed.stand.state, piece)));
    for (const one of this.shuffled(ones)) {
      for (const other of this.shuffled(others)) {
        for (const since of this.partings(supposed, one, other)) yield [one, other, since];
      }
    }
  }

  /** What should lie in a certain place for the next step to be as it was seen, and does not: a piece of this `label` is
   * wanted `among` these, and may come instead of one of the `others`. */
  missing(stand) {
    const { machine } = this;
    const { labels } = this.eyes;
    if (SeaSpec.isChance(machine.node(stand.state))) {
      const known = this.known(stand);
      if (!known || machine.node(stand.state).kind !== "draw") return [];
      const pieces = machine.options(stand.state).map((option) => option.values[0]);
      return [{ label: known.pieces[0][1], among: pieces, others: pieces }];
    }
    const counts = new Map();
    const wanted = this.evidence.wanted.get(stand.count) ?? [];
    for (const pair of wanted) counts.set(String(pair), (counts.get(String(pair)) ?? 0) + 1);
    const found = [];
    for (const [pair, number] of counts) {
      const [label, slot] = pair.split(",").map(Number);
      const there = labels.map((_, piece) => piece).filter((piece) => SeaSpec.slotOf(machine, stand.state, piece) === slot);
      if (there.filter((piece) => labels[piece] === label).length < number) {
        const others = there.filter((piece) => !counts.has(String([labels[piece], slot])));
        found.push({ label, among: there, others });
      }
    }
    return found;
  }
};

/** The steps whose answers are hidden, draws aside (there pieces are exchanged). */
function hiddenChoices(supposed) {
  return [...supposed.steps.keys()].filter((n) => supposed.steps[n].hidden && supposed.steps[n].answer.kind !== "draw");
}

function weightOf(supposed) {
  return supposed.steps.reduce((sum, taken) => sum + taken.weight, 0);
}

function keyOf(option) {
  return JSON.stringify([option.kind, option.action, option.values]);
}

/** All ways to choose one of each list. */
function* choices(lists, first = 0) {
  if (first === lists.length) {
    yield [];
    return;
  }
  for (const one of lists[first]) for (const rest of choices(lists, first + 1)) yield [one, ...rest];
}

/** An answer with each piece replaced by the one it is mapped to. */
function renamed(machine, state, answer, names) {
  const { values } = machine;
  if (answer.kind === "pass") return answer;
  if (answer.kind === "draw") return { ...answer, values: answer.values.map((piece) => names.get(piece) ?? piece) };
  const kinds = machine.kinds(machine.node(state), answer.action);
  return { ...answer, values: answer.values.map((value, n) => renamedValue(values.types, value, kinds[n], names)) };
}

function renamedValue(types, value, type, names) {
  if (value === null || type === null || type === undefined) return value;
  const ty = types[type];
  switch (ty.kind) {
    case "piece":
      return names.get(value) ?? value;
    case "maybe":
      return renamedValue(types, value, ty.of, names);
    case "row":
      return value.map((member) => renamedValue(types, member, ty.of, names));
    case "set":
      return value.map((member) => renamedValue(types, member, ty.of, names)).sort((a, b) => (a ?? -1) - (b ?? -1));
    case "map": {
      const moved = new Map(ty.values.map((key, n) =>
        [renamedValue(types, key, ty.keys, names), renamedValue(types, value[n], ty.of, names)]));
      return ty.values.map((key, n) => (moved.has(key) ? moved.get(key) : value[n]));
    }
    default:
      return value;
  }
}

/** The plays that one player supposes, while a play goes on. */
SeaSpec.Beliefs = class {
  constructor(machine, seat, seed, size = SeaSpec.SUPPOSED) {
    this.eyes = new SeaSpec.Eyes(machine, seat);
    this.seed = seed;
    this.size = size;
    this.evidence = null;
  }

  /** Plays that end where the true one rests, at a decision of the player; fewer than asked for, if time is short. */
  plays(play, until) {
    if (!this.evidence?.isOf(play)) {
      this.evidence = new SeaSpec.Evidence(this.eyes);
      this.randoms = Array.from({ length: this.size }, (_, n) => SeaSpec.randomFrom(this.seed + 7919 * n));
      this.far = Array(this.size).fill(null);
    }
    this.evidence.follow(play);
    const found = [];
    const begun = Date.now();
    for (let n = 0; n < this.size; n++) {
      const own = begun + ((until - begun) * (n + 1)) / this.size;  // what one does not need is left to those after it
      const supposing = new SeaSpec.Supposing(this.eyes, this.evidence, this.randoms[n], own);
      const supposed = supposing.grow(this.far[n]);
      this.far[n] = supposed ?? supposing.far;
      if (supposed) found.push(supposed);
    }
    return found;
  }
};
