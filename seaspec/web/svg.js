// svg.js: a picture in SVG, to the letter the one that seaspec/drawing/svg.py draws (with svg_marks.py, svg_pictures.py
// and what they take of text_cells.py and text_pictures.py). Colours are told by `about.scene`; what lies in a cell is drawn by
// marks.js.

const CELL = 48, MARGIN = 32, LINE = 17, LEAST_WIDTH = 420, WIDE = 10, HIGH = 22;
const PAPER = "#fbfaf6", PLAIN = "#dce8f0", GRID = "#ffffff", FAINT = "#52606d", INK = "#1f2933", NOBODY = "#6b7785";
const GROUNDS = ["#e8d9ae", "#c5dcbf", "#f0cdbb", "#d5cbe8", "#bfe0df", "#dedede", "#f3e3a0", "#c9d3e6"];
const STYLE = [
  `text { font-family: 'DejaVu Sans', Verdana, sans-serif; font-size: 12px; fill: ${INK} }`,
  `.edge { font-size: 11px; fill: ${FAINT}; text-anchor: middle }`,
  ".head { font-size: 19px; font-weight: bold }",
  ".mid { text-anchor: middle }",
  ".bold { font-weight: bold; text-anchor: middle }",
  ".clear { paint-order: stroke; stroke: #ffffff; stroke-width: 3.5px; stroke-linejoin: round }",
  ".end { text-anchor: end }",
].join(" ");
const DEFS = '<path id="hull" d="M0,-20C4,-13 8,-6 8,2C8,8 7,13 5.5,17L-5.5,17C-7,13 -8,8 -8,2C-8,-6 -4,-13 0,-20z"/>'
  + '<pattern id="back" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
  + '<rect width="6" height="6" fill="#7c8da6"/><rect width="2.5" height="6" fill="#65768f"/></pattern>';

const escapeHtml = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;")
  .replace(/"/g, "&quot;").replace(/'/g, "&#x27;");
const length = (text) => [...text].length;
const compareTexts = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** The picture alone, as `draw_svg` gives it. */
SeaSpec.drawSvg = (about, seen, title) => SeaSpec.draw(about, seen, title).svg;

/** The picture, how wide it is, and where cells lie in it: `{svg, width, spots: [{key, x, y, w, h}]}`. */
SeaSpec.draw = function (about, seen, title = "") {
  const { paints } = about.scene;
  const paint = (one) => (one.tint ? painted(about.scene.pale, one.tint) : one.owner === null ? [NOBODY, "#ffffff", "#ffffff"] : paints[one.owner]);
  const drawn = SeaSpec.picture(about, seen);
  const width = Math.max(LEAST_WIDTH, ...drawn.boards.map((board) => board.columns.length * CELL + 2 * MARGIN),
    ...drawn.free.map((free) => sizeOf(free)[0] + 2 * MARGIN));
  const body = [], spots = [];
  let top = 8;
  if (title || drawn.dials.length) {
    body.push(...heading(title, drawn.dials, width));
    top += drawn.dials.length ? 72 : 30;
  }
  for (const board of drawn.boards) {
    const left = Math.floor((width - board.columns.length * CELL) / 2);
    body.push(`<g transform="translate(${left},${top + 24})">`, ...boardSvg(about, paint, board), "</g>");
    for (const [name, x, y] of cellsOf(board)) {
      spots.push({ key: `${board.name} ${name}`, x: left + x, y: top + 24 + y, w: CELL, h: CELL });
    }
    top += board.rows.length * CELL + 54;
  }
  drawn.free.forEach((free, number) => {
    const [wide, high] = sizeOf(free);
    const left = Math.floor((width - wide) / 2);
    body.push(`<g transform="translate(${left},${top + 24})">`, ...freeSvg(paint, free), "</g>");
    const { board } = about.scene.grounds.filter((ground) => ground.kind === "picture")[number];
    for (const spot of free.spots) {
      const [from, to] = [Math.min(spot.column, spot.room[0]), Math.max(spot.column + length(spot.name), Math.min(spot.room[1], spot.column + 6))];
      spots.push({ key: `${board} ${spot.name}`, x: left + from * WIDE - 2, y: top + 24 + (free.title ? HIGH : 0) + spot.row * HIGH - 16,
        w: (to - from) * WIDE + 4, h: HIGH - 1 });
    }
    top += high + 30;
  });
  const [keys, end] = keySvg(about, paint, drawn, width, top + 6);
  body.push(...keys);
  const [cards, below] = placesSvg(about, paint, drawn.places.filter((place) => place.cards.length <= MOST_CARDS), width, end);
  body.push(...cards);
  top = below;
  for (const line of linesOf(drawn, Math.floor((width - MARGIN) / 7))) {
    top += LINE;
    const left = Math.floor(MARGIN / 2) + (line.startsWith(" ") ? 16 : 0);
    body.push(`<text x="${left}" y="${top}">${escapeHtml(line.trim())}</text>`);
  }
  const height = top + LINE;
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    ...(title ? [`<title>${escapeHtml(title)}</title>`] : []),
    `<style>${STYLE}</style>`,
    `<defs>${DEFS}</defs>`,
    `<rect width="100%" height="100%" fill="${PAPER}"/>`,
    ...body,
    "</svg>\n",
  ].join("\n");
  return { svg, width, spots };
};

