// picture.js: what a position shows, as marks in cells and lines beside the boards; the same as seaspec/drawing/picture.py
// and lines.py make. How things look and what they are called is told by `about.scene` (seaspec/web/scene.py).

/** The boards, pictures, dials, what lies beside them and states in lines, of what somebody sees. */
SeaSpec.picture = function (about, seen) {
  const { scene } = about;
  const grounds = (kind) => scene.grounds.filter((ground) => ground.kind === kind);
  return {
    boards: grounds("board").map((board) => boardPicture(about, board, seen)),
    free: grounds("picture").map((drawn) => freePicture(about, drawn, seen)),
    dials: dials(about, seen),
    places: lying(about, seen),
    states: stateLines(about, seen),
  };
};

const mark = (shape, sign, meaning, more = {}) => {
  const found = { shape, sign, meaning, owner: null, who: "", heading: null, pips: null, flags: [], numbers: [], tint: "", word: "", ...more };
  found.name = found.who + found.sign;
  found.key = JSON.stringify([shape, sign, meaning, found.owner, found.who, found.heading, found.pips, found.flags, found.numbers, found.tint, found.word]);
  return found;
};

function boardPicture(about, board, seen) {
  const cells = board.cells.map((_, cell) => marksOf(about, board, seen, cell));
  const rows = board.rows.map(([name, numbers]) => [name, numbers.map((cell) => (cell === null ? null : cells[cell]))]);
  return { name: board.name, columns: board.columns, rows, pips: board.pips, marks: rows.flatMap(([, row]) => row.flatMap((cell) => cell ?? [])) };
}

function marksOf(about, board, seen, cell) {
  const name = board.cells[cell];
  const found = [];
  for (const place of board.places) {
    if (`${place}[${name}]` in seen.places) found.push(...pieceMarks(about, board, seen, `${place}[${name}]`));
  }
  for (const number of board.states) {
    const state = about.scene.states[number];
    const shown = seen.states[`${state.name}[${name}]`];
    if (shown !== undefined) found.push(...stateMarks(about, state, shown, cellEntry(about, number, name)));
  }
  const letter = board.letters[cell];
  if (letter !== undefined && letter !== ".") found.push(mark("ground", letter, board.meanings[letter]));
  for (const number of board.homes) {
    about.players.forEach((player, seat) => {
      if (seen.states[`${about.scene.states[number].name}[${player}]`] === name) {
        found.push(mark("ground", about.scene.initials[seat], null, { owner: seat }));
      }
    });
  }
  return found;
}

function cellEntry(about, number, name) {
  return about.states[number].names.indexOf(`${about.scene.states[number].name}[${name}]`);
}

const firstOf = (state, entry) => (Array.isArray(state.first) ? state.first[entry] : state.first);

function pieceMarks(about, ground, seen, where) {
  const there = seen.places[where];
  if (there.contents === null) return Array.from({ length: there.size ?? 0 }, () => mark("back", "?", "unseen"));
  const states = statesThere(seen.states, where, there.contents);
  return there.contents.map((title, n) => (title in ground.looks ? pieceMark(about, ground, title, states[n]) : mark("card", title, null)));
}

/** The states, and by the plain names of pieces those of the copies that lie there: for each of them in turn. Of copies
 * that differ in one state alone each has a value of it; if they differ in several, none of these is told. */
function statesThere(states, where, titles) {
  const ending = ` in ${where}`;
  const here = Object.keys(states).filter((name) => name.endsWith(ending)).map((name) => [name.slice(0, -ending.length), states[name]]);
  const number = counted(titles);
  const met = new Map();
  return titles.map((title) => {
    const own = here.filter(([name]) => name.endsWith(`[${title}]`));
    if (!own.length) return states;
    const found = { ...states };
    const listed = own.map(([name, text]) => [name, text.split(", ")]).filter(([, values]) => values.length === number.get(title));
    const mixed = listed.filter(([, values]) => new Set(values).size > 1);
    const at = met.get(title) ?? 0;
    met.set(title, at + 1);
    for (const [name, text] of own) found[name] = text;
    for (const [name, values] of listed) found[name] = values[at];
    if (mixed.length > 1) for (const [name] of mixed) delete found[name];
    return found;
  });
}

