/* The field of Sea Lords, for the engine in sea_lords_peer.c: sets of cells, rays, and all arrangements of the boards.

   The boards are the catalogue's default data D1, as in sea_lords_box.py. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 6, COLUMNS = 7, CELLS = ROWS * COLUMNS, LINES = ROWS + COLUMNS, LONGEST = COLUMNS };
enum { EAST, WEST, NORTH, SOUTH, NORTHEAST, SOUTHEAST, SOUTHWEST, NORTHWEST, DIRECTIONS };

typedef uint64_t Set;
#define BIT(cell) ((Set)1 << (cell))
#define ALL (BIT(CELLS) - 1)
static const Set half[2] = {BIT(21) - 1, ALL ^ (BIT(21) - 1)};
static const Set home[2] = {BIT(COLUMNS) - 1, ALL ^ (BIT(CELLS - COLUMNS) - 1)};

static uint8_t rays[CELLS][DIRECTIONS][ROWS + COLUMNS]; /* cells to the edge; the end is marked by CELLS */
static Set beside[CELLS];

static void draw_rays(void)
{
    static const int up[] = {0, 0, 1, -1, 1, -1, -1, 1}, right[] = {1, -1, 0, 0, 1, 1, -1, -1};
    for (int cell = 0; cell < CELLS; cell++)
        for (int direction = 0; direction < DIRECTIONS; direction++) {
            int row = cell / COLUMNS + up[direction], column = cell % COLUMNS + right[direction], count = 0;
            for (; row >= 0 && row < ROWS && column >= 0 && column < COLUMNS;
                 row += up[direction], column += right[direction])
                rays[cell][direction][count++] = (uint8_t)(row * COLUMNS + column);
            rays[cell][direction][count] = CELLS;
            if (count && direction <= SOUTH)
                beside[cell] |= BIT(rays[cell][direction][0]);
        }
}

#ifdef PLAIN

static inline int cells_of(Set set, uint8_t *cells)
{
    int count = 0;
    for (int cell = 0; cell < CELLS; cell++)
        if (set >> cell & 1)
            cells[count++] = (uint8_t)cell;
    return count;
}

static inline Set spread(Set set) /* all cells beside one of these */
{
    Set found = 0;
    for (int cell = 0; cell < CELLS; cell++)
        for (int direction = EAST; direction <= SOUTH; direction++) {
            int next = rays[cell][direction][0];
            if (next < CELLS && set >> next & 1)
                found |= BIT(cell);
        }
    return found;
}

#else

static inline int cells_of(Set set, uint8_t *cells)
{
    int count = 0;
    for (; set; set &= set - 1)
        cells[count++] = (uint8_t)__builtin_ctzll(set);
    return count;
}

static inline Set spread(Set set) /* all cells beside one of these */
{
    const Set left_edge = 0x810204081u, right_edge = left_edge << (COLUMNS - 1);
    return ((set & ~right_edge) << 1 | (set & ~left_edge) >> 1 | set << COLUMNS | set >> COLUMNS) & ALL;
}

#endif

/* Arrangements: which boards lie from the owner's left, which side is up, by how many quarters each is turned. */

enum { LARGE_1, LARGE_2, SMALL, BOARDS, ARRANGEMENTS = 1536, CHANGES = 11 };
typedef struct {
    uint8_t board[BOARDS], side[BOARDS], quarters[BOARDS]; /* by place */
} Arrangement;
static Arrangement arrangements[ARRANGEMENTS];
static char half_seas[ARRANGEMENTS][CELLS / 2]; /* from the owner's left, the home row first */
static int changed[ARRANGEMENTS][CHANGES], printed_one;

static char printed_on(int board, int side, int quarters, int row, int column) /* row 0 is the farthest */
{
    static const char *const prints[BOARDS][2] = {{"XVSMRHSXV", "SHXRSMXVS"}, {"VSMXHRSVX", "XRSVXHMSX"}, {"HVM", "MRH"}};
    if (board == SMALL)
        return prints[board][side][quarters ? 2 - row : row];
    for (; quarters; quarters--) { /* what is at a place was, before a quarter turn clockwise, here */
        int before = 2 - column;
        column = row;
        row = before;
    }
    return prints[board][side][3 * row + column];
}

static int same(const Arrangement *a, const Arrangement *b) { return !memcmp(a, b, sizeof *a); }

static int find(const Arrangement *wanted)
{
    for (int i = 0; i < ARRANGEMENTS; i++)
        if (same(&arrangements[i], wanted))
            return i;
    abort();
}

static void list_arrangements(void)
{
    static const uint8_t orders[6][BOARDS] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    int count = 0;
    for (int order = 0; order < 6; order++)
        for (int sides = 0; sides < 8; sides++)
            for (int turns = 0; turns < 64; turns++) {
                Arrangement new = {{0}, {0}, {0}};
                int upright = 1;
                for (int place = 0; place < BOARDS; place++) {
                    new.board[place] = orders[order][place];
                    new.side[place] = sides >> place & 1;
                    new.quarters[place] = turns >> 2 * place & 3;
                    upright &= new.board[place] != SMALL || !(new.quarters[place] & 1);
                }
                if (!upright)
                    continue;
                char *sea = half_seas[count];
                for (int row = 2; row >= 0; row--)
                    for (int place = 0; place < BOARDS; place++)
                        for (int column = 0; column < (new.board[place] == SMALL ? 1 : 3); column++)
                            *sea++ = printed_on(new.board[place], new.side[place], new.quarters[place], row, column);
                arrangements[count++] = new;
            }
    Arrangement printed = {{LARGE_1, SMALL, LARGE_2}, {0}, {0}};
    printed_one = find(&printed);
    for (int i = 0; i < ARRANGEMENTS; i++) {
        Arrangement own = arrangements[i], new;
        int ways = 0;
        for (int place = 0; place < BOARDS; place++)
            for (int quarters = 1; quarters < 4; quarters++) {
                new = own;
                new.quarters[place] = (new.quarters[place] + quarters) & 3;
                if (own.board[place] != SMALL || quarters == 2)
                    changed[i][ways++] = find(&new);
            }
        static const uint8_t moved[4][BOARDS] = {{1, 0, 2}, {0, 2, 1}, {1, 2, 0}, {2, 0, 1}};
        for (int move = 0; move < 4; move++) {
            for (int place = 0; place < BOARDS; place++) {
                new.board[place] = own.board[moved[move][place]];
                new.side[place] = own.side[moved[move][place]];
                new.quarters[place] = own.quarters[moved[move][place]];
            }
            changed[i][ways++] = find(&new);
        }
    }
}