function heading(title, dials, width) {
  const found = title ? [`<text x="${Math.floor(MARGIN / 2)}" y="30" class="head">${escapeHtml(title)}</text>`] : [];
  dials.forEach((dial, number) => {
    const x = width - 46 - 220 * number;
    found.push(`<circle cx="${x}" cy="44" r="30" fill="${PLAIN}" stroke="${FAINT}"/>`);
    for (let turn = 0; turn < 360; turn += 45) {
      found.push(`<path d="M0,-30v4" transform="translate(${x},44) rotate(${turn})" stroke="${FAINT}"/>`);
    }
    const arrow = "M0,-23 8,-9 2.5,-9 2.5,21 -2.5,21 -2.5,-9 -8,-9z";
    found.push(`<path d="${arrow}" transform="translate(${x},44) rotate(${45 * dial.heading})" fill="${INK}"/>`);
    found.push(`<text x="${x - 40}" y="40" class="end">${escapeHtml(dial.place)}</text>`);
    found.push(`<text x="${x - 40}" y="56" class="end" style="font-weight:bold">${escapeHtml(dial.title)}</text>`);
  });
  return found;
}

// ----------------------------------------------------------------------------------------------------------- boards

/** Each cell: its name, where it lies in the board, its marks. */
function cellsOf(board) {
  return board.rows.flatMap(([number, cells], row) => cells.flatMap((cell, column) =>
    (cell === null ? [] : [[board.columns[column] + number, column * CELL, row * CELL, cell]])));
}

const groundOf = (cell) => cell.filter((one) => one.shape === "ground" && one.owner === null).map((one) => one.sign).join("");
const upperOf = (cell) => cell.filter((one) => one.shape !== "ground");

/** A colour for each ground, the first for what there is most of. */
function fillsOf(board) {
  const found = counted(cellsOf(board).map(([, , , cell]) => groundOf(cell)).filter(Boolean));
  const most = [...found].sort(([, a], [, b]) => b - a);
  return new Map(most.map(([ground], n) => [ground, GROUNDS[n % GROUNDS.length]]));
}

function boardSvg(about, paint, board) {
  const fills = fillsOf(board);
  const paths = new Map();
  for (const [, x, y, cell] of cellsOf(board)) {
    const ground = groundOf(cell);
    const fill = ground ? fills.get(ground) ?? PLAIN : PLAIN;
    paths.set(fill, `${paths.get(fill) ?? ""}M${x},${y}h${CELL}v${CELL}h-${CELL}z`);
  }
  const found = [...paths].map(([fill, squares]) => `<path fill="${fill}" stroke="${GRID}" d="${squares}"/>`);
  const [wide, high] = [board.columns.length * CELL, board.rows.length * CELL];
  board.rows.forEach(([name], row) => {
    for (const x of [-14, wide + 14]) found.push(`<text x="${x}" y="${row * CELL + CELL / 2 + 4}" class="edge">${escapeHtml(name)}</text>`);
  });
  board.columns.forEach((name, column) => {
    for (const y of [-7, high + 15]) found.push(`<text x="${column * CELL + CELL / 2}" y="${y}" class="edge">${escapeHtml(name)}</text>`);
  });
  for (const [name, x, y, cell] of cellsOf(board)) {
    const drawn = shapesOf(paint, cell).join("");
    if (drawn) found.push(`<g transform="translate(${x},${y})"><title>${escapeHtml(toldOf(name, cell))}</title>${drawn}</g>`);
  }
  return found;
}

