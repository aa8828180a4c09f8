// marks.js: what lies in a cell, to the letter as seaspec/drawing/svg_marks.py draws it.

const SPARS = { 1: [1], 2: [-5, 7], 3: [-8, 1, 10], 4: [-10, -3, 4, 11] };
const PIECES = ["hull", "face", "disc", "token", "pawn", "die", "flag", "wall", "card"];
const BELOW = ["hull", "pawn", "flag"];
const ROOM = { card: 36, face: 26, disc: 26, token: 30, die: 26 };
const DOTS = {
  1: [[0, 0]], 2: [[-8, -8], [8, 8]], 3: [[-8, -8], [0, 0], [8, 8]], 4: [[-8, -8], [8, -8], [-8, 8], [8, 8]],
  5: [[-8, -8], [8, -8], [0, 0], [-8, 8], [8, 8]], 6: [[-8, -8], [8, -8], [-8, 0], [8, 0], [-8, 8], [8, 8]],
};
const PAWN = "M0,-18a6,6 0 0 1 4.5,10h4.5v3h-4l4,14h3v5h-24v-5h3l4,-14h-4v-3h4.5a6,6 0 0 1 4.5,-10z";

/** A colour, that of letters on it, and that of its rim. */
const painted = (pale, fill) => (pale.includes(fill) ? [fill, INK, INK] : [fill, "#ffffff", "#ffffff"]);

/** The marks of a cell whose upper left corner is the origin. */
function shapesOf(paint, cell) {
  const found = [];
  const upper = upperOf(cell);
  for (const one of cell.filter((other) => other.shape === "ground" && other.owner !== null)) {
    found.push(`<rect x="2.5" y="2.5" width="${CELL - 5}" height="${CELL - 5}" fill="none" stroke="${paint(one)[0]}" stroke-width="3"/>`);
  }
  if (!upper.length) {
    const own = cell.filter((one) => one.owner !== null).map((one) => one.sign).join("");
    return [...found, ...(own ? textSvg(own, 24, 29, 13) : textSvg(groundOf(cell), 24, 28, 11, 'opacity="0.5"'))];
  }
  const byKey = new Map(upper.map((one) => [one.key, one]));
  const all = upper.length > 2 ? [...counted(upper.map((one) => one.key))].map(([key, count]) => [byKey.get(key), count]) : upper.map((one) => [one, 1]);
  const shown = all.length <= 4 ? all : all.slice(0, 3);
  const rest = all.length - shown.length;
  shown.forEach(([one, count], number) => found.push(...placedSvg(paint, one, count, number, shown.length + (rest > 0))));
  if (rest) found.push(...textSvg(`+${rest}`, 36, 39, 11));
  return found;
}

/** One of some marks side by side, with its name. */
function placedSvg(paint, one, count, number, of) {
  let [x, y, scale] = of === 1 ? [24, 24, 1] : [12 + 24 * (number % 2), 24, 0.64];
  if (of > 2) [y, scale] = [12 + 24 * Math.floor(number / 2), 0.5];
  const scaled = scale === 1 ? "1.0" : String(scale);
  const whole = (count > 1 ? `${count}×` : "") + one.name;
  const isShort = of === 1 || length(whole) <= 4;
  const name = isShort ? whole : count > 1 ? `${count}×` : [...whole].slice(0, 4).join("");
  if (BELOW.includes(one.shape) || (one.shape === "die" && one.pips in DOTS)) {
    y -= of <= 2 ? 5 : 3;
    return [`<g transform="translate(${x},${y}) scale(${scaled})">${shapeSvg(paint(one), one)}</g>`,
      ...textSvg(name, x, of <= 2 ? 46 : y + 14, of === 1 ? 10 : 9)];
  }
  const found = [`<g transform="translate(${x},${y}) scale(${scaled})">${shapeSvg(paint(one), one)}</g>`];
  if (one.shape === "back") {
    return count > 1 ? [...found, ...textSvg(`×${count}`, x, y + 4, 10, 'style="fill:#fff;font-size:10px"')] : found;
  }
  const isFilled = (one.owner !== null || one.tint) && !one.flags.length;
  const ink = isFilled ? paint(one)[1] : INK;
  const room = (ROOM[one.shape] ?? 32) * scale;
  const size = Math.max(9, Math.min(of === 1 ? 15 : 11, Math.trunc(room / (0.72 * Math.max(1, length(name))))));
  const small = [...(one.pips === null ? [] : [String(one.pips)]), ...one.numbers.map(([value]) => value)].join(" ");
  const style = `class="bold${one.flags.length ? " clear" : ""}" style="font-size:${size}px;fill:${ink}"`;
  found.push(`<text x="${x}" y="${(y + size * 0.36).toFixed(1)}" ${style}>${escapeHtml(name)}</text>`);
  if (!small || of !== 1) return found;
  const isFace = one.shape === "face";
  return [...found, ...textSvg(small, x, isFace ? 41 : 45, 10, `style="font-size:10px;fill:${isFilled && isFace ? ink : INK}"`)];
}

