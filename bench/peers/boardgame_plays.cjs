// Random plays of tic-tac-toe by boardgame.io (the game of its tutorial): what was counted, as JSON.
//
// node boardgame_plays.cjs SECONDS, where boardgame.io can be found (NODE_PATH)

const { Client } = require("boardgame.io/client");
const { INVALID_MOVE } = require("boardgame.io/core");

const LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
const isVictory = (cells) =>
  LINES.some(([a, b, c]) => cells[a] !== null && cells[a] === cells[b] && cells[a] === cells[c]);

const game = {
  setup: () => ({ cells: Array(9).fill(null) }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    clickCell: ({ G, playerID }, id) => {
      if (G.cells[id] !== null) return INVALID_MOVE;
      G.cells[id] = playerID;
    },
  },
  endIf: ({ G, ctx }) => {
    if (isVictory(G.cells)) return { winner: ctx.currentPlayer };
    if (G.cells.every((cell) => cell !== null)) return { draw: true };
  },
};

function run(seconds) {
  const began = process.cpuUsage();
  let plays = 0, plies = 0, spent = 0;
  while (spent < seconds) {
    const client = Client({ game, debug: false });
    client.start();
    let state = client.getState();
    while (!state.ctx.gameover) {
      const free = [];
      state.G.cells.forEach((cell, id) => { if (cell === null) free.push(id); });
      client.moves.clickCell(free[Math.floor(Math.random() * free.length)]);
      state = client.getState();
      plies++;
    }
    client.stop();
    plays++;
    const used = process.cpuUsage(began);
    spent = (used.user + used.system) / 1e6;
  }
  return { seconds: spent, plays, plies };
}

const seconds = Number(process.argv[2]);
run(Math.min(1, seconds)); // what runs often gets compiled here
console.log(JSON.stringify(run(seconds)));
