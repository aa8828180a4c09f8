// words.js: a position decoded, and its options in words: as saved plays have them (`lay(Card 45, B3)`), and as the
// sentences of the rules.

/** What lies where and what is what, at one position. */
SeaSpec.Table = class {
  constructor(machine, state) {
    this.machine = machine;
    this.about = machine.about;
    this.state = state;
    this.view = new DataView(state.buffer, state.byteOffset);
    const here = machine.here;
    this.where = this.about.pieces.map((_, piece) => this.number(here.where + here.whereSize * piece, here.whereSize));
  }

  number(at, size) {
    switch (size) {
      case 1: return this.view.getUint8(at);
      case 2: return this.view.getUint16(at, true);
      case 4: return this.view.getUint32(at, true);
      default: return Number(this.view.getBigUint64(at, true));
    }
  }

  packed(at, size, shift, optional) {
    const stored = this.number(at, size);
    return optional && stored === 0 ? null : stored - shift;
  }

  /** By slot, the pieces that lie there: of a row in its order, else by their numbers. */
  get lying() {
    if (!this.found) {
      const slots = this.about.places.reduce((sum, place) => sum + place.names.length, 0);
      this.found = Array.from({ length: slots }, () => []);
      this.where.forEach((slot, piece) => this.found[slot].push(piece));
      for (const place of this.about.places.filter((one) => one.order === "row")) {
        place.names.forEach((_, n) => {
          const at = place.offset + n * place.stride;
          this.found[place.slot + n] = Array.from({ length: this.number(at, 2) }, (_, spot) =>
            this.packed(at + 2 + place.size * spot, place.size, place.shift, true));
        });
      }
    }
    return this.found;
  }

  placeOf(slot) {
    return this.about.places.find((place) => slot >= place.slot && slot < place.slot + place.names.length);
  }

  slotName(slot) {
    const place = this.placeOf(slot);
    return place.names[slot - place.slot];
  }

  /** How far from the beginning of its row, or the bottom of its pile, a piece lies. */
  spot(piece) {
    const here = this.machine.here;
    const slot = this.where[piece];
    const order = this.placeOf(slot).order;
    if (order === "row") return this.lying[slot].indexOf(piece);
    return order === "pile" ? this.number(here.order + here.orderSize * piece, here.orderSize) : 0;
  }

  /** The value of an entry of a state. */
  value(state, entry) {
    const at = state.offset + state.stride * entry;
    if (state.maps) return this.maps(state, at);
    const ty = this.about.types[state.type];
    if (state.shift !== undefined) return this.packed(at, state.stride, state.shift, state.optional);
    const words = [];
    for (let byte = 0; byte < state.stride; byte += 8) {
      words.push(state.stride < 8 ? BigInt(this.number(at, state.stride)) : this.view.getBigUint64(at + byte, true));
    }
    return this.machine.values.members(ty, words, 0);
  }

  maps(state, at) {
    const { words, keys, size, shift, optional } = state.maps;
    const members = Array.from({ length: this.number(at, 8) }, (_, member) =>
      Array.from({ length: keys }, (_, key) =>
        this.packed(at + 8 + 8 * words * member + size * key, size, shift, optional)));
    return members.sort((a, b) => {
      const place = a.findIndex((value, n) => value !== b[n]);
      return place < 0 ? 0 : (a[place] ?? -Infinity) - (b[place] ?? -Infinity);
    });
  }

  /** Equal for pieces that nobody can tell apart. */
  key(piece) {
    const twin = this.about.twins[piece];
    if (twin === null) return String(piece);
    const kept = this.about.states.filter((state) => state.kept)
      .map((state) => [state, state.pieces.findIndex((pieces) => pieces[0] === piece)])
      .map(([state, entry]) => (entry < 0 || state.track ? null : this.value(state, entry)));
    return JSON.stringify([twin, this.where[piece], this.spot(piece), kept, this.named.get(piece) ?? []]);
  }

  /** What names pieces that are not told apart by what they are: by piece, where. */
  get named() {
    if (!this.pointed) {
      this.pointed = new Map();
      const point = (piece, where) => {
        if (piece !== null && this.about.twins[piece] !== null) {
          this.pointed.set(piece, [...(this.pointed.get(piece) ?? []), where]);
        }
      };
      this.about.states.forEach((state, number) => {
        if (!this.machine.values.isPiece(state.type)) return;
        state.names.forEach((_, entry) => point(this.value(state, entry), [number, entry]));
      });
      this.about.holding.forEach((held, number) => {
        point(this.packed(held.offset, held.size, held.shift, true), [-1, number]);
      });
    }
    return this.pointed;
  }
};