function pieceMark(about, ground, title, states) {
  const look = ground.looks[title];
  const now = look.owner === undefined ? undefined : states[`${look.owner}[${title}]`];
  const owner = about.players.includes(now) ? about.players.indexOf(now) : look.seat;
  let [who, sign] = [look.who, look.what];
  if (owner !== null && look.what !== title) {
    who = about.scene.initials[owner];
    sign = look.who === "" || look.who === who ? look.what : look.who.toLowerCase() + look.what;
  }
  const printed = look.printed ?? { heading: null, pips: null, numbers: [], tint: "", meaning: "" };
  const shape = look.shape ? look.shape : look.heading ? "hull" : owner !== null && ground.headings ? "wall" : "card";
  let heading = printed.heading;
  if (look.heading) {
    const [state, values] = look.heading;
    const place = values.indexOf(states[`${state}[${title}]`]);
    heading = place < 0 ? null : place * Math.floor(8 / values.length);
  }
  let pips = printed.pips;
  if (look.pips) {
    pips = null;
    const [state, isAlways, first] = look.pips;
    const value = states[`${state}[${title}]`];
    if (value !== undefined && (isAlways || value !== first)) pips = Number(value);
  }
  const changed = (of) => of.map(([state, first]) => [state.replace(/_/g, " "), states[`${state}[${title}]`], first])
    .filter(([, value, first]) => value !== undefined && value !== first);
  const meaning = (/^\d+$/.test(sign) && !who) || sign === title ? null : title;
  return mark(shape, sign, meaning, {
    owner, who, heading, pips,
    flags: changed(look.flags).map(([state, value]) => (value === "yes" ? state : `not ${state}`)),
    numbers: [...printed.numbers, ...changed(look.numbers).map(([state, value]) => [value, state])],
    ...tintOf(look, printed, title, states),
  });
}

/** The colour of its own that a piece has now, and the word for which it stands. */
function tintOf(look, printed, title, states) {
  if (!look.tinted) return { tint: printed.tint, word: printed.meaning };
  const [state, colours] = look.tinted;
  const now = states[`${state}[${title}]`];
  return now in colours ? { tint: colours[now], word: now } : { tint: "", word: "" };
}

/** A piece without a name, by what is printed on it; null if its author says nothing of its looks. */
function printedMark(about, title) {
  const found = about.scene.printed[title];
  if (!found) return null;
  const { shape, seat, heading, pips, tint, meaning } = found;
  return mark(shape, "", null, { owner: seat, heading, pips, tint, word: meaning });
}

/** The value of a state of a cell, unless it is nothing to speak of. */
function stateMarks(about, state, shown, entry) {
  if (state.fixed ? shown !== "no" && shown !== "none" : shown !== firstOf(state, entry)) return [markOfValue(about, state, shown)];
  return [];
}

function markOfValue(about, state, shown) {
  const shape = state.fixed ? "ground" : "value";
  const letter = [...state.name][0];
  if (state.kind === "yes or no") {
    return shown === "yes" ? mark(shape, letter, state.plain) : mark(shape, `-${letter}`, `not ${state.plain}`);
  }
  if (state.kind !== "word" || !(shown in state.signs)) return mark(shape, shown, /^\d+$/.test(shown) ? null : state.name);
  const sign = state.signs[shown];
  return mark(shape, sign, sign === shown ? null : shown, { owner: state.players ? about.players.indexOf(shown) : null });
}

function freePicture(about, drawn, seen) {
  const spots = drawn.spots.map((spot) => ({ ...spot, marks: marksAt(about, drawn, seen, spot) }));
  return { title: drawn.title, rows: drawn.rows, spots, marks: spots.flatMap((spot) => spot.marks) };
}

/** What is at a spot: what lies there, and what is said to stand there. */
function marksAt(about, drawn, seen, spot) {
  const found = [];
  for (const thing of spot.shows) {
    if (thing.place !== undefined) {
      if (thing.place in seen.places) found.push(...pieceMarks(about, drawn, seen, thing.place));
      continue;
    }
    const state = about.scene.states[thing.state];
    const shown = seen.states[about.states[thing.state].names[thing.entry]];
    if (shown === undefined) continue;
    if (thing.is_number && shown !== "none") found.push(markOfValue(about, state, shown));
    else found.push(...stateMarks(about, state, shown, thing.entry));
  }
  for (const { state, entries } of drawn.standing) {
    about.states[state].names.forEach((name, entry) => {
      if (seen.states[name] !== spot.name) return;
      const who = entries[entry];
      if (who.piece !== undefined) found.push(pieceMark(about, drawn, who.piece, seen.states));
      else if (who.seat !== undefined) {
        found.push(mark("card", "", about.players[who.seat], { owner: who.seat, who: about.scene.initials[who.seat] }));
      } else found.push(mark("card", who.sign, who.meaning));
    });
  }
  return found;
}