/** What a browser says of a cell: `B3: Boat 1 (pips: 2)`. */
function toldOf(name, cell) {
  const upper = upperOf(cell);
  return `${name}: ${(upper.length ? upper : cell).map((one) => [one.meaning || one.name, ...one.flags].join(" ")).join(", ")}`;
}

// ----------------------------------------------------------------------------------------------------- key and lines

/** Small pictures with words, as many in a row as fit; and where they end. */
function keySvg(about, paint, drawn, width, top) {
  const items = [...drawn.boards.flatMap((board) => keyItems(about, paint, board)),
    ...drawn.free.flatMap((free) => [...ownersOf(about, paint, free.marks), ...tintsOf(paint, free.marks)])];
  const body = [];
  let x = Math.floor(MARGIN / 2);
  top += 10;
  items.forEach(([sign, words], number) => {
    const wide = 34 + 7 * length(words) + 14;
    if (number && x + wide > width) [x, top] = [Math.floor(MARGIN / 2), top + 26];
    body.push(`<g transform="translate(${x},${top - 13})">${sign}</g>`, `<text x="${x + 32}" y="${top}">${escapeHtml(words)}</text>`);
    x += wide;
  });
  return [body, items.length ? top + 8 : top - 12];
}

function keyItems(about, paint, board) {
  const { marks } = board;
  const found = [...ownersOf(about, paint, marks), ...tintsOf(paint, marks)];
  const meanings = new Map(cellsOf(board).map(([, , , cell]) => [groundOf(cell), cell
    .filter((one) => one.shape === "ground" && one.owner === null).map((one) => one.meaning || one.sign).join(", ")]));
  for (const [ground, fill] of fillsOf(board)) {
    found.push([`<rect width="26" height="18" rx="2" fill="${fill}" stroke="${FAINT}" stroke-width="0.5"/>`
      + `<text x="13" y="13" class="mid" style="font-size:10px">${escapeHtml(ground)}</text>`, meanings.get(ground)]);
  }
  if (marks.some((one) => one.shape === "back")) found.push([swatch(paint, mark("back", "", null)), "unseen"]);
  if (board.pips && marks.some((one) => one.shape === "hull" && one.pips !== null)) {
    found.push([swatch(paint, mark("hull", "", null, { heading: 2, pips: 2 })), `two ${board.pips}`]);
  }
  if (board.pips && marks.some((one) => one.shape !== "hull" && one.shape !== "die" && one.pips !== null)) {
    found.push(['<text x="13" y="13" class="mid" style="font-size:10px">n</text>', board.pips]);
  }
  const flags = new Map(marks.flatMap((one) => one.flags.map((flag) => [JSON.stringify([flag, one.shape]), [flag, one.shape]])));
  for (const [flag, shape] of [...flags.values()].sort((a, b) => compareTexts(a[0], b[0]) || compareTexts(a[1], b[1]))) {
    found.push([swatch(paint, sample(shape, { flags: [flag] })), flag]);
  }
  return found;
}

/** A mark for a key; ships head to the right. */
const sample = (shape, more) => mark(shape, "", null, { heading: shape === "hull" ? 2 : null, ...more });

/** The colours that stand for words. */
function tintsOf(paint, marks) {
  const found = new Map();
  for (const { word, tint, shape } of marks) {
    const key = JSON.stringify([word, tint]);
    if (word && !found.has(key)) found.set(key, [word, tint, shape]);
  }
  return [...found.values()].sort((a, b) => compareTexts(a[0], b[0]) || compareTexts(a[1], b[1]))
    .map(([word, tint, shape]) => [swatch(paint, sample(shape, { tint })), word]);
}

/** The colours of the players of whom something is there. */
function ownersOf(about, paint, marks) {
  const seats = [...new Set(marks.map((one) => one.owner).filter((owner) => owner !== null))].sort((a, b) => a - b);
  return seats.map((seat) => {
    const own = marks.filter((one) => one.owner === seat).map((one) => one.shape);
    const shape = [...PIECES, "value", "ground"].find((one) => own.includes(one));
    return [swatch(paint, sample(shape, { owner: seat })), about.players[seat]];
  });
}

