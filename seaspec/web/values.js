// values.js: values as the module has them (words of 64 bits), as the page has them, and as people say them.
//
// A single value is a number, or null for none; yes and no are 1 and 0. A set is an array of values, in order; a map is
// an array with an entry for each key. `types` is the list of types that seaspec/web/values.py writes.

SeaSpec.NONE = -(1n << 63n);
SeaSpec.UNSEEN = "?";

SeaSpec.Values = class {
  constructor(about) {
    this.about = about;
    this.types = about.types;
  }

  /** The words that a value of a type takes. */
  size(type) {
    return type === null ? 1 : this.types[type].words ?? 1;
  }

  /** The value that begins at a word. */
  read(words, at, type) {
    const ty = this.types[type];
    switch (ty.kind) {
      case "set":
        return this.members(ty, words, at);
      case "row":
        return Array.from({ length: Number(words[at]) }, (_, n) => plain(words[at + 1 + n]));
      case "map":
        return Array.from({ length: ty.words }, (_, n) => plain(words[at + n]));
      default:
        return plain(words[at]);
    }
  }

  /** The members of a set, of whose words each bit stands for a value. */
  members(ty, words, at) {
    const found = [];
    for (let place = 0; place < ty.width; place++) {
      if ((words[at + (place >> 6)] >> BigInt(place & 63)) & 1n) found.push(this.member(ty, place));
    }
    return found;
  }

  member(ty, place) {
    return ty.optional && place === 0 ? null : place - ty.shift;
  }

  /** Puts a value into words (type null: a plain number); where the next one goes. */
  write(words, at, value, type) {
    const ty = type === null ? {} : this.types[type];
    if (ty.kind === "set") {
      for (let word = 0; word < ty.words; word++) words[at + word] = 0n;
      for (const member of value) {
        const place = member === null ? 0 : member + ty.shift;
        words[at + (place >> 6)] = BigInt.asIntN(64, words[at + (place >> 6)] | (1n << BigInt(place & 63)));
      }
    } else if (ty.kind === "map") {
      value.forEach((entry, n) => { words[at + n] = word(entry); });
    } else {
      words[at] = word(value);
    }
    return at + this.size(type);
  }

  /** A value as people say it: `Ann`, `B3`, `Card 45`, `{1, 2}`, `yes`, `none`. `nameOf`: what pieces are called. */
  show(value, type, nameOf = null) {
    if (value === null) return "none";
    const ty = this.types[type];
    switch (ty.kind) {
      case "yes or no":
        return value ? "yes" : "no";
      case "word":
        return ty.names[value];
      case "cell":
        return this.about.boards[ty.board][value];
      case "border":
        return `border ${value} of ${ty.board}`;
      case "piece":
        return nameOf ? nameOf(value) : this.about.pieces[value];
      case "maybe":
        return this.show(value, ty.of, nameOf);
      case "set":
      case "row":
        return `{${value.map((member) => this.show(member, ty.of, nameOf)).join(", ")}}`;
      case "map":
        return `[${value.map((member) => this.show(member, ty.of, nameOf)).join(", ")}]`;
      default:
        return String(value);
    }
  }

  /** The type without `or none`. */
  inner(type) {
    const ty = this.types[type];
    return ty.kind === "maybe" ? this.types[ty.of] : ty;
  }

  isPiece(type) {
    return this.inner(type).kind === "piece";
  }
};

function plain(word) {
  return word === SeaSpec.NONE ? null : Number(word);
}

function word(value) {
  return value === null ? SeaSpec.NONE : BigInt(value);
}

/** Texts by words and numbers: `Card 7` before `Card 12`. */
SeaSpec.sortedNames = function (names) {
  const keys = new Map(names.map((name) => [name, name.split(/(\d+)/)]));
  const compare = (a, b) => {
    const [x, y] = [keys.get(a), keys.get(b)];
    for (let n = 0; n < Math.min(x.length, y.length); n++) {
      if (x[n] === y[n]) continue;
      const [p, q] = [/^\d+$/.test(x[n]), /^\d+$/.test(y[n])];
      if (p !== q) return p ? -1 : 1;
      if (p && Number(x[n]) !== Number(y[n])) return Number(x[n]) - Number(y[n]);
      if (!p) return x[n] < y[n] ? -1 : 1;
    }
    return x.length - y.length;
  };
  return [...names].sort(compare);
};
