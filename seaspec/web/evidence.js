// evidence.js: what a player has come to know in a play: the measure by which another play looks the same to this player.
//
// It is for the page what seaspec/bots/evidence.py is for the command line: the lines of the log in the order in which the
// player heard them, and the table as the player saw it where the play rested. Nothing else of the true play is kept, so
// whatever is made of the evidence can not depend on what is hidden. Pieces are told apart by title alone, as in a view.

SeaSpec.MOST_COMPARED = 500;  // of more options, the number alone is compared

/** The slot of a piece. */
SeaSpec.slotOf = function (machine, state, piece) {
  const { where, whereSize } = machine.here;
  let slot = 0;
  for (let byte = whereSize - 1; byte >= 0; byte--) slot = slot * 256 + state[where + whereSize * piece + byte];
  return slot;
};

/** The eyes of one player: what they see of a position, and hear of what happens. */
SeaSpec.Eyes = class {
  constructor(machine, seat) {
    this.machine = machine;
    this.about = machine.about;
    this.seat = seat;
    this.sight = new SeaSpec.Sight(machine);
    const numbers = new Map([...new Set(this.about.pieces)].map((title, number) => [title, number]));
    this.labels = this.about.pieces.map((title) => numbers.get(title));
    const shown = this.about.states.filter((state) => !state.track);
    this.plain = shown.filter((state) => state.sight === "all" && !state.maps && !this.namesPieces(state.type));
    this.others = shown.filter((state) => !this.plain.includes(state));
  }

  namesPieces(type) {
    const ty = this.about.types[type];
    return ty.kind === "piece" || (ty.of !== undefined && this.namesPieces(ty.of))
      || (ty.keys !== undefined && this.namesPieces(ty.keys));
  }

  sees(state, thing, instance) {
    return this.sight.seers(state, thing, instance).includes(this.seat);
  }

  /** Who is asked, if the player knows that somebody is. */
  asked(state, isVeiled) {
    const node = this.machine.node(state);
    if (node.kind !== "decision") return null;
    const decider = this.machine.decider(state);
    return decider !== this.seat && (node.secretly || isVeiled) ? null : decider;
  }

  /** All that the player sees where the play rests, as one text. */
  glimpse(state, attention) {
    const { machine } = this;
    const isOver = machine.isOver(state);
    const isVeiled = attention.before !== null && !isOver;
    const shown = isVeiled ? attention.before : state;
    const table = new SeaSpec.Table(machine, shown);
    const asked = this.asked(state, isVeiled);
    const found = [asked, asked === null ? null : machine.node(state).menu, isOver];
    for (const place of this.about.places) {
      const isSeenBox = place.box && this.seesAllOutside(shown, table);
      place.names.forEach((_, n) => {
        const lying = table.lying[place.slot + n];
        if (!lying.length && !place.uncounted) found.push(0);
        else if (place.box ? isSeenBox : this.sees(shown, place, n)) {
          const labels = lying.map((piece) => this.labels[piece]);
          found.push(place.order === "row" ? labels : labels.sort((a, b) => a - b));
        } else found.push(place.uncounted ? null : lying.length);
      });
    }
    for (const { offset, stride, names } of this.plain) {
      found.push(String.fromCharCode(...shown.subarray(offset, offset + stride * names.length)));
    }
    for (const one of this.others) {
      one.names.forEach((_, entry) => {
        found.push(this.sees(shown, one, entry) ? machine.values.show(table.value(one, entry), one.type) : SeaSpec.UNSEEN);
      });
    }
    if (!isOver && machine.decider(state) === this.seat) found.push(this.offered(state));
    return JSON.stringify(found);
  }

  /** Whether the player sees whatever lies outside the box, and so knows what is in it. */
  seesAllOutside(state, table) {
    return this.about.places.every((place) => place.box
      || place.names.every((_, n) => !table.lying[place.slot + n].length || this.sees(state, place, n)));
  }

  /** The options, pieces by their titles. */
  offered(state) {
    const { machine } = this;
    let count;
    try {
      count = machine.count(state);
    } catch (error) {
      if (!(error instanceof SeaSpec.TooMany)) throw error;
      return SeaSpec.UNSEEN;
    }
    if (count > SeaSpec.MOST_COMPARED) return count;
    const words = new SeaSpec.Words(machine, state);
    return machine.options(state).map((option) => words.text(option, (piece) => this.about.pieces[piece])).sort();
  }

  lines(events) {
    return events.map((event) => SeaSpec.eventText(this.machine, event, this.seat)).filter((text) => text !== null);
  }

  /** The places into which the player does not see. */
  hiddenSlots(state) {
    const found = new Set();
    const isBoxSeen = this.seesAllOutside(state, new SeaSpec.Table(this.machine, state));
    for (const place of this.about.places) {
      place.names.forEach((_, n) => {
        if (place.box ? !isBoxSeen : !this.sees(state, place, n)) found.add(place.slot + n);
      });
    }
    return found;
  }

  /** Whether two pieces lie in one place, and in a row or pile in no order: nobody can tell which is which. */
  together(state, one, other) {
    const slot = SeaSpec.slotOf(this.machine, state, one);
    if (SeaSpec.slotOf(this.machine, state, other) !== slot) return false;
    const { order } = this.about.places.find((place) => slot >= place.slot && slot < place.slot + place.names.length);
    if (order !== "pile") return order !== "row";
    const table = new SeaSpec.Table(this.machine, state);
    return table.spot(one) === table.spot(other);
  }

  /** Whether the player may not notice that the play rests here. */
  isVague(state, attention) {
    const node = this.machine.node(state);
    if (node.kind === "decision") return this.asked(state, attention.before !== null) === null;
    if (node.kind === "draw") return attention.isVeiled || node.uncounted;
    return SeaSpec.isChance(node) && attention.isVeiled;
  }
};

