/* The rules of Sea Lords up to the end of the last turn, for the engine in sea_lords_peer.c: a position, a turn. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sea_lords_field.h"

enum { TURNS = 16, SHIELDS = 7, MINES = 14, HAND = 3, MAIN = 18, SPARE = 9, FLEET = MAIN + SPARE, NUMBERS = 9 };
enum { MERCENARIES = 12, HIRED = 5, FIRST_MERCENARY = NUMBERS + 1, PASS = 0 };
enum { PRINTED, DRAWN, ARRANGED, EXPERIENCED, PICKED, LAYOUTS };
enum { ARRANGE, CHANGE, PICK, HIRE, LAY, ORDER, AIM, REPAIR, MINE, SWEEP, SHIELD, RECRUIT, TRAP, TOKEN, KINDS };
enum { SHIELD_SHIP, SECOND_SHIELD_SHIP, RECRUITER, SWEEPER, MINELAYER, BROADSIDE,
       ROW_GUNNER, DIAGONAL_GUNNER, BOARDER, FLAGSHIP, BULWARK, QUARTERMASTER };

static const int cost[] = {3, 3, 3, 3, 3, 3, 4, 4, 4, 5, 5, 5};

typedef struct {
    uint8_t hand[NUMBERS + 1]; /* how many of each number */
    uint8_t main[MAIN], spare[SPARE], main_size, spare_size, in_hand; /* piles are drawn from their ends */
    int coins, points, bonus, mines, owes_shield, turns;
} Player;

typedef struct {
    char sea[CELLS];
    Set combat[2], burning[2], mines, fake; /* the fake mine is not among the mines */
    uint8_t ship[CELLS], shields[CELLS];    /* a number, or a mercenary from FIRST_MERCENARY on */
    unsigned offered;
    Player players[2];
    int first, asked[KINDS], options[KINDS];
} Game;

typedef struct {
    uint8_t what, cell;
} Action;

static uint64_t random_state;

static inline uint32_t below_limit(uint32_t limit) /* splitmix64, and the upper half of a product */
{
    uint64_t z = (random_state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)(((z ^ (z >> 31)) >> 32) * limit >> 32);
}

static inline int choose(Game *game, int kind, int options)
{
    game->asked[kind]++;
    game->options[kind] += options;
    return (int)below_limit((uint32_t)options);
}

static inline int choose_cell(Game *game, int kind, Set set)
{
    uint8_t cells[CELLS];
    int count = cells_of(set, cells);
    return cells[choose(game, kind, count)];
}

static inline void shuffle(uint8_t *items, int count)
{
    for (int i = count; i > 1; i--) {
        uint32_t other = below_limit((uint32_t)i);
        uint8_t item = items[other];
        items[other] = items[i - 1];
        items[i - 1] = item;
    }
}

static int arrange(Game *game) /* board after board from the left */
{
    Arrangement laid = {{0}, {0}, {0}};
    int left[BOARDS] = {LARGE_1, LARGE_2, SMALL};
    for (int place = 0; place < BOARDS; place++) {
        uint8_t ways[20][3];
        int count = 0;
        for (int i = 0; i < BOARDS - place; i++)
            for (int side = 0; side < 2; side++)
                for (int quarters = 0; quarters < 4; quarters += left[i] == SMALL ? 2 : 1) {
                    ways[count][0] = (uint8_t)i;
                    ways[count][1] = (uint8_t)side;
                    ways[count++][2] = (uint8_t)quarters;
                }
        const uint8_t *way = ways[choose(game, ARRANGE, count)];
        laid.board[place] = (uint8_t)left[way[0]];
        laid.side[place] = way[1];
        laid.quarters[place] = way[2];
        for (int i = way[0]; i + 1 < BOARDS; i++)
            left[i] = left[i + 1];
    }
    return find(&laid);
}

static void set_up(Game *game, int layout)
{
    memset(game, 0, sizeof *game);
    game->first = (int)below_limit(2);
    game->players[game->first].owes_shield = 1;
    int boards[2] = {printed_one, printed_one};
    for (int seat = 0; seat < 2; seat++)
        if (layout == ARRANGED || layout == EXPERIENCED)
            boards[seat] = arrange(game);
        else if (layout != PRINTED)
            boards[seat] = (int)below_limit(ARRANGEMENTS);
    if (layout == EXPERIENCED) {
        int change = choose(game, CHANGE, CHANGES + 1);
        if (change < CHANGES) {
            boards[game->first] = changed[boards[game->first]][change];
            game->players[game->first].owes_shield = 0;
        }
    }
    for (int i = 0; i < CELLS / 2; i++) {
        game->sea[i] = half_seas[boards[0]][i];
        game->sea[CELLS - 1 - i] = half_seas[boards[1]][i];
    }
    static const struct {
        int first, kinds, wanted;
    } prices[] = {{SHIELD_SHIP, 6, 3}, {ROW_GUNNER, 3, 1}, {FLAGSHIP, 3, 1}};
    for (int price = 0; price < 3; price++)
        for (int i = 0; i < prices[price].wanted; i++) {
            int left[6], count = 0;
            for (int mercenary = prices[price].first; mercenary < prices[price].first + prices[price].kinds; mercenary++)
                if (!(game->offered >> mercenary & 1))
                    left[count++] = mercenary;
            game->offered |= 1u << left[layout == PICKED ? choose(game, PICK, count) : (int)below_limit((uint32_t)count)];
        }
    for (int seat = 0; seat < 2; seat++) {
        Player *player = &game->players[seat];
        uint8_t fleet[FLEET];
        for (int i = 0; i < FLEET; i++)
            fleet[i] = (uint8_t)(i % NUMBERS + 1);
        shuffle(fleet, FLEET);
        memcpy(player->main, fleet, MAIN);
        memcpy(player->spare, fleet + MAIN, SPARE);
        player->main_size = MAIN - HAND;
        player->spare_size = SPARE;
        player->in_hand = HAND;
        for (int i = MAIN - HAND; i < MAIN; i++)
            player->hand[fleet[i]]++;
    }
}