function dials(about, seen) {
  const found = [];
  about.places.forEach((place, number) => {
    const { dials: headings, titles } = about.scene.places[number];
    const there = seen.places[place.name];
    if (!headings || !there || (there.contents ?? []).length !== 1) return;
    const [title] = there.contents;
    if (title in headings) found.push({ place: titles ? titles[0] : place.name, title, heading: headings[title] });
  });
  return found;
}

// ------------------------------------------------------------------------------------------------- beside the boards

function lying(about, seen) {
  const found = [];
  about.places.forEach((place, number) => {
    const called = about.scene.places[number];
    if (!called.beside) return;
    const there = place.names.map((name, n) => [n, seen.places[name]]).filter(([, one]) => one !== undefined);
    const unseen = there.filter(([, one]) => one.contents === null && called.keys === 1 && one.size !== null)
      .map(([n, one]) => [called.indices[n], one.size]);
    if (unseen.length > 1) found.push({ name: called.plain, cards: [], names: [], unseen });
    for (const [n, one] of there) {
      const name = called.titles[n];
      if (one.contents !== null && one.contents.length) {
        const cards = cardsOf(place, one.contents);
        const alike = `${called.alike} `;
        const names = cards.map(([title]) => (title.startsWith(alike) ? title.slice(alike.length) : title));
        found.push({ name, cards, names, unseen: [] });
      } else if (one.contents === null && one.size && unseen.length < 2) {
        found.push({ name, cards: [], names: [], unseen: [["", one.size]] });
      }
    }
  });
  return found;
}

/** What lies there; equal pieces are counted, unless their order matters. */
function cardsOf(place, titles) {
  return place.order === "row" ? titles.map((title) => [title, 1]) : [...counted(titles)];
}

function counted(items) {
  const found = new Map();
  for (const item of items) found.set(item, (found.get(item) ?? 0) + 1);
  return found;
}

function stateLines(about, seen) {
  const found = [];
  about.states.forEach((state, number) => {
    const called = about.scene.states[number];
    if (!called.beside) return;
    const shown = state.names.map((name, entry) => [entry, seen.states[name]]).filter(([, text]) => text !== undefined);
    if (!called.indices[0]) {
      const text = seen.states[state.name];
      const isQuiet = text === "none" || (called.counter && !called.fixed && text === firstOf(called, 0));
      if (text !== undefined && !isQuiet) found.push([called.titles[0], text === "yes" ? [] : [text]]);
      return;
    }
    const told = shown.filter(([entry, text]) => text !== firstOf(called, entry));
    if (called.of_players) {
      if (told.length || (shown.length && called.fixed)) {
        found.push([called.plain, shown.map(([entry, text]) => `${called.indices[entry]} ${text}`)]);
      }
      return;
    }
    const byValue = new Map();
    for (const [entry, text] of told) byValue.set(text, [...(byValue.get(text) ?? []), called.indices[entry]]);
    for (const [text, indices] of byValue) found.push([called.plain + (text === "yes" ? "" : ` ${text}`), indices]);
  });
  return found;
}

/** The cell that a slot is drawn in, as `Board B3`; null if it lies beside the boards. */
SeaSpec.cellOfSlot = function (about, slotName) {
  for (const ground of about.scene.grounds.filter((one) => one.kind === "board")) {
    const place = ground.places.find((name) => slotName.startsWith(`${name}[`));
    if (place) return `${ground.name} ${slotName.slice(place.length + 1, -1)}`;
  }
  for (const ground of about.scene.grounds.filter((one) => one.kind === "picture")) {
    const spot = ground.spots.find((one) => one.shows.some((thing) => thing.place === slotName));
    if (spot && ground.board) return `${ground.board} ${spot.name}`;
  }
  return null;
};