/** A mark of full size about the origin. */
function shapeSvg([fill, ink, rim], one) {
  const pale = one.flags.length ? ' fill-opacity="0.3"' : "";
  const isPlain = one.owner === null && !one.tint;
  const [body, line] = isPlain ? ["#ffffff", "#8894a1"] : [fill, rim];
  const around = `fill="${body}"${pale} stroke="${line}" stroke-width="2"`;
  switch (one.shape) {
    case "hull": {
      const turn = one.heading ? ` transform="rotate(${45 * one.heading})"` : "";
      return `<g${turn}><use href="#hull" fill="${fill}"${pale} stroke="${rim}" stroke-width="1.2"/>${sparsOf(one.pips)}</g>${crossOf(one, 11)}`;
    }
    case "wall":
      return `<rect x="-19" y="-17" width="38" height="34" fill="${fill}"${pale} stroke="${fill}" stroke-width="2"/>${crossOf(one, 15)}`;
    case "card":
      return `<rect x="-20" y="-15" width="40" height="30" rx="5" fill="${body}" stroke="${line}" stroke-width="2"/>${arrowOf(one, 15)}${crossOf(one, 13)}`;
    case "face": {
      const inside = `<rect x="-13" y="-18" width="26" height="36" rx="2" fill="none" stroke="${line}" opacity="0.6"/>`;
      return `<rect x="-16" y="-21" width="32" height="42" rx="4" ${around}/>${inside}${arrowOf(one, 20)}${crossOf(one, 14)}`;
    }
    case "disc":
      return `<circle r="17" ${around}/><circle r="14" fill="none" stroke="${line}" opacity="0.6"/>${arrowOf(one, 16)}${crossOf(one, 12)}`;
    case "token":
      return `<path d="M-10,-17h20l10,17l-10,17h-20l-10,-17z" ${around}/>${arrowOf(one, 16)}${crossOf(one, 12)}`;
    case "pawn":
      return `<path d="${PAWN}" ${around}/>${arrowOf(one, 20)}${crossOf(one, 12)}`;
    case "flag":
      return `<path d="M-10,-18v36" stroke="${INK}" stroke-width="2.5"/><path d="M-10,-17h26l-7,9l7,9h-26z" ${around}/>${arrowOf(one, 20)}${crossOf(one, 12)}`;
    case "die":
      return `<rect x="-15" y="-15" width="30" height="30" rx="6" ${around}/>${dotsOf(one.pips, body === fill ? ink : INK)}${arrowOf(one, 16)}${crossOf(one, 12)}`;
    case "back":
      return '<rect x="-13" y="-17" width="26" height="34" rx="3" fill="url(#back)" stroke="#ffffff" stroke-width="2"/>';
    case "value":
      if (one.owner === null) return '<rect x="-17" y="-13" width="34" height="26" rx="13" fill="#ffffff" opacity="0.75"/>';
      return `<circle r="18" fill="${fill}" stroke="${rim}" stroke-width="1.5"/>`;
    default:
      return "";
  }
}

/** The pips of a die about the origin; nothing if it has no such side. */
function dotsOf(pips, fill) {
  return (DOTS[pips] ?? []).map(([x, y]) => `<circle cx="${x}" cy="${y}" r="3.2" fill="${fill}"/>`).join("");
}

/** Where it points, at its rim. */
function arrowOf(one, far) {
  if (one.heading === null) return "";
  return `<path d="M0,-${far + 5}l4,7h-8z" transform="rotate(${45 * one.heading})" fill="${INK}" stroke="#ffffff"/>`;
}

/** A line across for each, or a number if there are too many. */
function sparsOf(pips) {
  if (!pips) return "";
  if (!(pips in SPARS)) return `<text y="6" class="bold" style="font-size:15px;fill:#fff">${pips}</text>`;
  return `<path d="${SPARS[pips].map((y) => `M-9,${y}h18`).join("")}" stroke="${INK}" stroke-width="2.4"/>`;
}

function crossOf(one, half) {
  if (!one.flags.length) return "";
  return `<path d="M-${half},-${half}L${half},${half}M-${half},${half}L${half},-${half}" stroke="${INK}" stroke-width="1.8"/>`;
}

function textSvg(text, x, y, size, more = "") {
  if (!text) return [];
  const style = !more ? `style="font-size:${size}px"` : more.includes("style") ? more : `${more} style="font-size:${size}px"`;
  return [`<text x="${x}" y="${y}" class="mid" ${style}>${escapeHtml(text)}</text>`];
}

/** A mark in a key, 26 by 18. */
function swatch(paint, one) {
  if (one.shape === "ground") return `<rect x="4" width="18" height="18" fill="none" stroke="${paint(one)[0]}" stroke-width="3"/>`;
  const scale = { hull: 0.6, face: 0.42 }[one.shape] ?? 0.5;
  return `<g transform="translate(13,9) scale(${scale})">${shapeSvg(paint(one), one)}</g>`;
}