/** The options and outcomes of a position in words. */
SeaSpec.Words = class {
  constructor(machine, state) {
    this.machine = machine;
    this.about = machine.about;
    this.values = machine.values;
    this.state = state;
    this.table = new SeaSpec.Table(machine, state);
    this.node = machine.node(state);
    this.seat = this.node.kind === "decision" ? machine.decider(state) : null;
  }

  /** As saved plays have it. `nameOf` may hide pieces. */
  text(option, nameOf = (piece) => this.pieceName(piece)) {
    const { values } = this;
    switch (option.kind) {
      case "act": {
        const action = this.about.actions[option.action];
        let shown = action.params.map((param, n) => values.show(option.values[n], param.type, nameOf));
        if (action.asks && option.values[0] === this.seat) shown = shown.slice(1);
        return shown.length ? `${option.action}(${shown.join(", ")})` : option.action;
      }
      case "values":
        return this.node.variables.map((one, n) => values.show(option.values[n], one.type, nameOf)).join(", ");
      case "subset": {
        const of = this.about.types[this.node.variables[0].type].of;
        return `{${SeaSpec.sortedNames(option.values[0].map((one) => values.show(one, of, nameOf))).join(", ")}}`;
      }
      case "share": {
        const map = this.about.types[this.node.variables[0].type];
        const given = option.values[0].map((number, n) =>
          number ? `${number} to ${values.show(map.values[n], map.keys, nameOf)}` : "");
        return given.filter(Boolean).join(", ") || "nothing";
      }
      case "lines": {
        const texts = this.node.lines.map((line) => this.sentence(line, []));
        const [number] = option.values;
        return texts.filter((text) => text === texts[number]).length === 1 ? texts[number] : `line ${number + 1}`;
      }
      case "draw":
        return nameOf(option.values[0]);
      case "throw":
        return option.values.slice(0, -1).join(", ");
      case "pass":
        return "pass";
      default:
        return String(option.values[0]);
    }
  }

  /** What is done by an option in the words of the rules; null if they have no sentence that all may hear. */
  told(option, nameOf = (piece) => this.pieceName(piece)) {
    if (option.kind !== "act") return null;
    const action = this.about.actions[option.action];
    if (!action.sentence || !action.sentence.open || !action.sentence.whole) return null;
    return this.sentence(action.sentence, action.params.map((param, n) => [param.type, option.values[n]]), nameOf);
  }

  /** A sentence with its values. `seen`: by part, whether it is told. */
  sentence(sentence, names, nameOf = null, seen = null) {
    return sentence.parts.map((part, n) => {
      if (typeof part === "string") return part;
      if (seen && !seen(n)) return SeaSpec.UNSEEN;
      let value;
      try {
        [value] = this.machine.ask(this.state, part, names);
      } catch (error) {
        if (!(error instanceof SeaSpec.RuleError)) throw error;
        return sentence.written[n];
      }
      return this.values.show(value, this.about.answers[part].types[0], nameOf);
    }).join("");
  }

  /** The title of a piece, with its place where another piece of that title is another option. */
  pieceName(piece) {
    this.names ??= this.toldApart();
    return this.names.get(piece) ?? this.about.pieces[piece];
  }

  toldApart() {
    const byTitle = new Map();
    for (const piece of this.piecesOffered()) {
      const classes = byTitle.get(this.about.pieces[piece]) ?? new Map();
      byTitle.set(this.about.pieces[piece], classes);
      const key = this.table.key(piece);
      classes.set(key, [...(classes.get(key) ?? []), piece]);
    }
    const names = new Map();
    for (const [title, classes] of byTitle) {
      if (classes.size < 2) continue;
      const placed = [...classes.values()].map((pieces) => `${title} in ${this.place(pieces[0])}`);
      [...classes.values()].forEach((pieces, n) => {
        const isAlone = placed.filter((text) => text === placed[n]).length === 1;
        for (const piece of pieces) names.set(piece, isAlone ? placed[n] : `${placed[n]} #${n + 1}`);
      });
    }
    return names;
  }

  place(piece) {
    const { table } = this;
    const slot = table.where[piece];
    return table.slotName(slot) + (table.placeOf(slot).order === "row" ? ` at ${table.spot(piece) + 1}` : "");
  }

  piecesOffered() {
    const common = this.about.twins.some((twin) => twin !== null);
    if (!common) return [];  // no two pieces have one title and are different things to choose
    let offered;
    try {
      offered = this.listed();
    } catch (error) {
      if (!(error instanceof SeaSpec.TooMany)) throw error;
      return [];  // they go by their titles
    }
    const found = new Set();
    for (const option of offered) for (const piece of this.piecesIn(option)) found.add(piece);
    return [...found].sort((a, b) => a - b);
  }

  /** The options, if they are few enough to be listed. */
  listed(most = 100_000) {
    if (!this.options) {
      const count = this.machine.count(this.state);
      if (count > most) throw new SeaSpec.TooMany(`there are ${count} options here, more than a page can list`);
      this.options = this.machine.options(this.state);
    }
    return this.options;
  }

  /** The position is left: its options are told no more, only what was chosen is. */
  forget() {
    if (this.options) this.names ??= this.toldApart();
    this.options = null;
  }

  /** The pieces that an option names. */
  piecesIn(option) {
    const { values, about, node } = this;
    switch (option.kind) {
      case "act":
        return about.actions[option.action].params
          .map((param, n) => (values.isPiece(param.type) ? option.values[n] : null)).filter((one) => one !== null);
      case "values":
        return node.variables.map((one, n) => (values.isPiece(one.type) ? option.values[n] : null))
          .filter((one) => one !== null);
      case "subset":
        return values.isPiece(about.types[node.variables[0].type].of) ? option.values[0] : [];
      case "share": {
        const map = about.types[node.variables[0].type];
        return values.isPiece(map.keys) ? map.values.filter((_, n) => option.values[0][n]) : [];
      }
      case "draw":
        return option.values;
      default:
        return [];
    }
  }

  /** The option that a text means; null if there is none. */
  find(text) {
    const wanted = SeaSpec.plainText(text);
    return this.listed().find((option) => SeaSpec.plainText(this.text(option)) === wanted) ?? null;
  }

  /** What the question is about, as who is asked may hear it. */
  question() {
    const { question, about } = this.node;
    return question && question.open && question.whole ? this.sentence(question, []) : about;
  }
};

/** Case, spaces and empty brackets do not matter. */
SeaSpec.plainText = function (text) {
  return text.trim().toLowerCase().replace(/\s+/g, " ").replace(/\s*([(){},[\]])\s*/g, "$1").replace(/,/g, ", ")
    .replace(/\(\)$/, "");
};