/* ------------------------------------------------------------------------------------------------------ effects */

static void shoot(Game *game, int seat, const uint8_t *way)
{
    for (; *way < CELLS; way++)
        if (game->combat[!seat] & BIT(*way)) {
            if (game->shields[*way])
                game->shields[*way]--;
            else if (game->ship[*way] < FIRST_MERCENARY) {
                game->combat[!seat] ^= BIT(*way);
                game->burning[!seat] ^= BIT(*way);
            }
            return;
        }
}

static void aimed_shot(Game *game, int seat, int cell, int first, int directions)
{
    shoot(game, seat, rays[cell][first + choose(game, AIM, directions)]);
}

static void repair(Game *game, int seat)
{
    if (game->burning[seat]) {
        Set chosen = BIT(choose_cell(game, REPAIR, game->burning[seat]));
        game->burning[seat] ^= chosen;
        game->combat[seat] ^= chosen;
    }
}

static void put_shield(Game *game, int seat)
{
    int lying = game->players[0].owes_shield + game->players[1].owes_shield;
    for (int cell = 0; cell < CELLS; cell++)
        lying += game->shields[cell];
    if (lying < SHIELDS)
        game->shields[choose_cell(game, SHIELD, game->combat[seat])]++;
}

static inline Set free_cells(const Game *game)
{
    return ALL & ~(game->combat[0] | game->combat[1] | game->burning[0] | game->burning[1] | game->mines | game->fake);
}

static inline int mines_left(const Game *game)
{
    return MINES - __builtin_popcountll(game->mines) - game->players[0].mines - game->players[1].mines;
}

static void sweep(Game *game)
{
    if (game->mines | game->fake) {
        Set swept = BIT(choose_cell(game, SWEEP, game->mines | game->fake));
        game->mines &= ~swept;
        game->fake &= ~swept;
    }
}

static void lay_mines(Game *game)
{
    int true_ones = mines_left(game) < 2 ? mines_left(game) : 2, fakes = 1;
    while (true_ones + fakes && free_cells(game)) {
        Set cell = BIT(choose_cell(game, TRAP, free_cells(game)));
        int first = choose(game, TOKEN, (true_ones > 0) + fakes) == 0, fake = fakes && first;
        if (fake) {
            game->fake = cell;
            fakes = 0;
        } else {
            game->mines |= cell;
            true_ones--;
        }
    }
}

static inline void take(Player *player, int number)
{
    player->hand[number]++;
    player->in_hand++;
}

static void cell_effect(Game *game, int seat, int cell)
{
    Player *player = &game->players[seat];
    switch (game->sea[cell]) {
    case 'V':
        player->points++;
        break;
    case 'S':
        aimed_shot(game, seat, cell, EAST, 4);
        break;
    case 'X':
        aimed_shot(game, seat, cell, NORTHEAST, 4);
        break;
    case 'R':
        repair(game, seat);
        break;
    case 'M':
        if (mines_left(game) && free_cells(game))
            game->mines |= BIT(choose_cell(game, MINE, free_cells(game)));
        break;
    case 'H':
        if (player->spare_size) {
            take(player, player->spare[--player->spare_size]);
            player->bonus++;
        }
    }
}

static void ship_effect(Game *game, int seat, int number, int cell, int fresh)
{
    switch (number) {
    case 1:
        put_shield(game, seat);
        break;
    case 3:
        aimed_shot(game, seat, cell, EAST, 4);
        break;
    case 5:
        repair(game, seat);
        break;
    case 7:
        sweep(game);
        break;
    case 9:
        if (fresh)
            cell_effect(game, seat, cell);
        break;
    default:
        game->players[seat].coins++;
    }
}

static void go_off(Game *game, int seat, int cell)
{
    game->players[seat].mines += (int)(game->mines >> cell & 1);
    game->mines &= ~BIT(cell);
    game->fake &= ~BIT(cell);
}