/** All that a player knows of a play. It grows with the play; of one that was taken back a new one is made.
 *
 * `stops`: by number of lines heard, `{glimpse, vague}`. `known`: the answers known by now, by whose they were (`turn`).
 * `wanted`: at a step that begins after so many lines, which pieces (labels) are then known to have lain in which slots. */
SeaSpec.Evidence = class {
  constructor(eyes) {
    this.eyes = eyes;
    this.lines = [];
    this.stops = new Map();
    this.known = new Map();
    this.wanted = new Map();
    this.count = 0;
    this.last = null;
    this.attention = new SeaSpec.Attention();
    this.answered = new Map();
    this.waiting = [];
    this.heard = new Set();
  }

  static turn(count, who, nth) {
    return `${count} ${who} ${nth}`;
  }

  /** Whether a play is the one that this is evidence of, perhaps later. */
  isOf(play) {
    return this.count === 0 || play.steps[this.count - 1] === this.last;
  }

  follow(play) {
    for (; this.count < play.steps.length; this.count++) {
      this.last = play.steps[this.count];
      this.step(this.count ? play.states[this.count - 1] : null, play.states[this.count], this.last.events);
    }
  }

  step(before, after, events) {
    const { eyes } = this;
    const begun = this.lines.length;
    const heard = this.attention.after(events, eyes.seat);
    this.lines.push(...eyes.lines(heard));
    for (const event of heard) this.heard.add(event);
    if (before !== null) {
      const who = eyes.machine.decider(before);
      const first = events.find((event) => ["answered", "happened", "moved"].includes(event.kind));
      const nth = this.answered.get(`${begun} ${who}`) ?? 0;
      if (first) this.waiting.push({ turn: SeaSpec.Evidence.turn(begun, who, nth), before, event: first });
      this.answered.set(`${begun} ${who}`, nth + 1);
      if (!this.wanted.has(begun)) this.wanted.set(begun, this.lain(events.filter((event) => heard.includes(event))));
    }
    const vague = eyes.isVague(after, this.attention);
    this.stops.set(this.lines.length, { glimpse: eyes.glimpse(after, this.attention), vague });
    this.waiting = this.waiting.filter(({ turn, before: at, event }) => {
      if (!this.heard.has(event)) return true;
      const known = this.knownOf(at, event);
      if (known !== null) this.known.set(turn, known);
      return false;
    });
  }

  isShown(event) {
    return event.leaving.includes(this.eyes.seat) || event.coming.includes(this.eyes.seat);
  }

  /** Label and slot of each piece that was seen to go from a place. */
  lain(heard) {
    const found = [];
    const moved = new Set();
    for (const event of heard.filter((one) => one.kind === "moved")) {
      const place = this.placeOf(event.origin);
      if ((!place.uncounted || event.leaving.includes(this.eyes.seat)) && this.isShown(event)) {
        for (const piece of event.pieces) if (!moved.has(piece)) found.push([this.eyes.labels[piece], event.origin]);
      }
      for (const piece of event.pieces) moved.add(piece);
    }
    return found;
  }

  placeOf(slot) {
    return this.eyes.about.places.find((place) => slot >= place.slot && slot < place.slot + place.names.length);
  }

  /** The answer that an event tells of, and the pieces in it with label and slot (null: any); null if the player does not
   * know all of it. */
  knownOf(before, event) {
    const { eyes } = this;
    if (event.kind === "moved") {
      if (!SeaSpec.isChance(eyes.machine.node(before)) || !this.isShown(event)) return null;
      const [piece] = event.pieces;
      return { answer: { kind: "draw", action: null, values: [piece] }, pieces: [[piece, eyes.labels[piece], null]] };
    }
    const isKnown = event.kind === "answered"
      ? event.player === eyes.seat || !event.hidden
      : event.seer === null || event.seer === eyes.seat;
    if (!isKnown) return null;
    const pieces = event.words.piecesIn(event.option);
    if (!pieces.every((piece) => event.shown[eyes.seat].has(piece))) return null;
    const told = pieces.map((piece) => {
      const slot = SeaSpec.slotOf(eyes.machine, before, piece);
      const isAnywhere = this.placeOf(slot).uncounted && !eyes.sight.slot(before, slot).includes(eyes.seat);
      return [piece, eyes.labels[piece], isAnywhere ? null : slot];
    });
    return { answer: event.option, pieces: told };
  }
};
