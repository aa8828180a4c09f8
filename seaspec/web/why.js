// why.js: what stands against an action: the guard that fails, in the words of the rules, with its clauses.
//
// The module says which guard fails, and what the player who asks sees of it; as `seaspec why` tells it.

/** Each thing that stands against it: `{text, guard, values, cites, at}`. `values`: all arguments, the player too. */
SeaSpec.whyNot = function (play, seat, name, values) {
  const { machine } = play;
  const { about } = machine;
  const action = about.actions[name];
  const reasons = reasonsOfTurn(play, seat, name);
  const isAsked = reasons.length === 0;
  const { state } = play;
  const words = new SeaSpec.Words(machine, state);
  const names = action.params.map((param, n) => [param.type, values[n]]);
  const sees = (see, known) => (typeof see === "boolean" ? see : machine.ask(state, see, [...known, [null, seat]])[0] === 1);
  action.params.forEach((param, n) => {
    const known = names.slice(0, n + 1);
    const outside = outsideOf(machine, state, action, n, known);
    if (outside && sees(param.see, known)) reasons.push(outside);
  });
  if (names.some(([, value], n) => action.params[n].values && !action.params[n].values.includes(value))) return reasons;
  const isOffered = () => words.listed().some((option) => option.kind === "act" && option.action === name
    && JSON.stringify(option.values) === JSON.stringify(values));
  action.guards.forEach((guard, number) => {
    const source = { guard: guard.name, cites: guard.cites ?? [], at: guard.at };
    if (!sees(guard.see, names)) {
      if (isAsked && !isOffered()) reasons.push({ text: `you do not see whether ${guard.name} holds`, values: [], ...source, cites: [] });
      return;
    }
    try {
      if (machine.ask(state, guard.ask, names)[0] === 1) return;
    } catch (error) {
      if (!(error instanceof SeaSpec.RuleError)) throw error;
      reasons.push({ text: `that can not even be asked: ${error.message}`, values: [], ...source, cites: [] });
      return;
    }
    const { sentence } = guard;
    const text = sentence
      ? words.sentence(sentence, names, null, (n) => sees(sentence.see[n], names))
      : `${guard.name} does not hold`;
    reasons.push({ text, values: sidesOf(machine, state, action, guard, names), ...source });
  });
  return reasons;
};

/** What stands against any way to do an action now: somebody else is asked, or for something else. */
function reasonsOfTurn(play, seat, name) {
  const plain = (text) => [{ text, guard: null, values: [], cites: [] }];
  const { node } = play;
  if (play.isOver) return plain("the game is over");
  if (node.kind !== "decision") return plain("nobody is asked now");
  const decider = play.asked;
  if (decider !== seat) {
    if (node.secretly || decider === null) return plain("you are not asked now");
    return plain(`it is not your turn: ${play.machine.about.players[decider]} is asked`);
  }
  const actions = node.offer === "actions" ? node.actions : [];
  if (actions.includes(name)) return [];
  return plain(`${name} is not on the menu here: you are asked for ${[...new Set(actions)].join(" or ") || "something else"}`);
}

/** Whether an argument may be chosen at all. */
function outsideOf(machine, state, action, number, known) {
  const param = action.params[number];
  const value = known[number][1];
  const reason = (text) => ({ text, guard: null, values: [], cites: [] });
  const shown = machine.values.show(value, param.type);
  if (param.values && !param.values.includes(value)) return reason(`${shown} can not be the ${param.name}`);
  try {
    if (param.domain !== undefined && param.domain !== null) {
      const [among] = machine.ask(state, param.domain, known);
      const members = Array.isArray(among) ? among : [among];
      if (!members.includes(value)) return reason(`${shown} is not in ${written(machine, action, param.of, known)}`);
    }
    if (param.test !== undefined && param.test !== null && machine.ask(state, param.test, known)[0] !== 1) {
      return reason(`${shown} can not be chosen: ${written(machine, action, param.where, known)} does not hold`);
    }
  } catch (error) {
    if (!(error instanceof SeaSpec.RuleError)) throw error;
    return reason(`${shown} can not be chosen: ${error.message}`);
  }
  return null;
}

/** The sides of a comparison that fails, with their values: `[["price(3, B2)", "7"]]`. */
function sidesOf(machine, state, action, guard, names) {
  return guard.sides.map((side) => {
    const name = side.is_name ? side.name : written(machine, action, side.name, names);
    const [value] = machine.ask(state, side.ask, names);
    return [name, machine.values.show(value, machine.about.answers[side.ask].types[0])];
  }).filter(([name, value]) => name !== value);
}

/** An expression as it is written, with the arguments that are known filled in. */
function written(machine, action, text, known) {
  return text.replace(/\uE000(\d+)\uE001/g, (_, number) => {
    const given = known[Number(number)];
    return given ? machine.values.show(given[1], given[0]) : action.params[Number(number)].name;
  });
}

/** What stands against each way to do an action that could be chosen at all: each guard with its words, once. `given`: by
 * number, arguments that are fixed. Where no way could be chosen at all: what stands against that. */
SeaSpec.whyNever = function (play, seat, name, given = [], most = 2000) {
  const action = play.machine.about.actions[name];
  const turn = reasonsOfTurn(play, seat, name);
  if (turn.length) return turn;
  const [found, outside] = [new Map(), new Map()];
  let ways = [[]];
  for (const [n, param] of action.params.entries()) {
    if (!param.values) return [];
    const values = n === 0 && action.asks ? [seat] : given[n] !== undefined ? [given[n]] : param.values;
    ways = ways.flatMap((way) => values.map((value) => [...way, value])).slice(0, most);
  }
  for (const way of ways) {
    const reasons = SeaSpec.whyNot(play, seat, name, way);
    if (reasons.length === 0) return [];
    const isGuarded = reasons.every((reason) => reason.guard !== null);
    for (const reason of reasons.filter((one) => isGuarded || one.guard === null)) {
      (isGuarded ? found : outside).set(`${reason.guard} ${reason.text}`, { ...reason, values: [] });
    }
  }
  return [...(found.size ? found : outside).values()];
};