static void lay(Game *game, int seat, int number, int cell)
{
    Player *player = &game->players[seat];
    int fresh = !((game->burning[0] | game->burning[1]) & BIT(cell)), ship_first = 0;
    player->hand[number]--;
    player->in_hand--;
    game->burning[0] &= ~BIT(cell);
    game->burning[1] &= ~BIT(cell);
    game->combat[seat] |= BIT(cell);
    game->ship[cell] = (uint8_t)number;
    game->shields[cell] = (uint8_t)player->owes_shield;
    player->owes_shield = 0;
    if (fresh)
        ship_first = choose(game, ORDER, 2);
    if (ship_first)
        ship_effect(game, seat, number, cell, fresh);
    if (fresh)
        cell_effect(game, seat, cell);
    if (!ship_first)
        ship_effect(game, seat, number, cell, fresh);
    go_off(game, seat, cell);
}

static void hire(Game *game, int seat, int mercenary, int cell)
{
    Player *player = &game->players[seat];
    game->offered &= ~(1u << mercenary);
    player->coins -= cost[mercenary];
    game->burning[0] &= ~BIT(cell);
    game->burning[1] &= ~BIT(cell);
    game->combat[!seat] &= ~BIT(cell);
    game->combat[seat] |= BIT(cell);
    game->ship[cell] = (uint8_t)(FIRST_MERCENARY + mercenary);
    game->shields[cell] = 0;
    switch (mercenary) {
    case SHIELD_SHIP:
    case SECOND_SHIELD_SHIP:
        put_shield(game, seat);
        break;
    case RECRUITER:
        if (player->spare_size) {
            int numbers[NUMBERS], count = 0, place = 0;
            for (int number = 1; number <= NUMBERS; number++)
                if (memchr(player->spare, number, player->spare_size))
                    numbers[count++] = number;
            int number = numbers[choose(game, RECRUIT, count)];
            while (player->spare[place] != number)
                place++;
            player->spare[place] = player->spare[--player->spare_size];
            take(player, number);
            player->bonus++;
            shuffle(player->spare, player->spare_size);
        }
        break;
    case SWEEPER:
        for (int i = 0; i < 3; i++)
            sweep(game);
        break;
    case MINELAYER:
        lay_mines(game);
        break;
    case BROADSIDE:
        for (int direction = EAST; direction <= SOUTH; direction++) {
            uint8_t only[] = {rays[cell][direction][0], CELLS};
            shoot(game, seat, only);
        }
        break;
    case ROW_GUNNER:
        aimed_shot(game, seat, cell, EAST, 2);
        aimed_shot(game, seat, cell, EAST, 2);
        break;
    case DIAGONAL_GUNNER:
        aimed_shot(game, seat, cell, NORTHEAST, 4);
        aimed_shot(game, seat, cell, NORTHEAST, 4);
    }
    go_off(game, seat, cell);
}

/* ------------------------------------------------------------------------------------------------------- a turn */

static inline Set reach(const Game *game, int seat) { return home[seat] | spread(game->combat[seat]); }

static inline Set available(const Game *game, int seat)
{
    return reach(game, seat) & ~(game->combat[0] | game->combat[1]);
}

static inline int list_cells(Action *actions, int count, int what, Set set)
{
    uint8_t cells[CELLS];
    int size = cells_of(set, cells);
    for (int i = 0; i < size; i++)
        actions[count++] = (Action){(uint8_t)what, cells[i]};
    return count;
}

static int list_hires(const Game *game, int seat, Action *actions)
{
    int count = 0;
    for (unsigned offered = game->offered; offered; offered &= offered - 1) {
        int mercenary = __builtin_ctz(offered);
        if (cost[mercenary] > game->players[seat].coins)
            continue;
        Set cells = available(game, seat);
        if (mercenary == BOARDER)
            for (Set enemies = game->combat[!seat] & reach(game, seat); enemies; enemies &= enemies - 1) {
                int cell = __builtin_ctzll(enemies);
                if (!game->shields[cell] && game->ship[cell] < FIRST_MERCENARY)
                    cells |= BIT(cell);
            }
        count = list_cells(actions, count, FIRST_MERCENARY + mercenary, cells);
    }
    return count;
}

static int may_hire(Game *game, int seat) /* whether a mercenary was hired */
{
    Action actions[HIRED * CELLS + 1], action;
    int count = list_hires(game, seat, actions);
    if (!count)
        return 0;
    actions[count++] = (Action){PASS, 0};
    action = actions[choose(game, HIRE, count)];
    if (action.what == PASS)
        return 0;
    hire(game, seat, action.what - FIRST_MERCENARY, action.cell);
    return 1;
}

static int take_turn(Game *game, int seat) /* whether the player could lay a ship */
{
    Player *player = &game->players[seat];
    int hired = may_hire(game, seat), count = 0;
    Action actions[NUMBERS * CELLS];
    Set cells = available(game, seat);
    for (int number = 1; number <= NUMBERS; number++)
        if (player->hand[number])
            count = list_cells(actions, count, number, cells);
    if (!count)
        return 0;
    Action action = actions[choose(game, LAY, count)];
    lay(game, seat, action.what, action.cell);
    if (!hired)
        may_hire(game, seat);
    if (player->main_size)
        take(player, player->main[--player->main_size]);
    player->turns++;
    return 1;
}