// What lies beside the boards: seaspec/drawing/svg_places.py.
const [CARD_HIGH, CARD_GAP, CARD_SIGN, MOST_CARDS] = [24, 6, 7, 40];

function placesSvg(about, paint, places, width, from) {
  const left = Math.floor(MARGIN / 2);
  const body = [];
  let top = from;
  for (const place of places) {
    top += CARD_GAP;
    body.push(`<text x="${left}" y="${top + 16}">${escapeHtml(place.name)}</text>`);
    let begins = left + Math.floor((13 * length(place.name)) / 2) + 2 * CARD_GAP;
    if (begins > Math.floor(width / 2)) {
      begins = left + 2 * CARD_GAP;
      top += CARD_HIGH - 2;
    }
    let x = begins;
    for (const [drawn, wide] of [...cardsSvg(about, paint, place), ...backsSvg(place)]) {
      if (x > begins && x + wide > width - left) {
        begins = x = left + 2 * CARD_GAP;
        top += CARD_HIGH + CARD_GAP;
      }
      body.push(`<g transform="translate(${x},${top})">${drawn}</g>`);
      x += wide + CARD_GAP;
    }
    top += CARD_HIGH;
  }
  return [body, top];
}

function cardsSvg(about, paint, { cards, names }) {
  return cards.map(([title, number], at) => {
    const text = number === 1 ? names[at] : `${number}× ${names[at]}`;
    const one = printedMark(about, title);
    if (one !== null && one.shape !== "face") {
      const drawn = `<g transform="translate(0,3)">${swatch(paint, one)}</g><text x="29" y="16">${escapeHtml(text)}</text>`;
      return [`<title>${escapeHtml(title)}</title>${drawn}`, 33 + CARD_SIGN * length(text)];
    }
    const rim = one !== null && (one.owner !== null || one.tint) ? paint(one)[0] : "#8894a1";
    const wide = Math.max(20, CARD_SIGN * length(text) + 14);
    const card = `<title>${escapeHtml(title)}</title>`
      + `<rect width="${wide}" height="${CARD_HIGH}" rx="4" fill="#ffffff" stroke="${rim}" stroke-width="${one === null ? 1.3 : 2}"/>`
      + `<text x="${Math.floor(wide / 2)}" y="16" class="mid">${escapeHtml(text)}</text>`;
    return [card, wide];
  });
}

function backsSvg({ unseen }) {
  return unseen.map(([whose, number]) => {
    const text = `${whose} ${number}`.trim();
    const back = `width="17" height="${CARD_HIGH}" rx="3"`;
    let pile = "";
    for (let card = 0; card < Math.min(3, number); card += 1) {
      pile += `<rect x="${2 * card}" y="${-2 * card}" ${back} fill="url(#back)" stroke="#ffffff"/>`;
    }
    if (!number) pile = `<rect ${back} fill="none" stroke="#8894a1" stroke-dasharray="3 3"/>`;
    return [`${pile}<text x="28" y="16">${escapeHtml(text)}</text>`, 30 + CARD_SIGN * length(text)];
  });
}

function linesOf(drawn, columns) {
  const found = [];
  for (const { marks } of [...drawn.boards, ...drawn.free]) {
    const told = new Map();
    for (const one of marks) {
      const isNamed = PIECES.includes(one.shape) || (one.shape === "value" && one.owner === null);
      if (isNamed && one.meaning) told.set(JSON.stringify([one.name, one.meaning]), [one.name, one.meaning]);
    }
    const sorted = [...told.values()].sort((a, b) => compareTexts(a[0], b[0]) || compareTexts(a[1], b[1]));
    found.push(...wrapped(" ", inRuns(sorted), columns));
  }
  const many = drawn.places.filter((place) => place.cards.length > MOST_CARDS)
    .map(({ name, cards }) => [name, cards.map(([title, number]) => (number === 1 ? title : `${number} ${title}`))]);
  for (const [name, items] of [...many, ...drawn.states]) {
    found.push(...(items.length ? wrapped(`${name}: `, items, columns) : wrap(name, columns, "", "    ")));
  }
  return found;
}

