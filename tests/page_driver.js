// page_driver.js: plays of the page's engine, told step by step, for tests/page_agreement.py to compare.
// It runs in node (`node page_driver.js ENGINE < DATA`), or in a page that has the engine and the data.
//
// In: {game: {title, module, about}, plays: [{moves: [[is chance, text]..], asks: [null or [[seat, action, values]..]..]}]}.
// Out: for each play, for each position, in brief or (where it is asked about) in full: options, what every seat sees, what stands against an action;
// last of all the play as it is saved. What bots suppose (`guesses`), and from where they think (`thought`). And what is said of files and links that hold no play of this game.

async function told(SeaSpec, data) {
  const machine = await SeaSpec.open(data.game);
  const plays = [];
  for (const play of data.plays) plays.push(await followed(SeaSpec, machine, play));
  const faults = [];
  for (const open of [
    ...(data.files ?? []).map((file) => () => SeaSpec.Play.of(machine, file)),
    ...(data.links ?? []).map((link) => async () => SeaSpec.Play.ofLink(machine, await SeaSpec.linkData(link))),
  ]) {
    try {
      faults.push((await open()).moves.length);
    } catch (error) {
      faults.push(error instanceof SeaSpec.PlayError ? error.message : `not foreseen: ${error.stack}`);
    }
  }
  const guesses = (data.guesses ?? []).map((one) => guessed(SeaSpec, machine, one));
  const thought = (data.thought ?? []).map((one) => thoughtOf(SeaSpec, machine, one));
  return { plays, faults, guesses, thought };
}

/** From which positions a bot thinks: how many there are, and how many of them are not the true one. */
function thoughtOf(SeaSpec, machine, { moves, seat, milliseconds }) {
  const play = SeaSpec.sameAs(new SeaSpec.Play(machine, 1), moves.map(([, text]) => text));
  const found = new SeaSpec.Mind().positions(play, seat, Date.now() + milliseconds);
  return [found.length, found.filter((state) => state.some((byte, at) => byte !== play.state[at])).length];
}

/** What a seat supposes at its own decisions, each time so many moves later: the moves of supposed plays. */
function guessed(SeaSpec, machine, { moves, seat, every, size, seed, milliseconds }) {
  const play = new SeaSpec.Play(machine, 1);
  const beliefs = new SeaSpec.Beliefs(machine, seat, seed, size);
  const found = [];
  let last = 0;
  for (const [, text] of moves) {
    play.say(text);
    if (play.isOver || play.asked !== seat || play.moves.length < last + every) continue;
    last = play.moves.length;
    const plays = beliefs.plays(play, Date.now() + milliseconds);
    found.push({ after: last, plays: plays.map(({ steps }) => steps.map(({ stand, answer }) => {
      const words = new SeaSpec.Words(machine, stand.state);
      return [SeaSpec.isChance(words.node), words.text(answer)];
    })) });
  }
  return found;
}

async function followed(SeaSpec, machine, { moves, asks, most }) {
  let play;
  try {
    play = new SeaSpec.Play(machine, 1);
  } catch (error) {
    if (!(error instanceof SeaSpec.TooMany)) throw error;
    return [{ "too much": error.message }];
  }
  const found = [];
  const look = (asked) => {
    if (!asked) {
      const count = play.isOver ? 0 : machine.count(play.state);
      found.push({ brief: [machine.block(play.state), play.asked, count] });
      return;
    }
    const seats = machine.about.players.map((_, seat) => seat);
    const views = seats.map((seat) => SeaSpec.view(play, seat));
    const { words } = play;
    const count = play.isOver ? 0 : machine.count(play.state);
    found.push({
      options: count > most ? null : words.listed().map((option) => [words.text(option), option.weight]),
      told: count > most ? null : words.listed().map((option) => words.told(option)),
      count,
      views,
      why: asked.map(([seat, action, values]) => SeaSpec.whyNot(play, seat, action, values)),
      picture: SeaSpec.drawSvg(machine.about, views[0], "A title"),
      result: play.result,
    });
  };
  try {
    moves.forEach(([isChance, text], n) => {
      look(asks[n]);
      if (isChance !== play.isChance()) throw new Error(`move ${n + 1}: chance on one side alone`);
      play.say(text);
    });
    look(asks[moves.length]);
    const again = SeaSpec.Play.ofLink(machine, await SeaSpec.linkData(await play.linked()));
    found.push({ saved: play.saved(), linked: again.moves.map((move) => move.text) });
  } catch (error) {
    found.push({ fault: String(error.stack) });
  }
  return found;
}

if (typeof process !== "undefined") {
  const fs = require("fs");
  const SeaSpec = (0, eval)(`(${fs.readFileSync(process.argv[2], "utf-8")})`)();
  told(SeaSpec, JSON.parse(fs.readFileSync(0, "utf-8"))).then((found) => console.log(JSON.stringify(found)));
}