/** Items with commas, as many on a line as fit. A head beside which nothing fits has lines of its own. */
function wrapped(head, items, width) {
  if (items.length && head.trim() !== "" && length(head) + length(items[0]) > width) {
    return [...wrap(head, width, "", "    "), ...wrapped("    ", items, width)];
  }
  const solid = items.map((item) => (length(item) + 5 > width ? item : item.replace(/ /g, "\0")));
  const indent = head.trim() === "" ? head : "    ";
  return wrap(solid.join(", "), width, head, indent).map((line) => line.replace(/\0/g, " "));
}

function wrap(text, width, first, later) {
  const lines = [];
  let line = "";
  for (const word of text.split(/[ \n]+/).filter(Boolean)) {
    const room = width - length(lines.length ? later : first);
    if (line && length(line) + 1 + length(word) > room) {
      lines.push((lines.length ? later : first) + line);
      line = word;
    } else {
      line = line ? `${line} ${word}` : word;
    }
  }
  if (line) lines.push((lines.length ? later : first) + line);
  return lines;
}

/** Signs with their meanings, those that differ in a last number only told together. */
function inRuns(items) {
  const numbers = new Map();
  for (const [sign, meaning] of items) {
    const [, number] = /(\d*)$/.exec(sign);
    const isOne = number && number === /(\d*)$/.exec(meaning)[1];
    const pair = isOne ? [sign.slice(0, -number.length), meaning.slice(0, -number.length)] : [sign, meaning];
    const key = JSON.stringify(pair);
    if (!numbers.has(key)) numbers.set(key, [pair, []]);
    if (isOne) numbers.get(key)[1].push(Number(number));
  }
  return [...numbers.values()].map(([[sign, meaning], found]) => `${sign}${runsOf(found)} ${meaning}${runsOf(found)}`);
}

function runsOf(numbers) {
  const runs = [];
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    const last = runs[runs.length - 1];
    if (last && last[last.length - 1] === number - 1) last.push(number);
    else runs.push([number]);
  }
  return runs.map((run) => (run.length === 1 ? String(run[0]) : `${run[0]}-${run[run.length - 1]}`)).join(",");
}

// ------------------------------------------------------------------------------------- pictures that the author gives

const ARROWS = [..."↑↗→↘↓↙←↖"];
const FULL = 1, SHORT = 2, LEAST = 3;

function sizeOf(drawn) {
  const columns = Math.max(...drawn.rows.map(length), ...drawn.spots.filter((spot) => spot.marks.length).map((spot) => spot.room[1]), length(drawn.title), 1);
  return [columns * WIDE, (drawn.rows.length + (drawn.title ? 1 : 0)) * HIGH];
}

function freeSvg(paint, drawn) {
  const manner = mannerOf(drawn);
  const found = [];
  let top = 0;
  if (drawn.title) {
    found.push(`<text x="0" y="0">${escapeHtml(drawn.title)}</text>`);
    top = HIGH;
  }
  const names = new Set(drawn.spots.flatMap((spot) => Array.from({ length: length(spot.name) }, (_, n) => `${spot.row} ${spot.column + n}`)));
  drawn.rows.forEach((text, row) => [...text].forEach((sign, column) => {
    if (sign !== " " && !names.has(`${row} ${column}`)) found.push(signSvg(column, top + row * HIGH, sign, "#8a97a5"));
  }));
  for (const spot of drawn.spots) {
    const [pieces] = atSpot(spot, manner);
    const y = top + spot.row * HIGH;
    const long = pieces.reduce((sum, [text]) => sum + length(text), 0);
    const begin = Math.max(spot.room[0], Math.min(spot.column, spot.room[1] - long));
    const told = spot.marks.map((one) => [one.meaning || one.name, ...one.flags].join(" ")).join(", ");
    found.push(`<g><title>${escapeHtml(told ? `${spot.name}: ${told}` : spot.name)}</title>`);
    if (spot.marks.some((one) => one.shape !== "ground")) {
      found.push(`<rect x="${begin * WIDE - 2}" y="${y - 16}" width="${long * WIDE + 4}" height="${HIGH - 1}" rx="4" fill="#dce8f0"/>`);
    }
    let column = begin;
    for (const [text, owner] of pieces) {
      found.push(signSvg(column, y, text, owner === null ? INK : paint({ owner })[0]));
      column += length(text);
    }
    found.push("</g>");
  }
  return found;
}

function signSvg(column, y, text, fill) {
  const wide = `textLength="${length(text) * WIDE}" lengthAdjust="spacingAndGlyphs"`;
  const font = "font-family:'DejaVu Sans Mono',monospace;font-size:16px";
  return `<text x="${column * WIDE}" y="${y}" ${wide} style="${font};fill:${fill}">${escapeHtml(text)}</text>`;
}

/** The fullest manner for which all cells have room enough for one sign at least. */
function mannerOf(drawn) {
  const rooms = drawn.spots.map((spot) => [spot.room[1] - spot.room[0], length(spot.name)]);
  if (rooms.every(([room, name]) => room >= name + 3)) return "beside";
  return rooms.every(([room]) => room >= 3) ? "brackets" : "bare";
}

/** What stands at a cell: texts, each with the seat that it belongs to. */
function atSpot(spot, manner) {
  const room = spot.room[1] - spot.room[0];
  if (spot.marks.every((one) => one.shape === "ground")) return [[[spot.name, null]]];
  const full = [["(", null], ...listedMarks(spot.marks, FULL, ","), [")", null]];
  if (manner === "beside" && length(spot.name) + lengthOf(full) <= room) return [[[spot.name, null], ...full]];
  if (manner !== "bare") {
    const inside = fitting(spot.marks, room - 2);
    if (lengthOf(inside) <= room - 2) return [[["(", null], ...inside, [")", null]]];
  }
  return [fitting(spot.marks, room)];
}

const lengthOf = (pieces) => pieces.reduce((sum, [text]) => sum + length(text), 0);

/** The text of a cell: what lies in it, as fully as there is room. */
function fitting(cell, width) {
  const upper = upperOf(cell);
  if (!upper.length) return cell.length ? cell.map((one) => [one.sign, one.owner]) : [[".", null]];
  const ways = waysToWrite(upper, width);
  return ways.find((way) => lengthOf(way) <= width) ?? ways[ways.length - 1];
}

function waysToWrite(marks, width) {
  const found = [listedMarks(marks, FULL, ",")];
  if (marks.filter((one) => one.shape !== "value").length === 1) found.push(listedMarks(marks, FULL, ""));
  if (marks.length > 1) found.push(joined(marks.map((one) => [one.name, one.owner]), "×"));
  for (const form of [SHORT, LEAST]) found.push(listedMarks(marks, form, "×"));
  const letters = marks.map((one) => [one.who || [...one.sign].slice(0, 1).join(""), one.owner]);
  found.push(joined(letters, "×"));
  if (marks.length > 1 && new Set(letters.map((one) => JSON.stringify(one))).size === 1) {
    found.push([[`${marks.length}${letters[0][0]}`, letters[0][1]]]);
  }
  found.push([[marks.length > 1 ? `${marks.length}×` : [...marks[0].name].slice(0, width).join(""), null]]);
  return found;
}

/** Marks one after the other, those that look alike counted. */
function listedMarks(marks, form, between) {
  const texts = counted(marks.map((one) => JSON.stringify([textOf(one, form), one.owner])));
  return joined([...texts].map(([key, number]) => {
    const [text, owner] = JSON.parse(key);
    return [number === 1 ? text : `${number}×${text}`, owner];
  }), between);
}

function joined(texts, between) {
  return texts.flatMap((piece, n) => (n ? [[between, null], piece] : [piece]));
}

function textOf(one, form) {
  const flag = one.flags.length ? "x" : "";
  const first = [...one.sign].slice(0, 1).join("");
  if (one.shape === "wall") return (flag || "#") + (form === LEAST ? one.who || first : one.name);
  const arrow = one.heading === null ? "" : ARROWS[one.heading];
  const pips = one.pips === null ? "" : String(one.pips);
  if (one.shape === "hull" && form > FULL) return (one.who || first) + arrow + (form === SHORT ? flag || pips : "");
  const numbers = one.numbers.map(([number]) => `:${number}`).join("");
  const word = one.word && !(one.meaning || one.name).split(" ").includes(one.word) ? `:${one.word}` : "";
  return one.name + arrow + (pips && !arrow ? `:${pips}` : pips) + numbers + word + flag;
}
