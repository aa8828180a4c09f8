/* Calm (the standard game, 2 to 5 players) written by hand in C, and played at random: the speed peer of native code.

   The rules, the protocol and the words are those of calm_peer.py, which cites the catalogue of rules clause by clause.
   Every choice lists all of its distinct options and takes each with the same chance: the deeds of a turn are written
   out, card by card and cell by cell; the selections of n cards that a hand has are listed once, in a table.

   Compiled with -DPLAIN, a turn looks along the laid numbers for the gap of each card, and prices each of its cells; else
   the gap is known beforehand for every number, only its outer cells are priced, and whole runs of cells are copied.

   calm_peer PLAYERS SEED GAMES SECONDS     plays so many games, or until so much processor time is used (0: no limit),
                                            and prints what it counted, as JSON
*/

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CELLS = 36, LAST = 80, FINISHES = 5, HAND = 5, DUES = 8 };
enum { FINISH = LAST + 1, START = LAST + 2, KINDS_OF_CARD = LAST + 3 };
enum { MOST_PLAYERS = 5, BIG_HAND = HAND + 2, DECK = LAST + FINISHES, PILE = (DECK + 1) / 2 + 1, BATCH = 1000 };
enum { START_UNPAID, NO_CARD, ONE_CARD, WON, ENDINGS };
enum { DEED, PAYMENT, DROP, SHARE, GIFT, KINDS };

static const char *const ending_names[] = {"Start unpaid", "stuck, no card", "stuck, one card", "won"};
static const char *const kind_names[] = {"deed", "payment", "drop", "share", "gift"};

typedef struct {
    uint8_t size, cards[BIG_HAND];
} Hand;

typedef struct {
    uint8_t size, cards[PILE]; /* drawn from the end */
} Pile;

typedef struct {
    int players, seat, started, islands;
    uint8_t numbers[CELLS + 2];                         /* by cell; 0 is empty, as are the rims */
    uint8_t below[KINDS_OF_CARD], above[KINDS_OF_CARD]; /* for each number the laid cells, or rims, next to its gap */
    uint8_t laid[CELLS];                                /* the laid cells in order, for the plain engine */
    Hand hands[MOST_PLAYERS];
    Pile piles[MOST_PLAYERS];
} Table;

typedef struct {
    uint64_t games, turns, turns_squared, longest, islands, islands_squared, starts, decisions;
    uint64_t endings[ENDINGS], asked[KINDS], forced[KINDS], options[KINDS];
} Summary;

typedef struct {
    uint8_t card, cell; /* the place of the card in the hand; cell 0: two are dropped, cell CELLS + 1: the Finish */
} Deed;

enum { STRIDE = 8 };

static uint64_t random_state;

static inline uint32_t below_limit(uint32_t limit) /* splitmix64, and the upper half of a product */
{
    uint64_t z = (random_state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)(((z ^ (z >> 31)) >> 32) * limit >> 32);
}

static inline void ask(Summary *summary, int kind, uint32_t options)
{
    summary->asked[kind]++;
    summary->options[kind] += options;
    summary->forced[kind] += options == 1;
    summary->decisions += options > 1;
}

static inline int most(int a, int b) { return a > b ? a : b; }
static inline int least(int a, int b) { return a < b ? a : b; }

/* Selections: sets of places of a hand whose first cards are the twins. Which of the twins go makes no difference, so a
   selection has the first ones. */

static uint8_t selections[BIG_HAND + 1][BIG_HAND + 1][BIG_HAND + 1][35]; /* by cards, twins, and how many are wanted */
static uint8_t selection_count[BIG_HAND + 1][BIG_HAND + 1][BIG_HAND + 1];

static void list_selections(void)
{
    for (int cards = 0; cards <= BIG_HAND; cards++)
        for (int twins = 0; twins <= cards; twins++)
            for (int set = 0; set < 1 << cards; set++) {
                int among_twins = set & ((1 << twins) - 1);
                if (among_twins & (among_twins + 1))
                    continue; /* not the first ones */
                int wanted = __builtin_popcount(set);
                selections[cards][twins][wanted][selection_count[cards][twins][wanted]++] = (uint8_t)set;
            }
}

static void discard(Hand *hand, int wanted, int kind, Summary *summary)
{
    int twins = 0;
    for (int i = 0; i < hand->size; i++)
        if (hand->cards[i] == FINISH) {
            hand->cards[i] = hand->cards[twins];
            hand->cards[twins++] = FINISH;
        }
    uint32_t ways = selection_count[hand->size][twins][wanted];
    ask(summary, kind, ways);
    int set = selections[hand->size][twins][wanted][below_limit(ways)], kept = 0;
    for (int i = 0; i < hand->size; i++) {
        hand->cards[kept] = hand->cards[i];
        kept += !(set >> i & 1);
    }
    hand->size = (uint8_t)kept;
}

static inline void draw(Hand *hand, Pile *pile, int size)
{
    while (hand->size < size && pile->size)
        hand->cards[hand->size++] = pile->cards[--pile->size];
}

static void take_away(Hand *hand, int place)
{
    hand->size--;
    for (int i = place; i < hand->size; i++)
        hand->cards[i] = hand->cards[i + 1];
}

static int find(const Hand *hand, int card) /* its place, or -1 */
{
    for (int i = 0; i < hand->size; i++)
        if (hand->cards[i] == card)
            return i;
    return -1;
}

static void deal(Table *table, int players)
{
    uint8_t deck[DECK];
    for (int i = 0; i < DECK; i++)
        deck[i] = (uint8_t)(i < LAST ? i + 1 : FINISH);
    for (int i = DECK; i > 1; i--) {
        uint32_t other = below_limit((uint32_t)i);
        uint8_t card = deck[other];
        deck[other] = deck[i - 1];
        deck[i - 1] = card;
    }
    memset(table, 0, sizeof *table);
    table->players = players;
    memset(table->above, CELLS + 1, FINISH); /* the Finish and the Start fit nowhere */
    for (int seat = 0; seat < players; seat++) {
        Pile *pile = &table->piles[seat];
        for (int i = seat; i < DECK; i += players)
            pile->cards[pile->size++] = deck[i];
        draw(&table->hands[seat], pile, HAND);
        uint32_t place = below_limit(pile->size + 1u);
        memmove(pile->cards + place + 1, pile->cards + place, pile->size++ - place);
        pile->cards[place] = START;
    }
}

static int price(const Table *table, int card, int cell)
{
    int before = table->numbers[cell - 1], after = table->numbers[cell + 1];
    if (before && after)
        return card - before < after - card ? card - before : after - card;
    return before ? card - before : after ? after - card : 0;
}

#ifdef PLAIN

static int list_deeds(const Table *table, const Hand *hand, Deed *deeds)
{
    int count = 0;
    for (int i = 0; i < hand->size; i++) {
        int card = hand->cards[i], above = 0;
        if (card > LAST)
            continue;
        while (above < table->islands && table->numbers[table->laid[above]] < card)
            above++;
        int end = above < table->islands ? table->laid[above] : CELLS + 1;
        for (int cell = above ? table->laid[above - 1] + 1 : 1; cell < end; cell++)
            if (price(table, card, cell) < hand->size)
                deeds[count++] = (Deed){(uint8_t)i, (uint8_t)cell};
    }
    if (hand->size > 1)
        deeds[count++] = (Deed){0, 0};
    if (table->started && table->islands == CELLS && find(hand, FINISH) >= 0)
        deeds[count++] = (Deed){0, CELLS + 1};
    return count;
}

static void lay(Table *table, int card, int cell)
{
    int place = table->islands++;
    for (; place && table->laid[place - 1] > cell; place--)
        table->laid[place] = table->laid[place - 1];
    table->laid[place] = (uint8_t)cell;
    table->numbers[cell] = (uint8_t)card;
}

static void write_lines(void) {}

#else

/* Laid numbers ascend, so a number fits exactly in the cells between the laid numbers next to it. Of these only the two
   outer ones can cost anything, and a lone cell between two laid numbers costs the lesser difference. The deeds are
   copied from `lines`, a few at a time and some at least, for no processor can guess how long a gap is. */

static Deed lines[HAND][CELLS + 2 + STRIDE]; /* for each place in the hand the deeds of all cells */

static void write_lines(void)
{
    for (int i = 0; i < HAND; i++)
        for (int cell = 0; cell < CELLS + 2 + STRIDE; cell++)
            lines[i][cell] = (Deed){(uint8_t)i, (uint8_t)cell};
}

static int list_deeds(const Table *table, const Hand *hand, Deed *deeds)
{
    int count = 0, payers = hand->size - 1;
    for (int i = 0; i < hand->size; i++) {
        int card = hand->cards[i], below = table->below[card], above = table->above[card];
        int laid_below = below > 0, laid_above = above <= CELLS;
        int dear_below = laid_below & (card - table->numbers[below] > payers);
        int dear_above = laid_above & (table->numbers[above] - card > payers);
        int lone = (above - below == 2) & laid_below & laid_above;
        int first = below + 1 + (lone ? dear_below & dear_above : dear_below);
        int end = above - (lone ? 0 : dear_above);
        int cell = first;
        do
            memcpy(deeds + count + cell - first, &lines[i][cell], STRIDE * sizeof *deeds);
        while ((cell += STRIDE) < end);
        count += most(0, end - first);
    }
    if (hand->size > 1)
        deeds[count++] = (Deed){0, 0};
    if (table->started && table->islands == CELLS && find(hand, FINISH) >= 0)
        deeds[count++] = (Deed){0, CELLS + 1};
    return count;
}

static void lay(Table *table, int card, int cell)
{
    int below = table->below[card], above = table->above[card];
    int low = below > 0 ? table->numbers[below] : 0, high = above <= CELLS ? table->numbers[above] : LAST + 1;
    table->numbers[cell] = (uint8_t)card;
    table->islands++;
    memset(table->above + low + 1, cell, (size_t)(card - low - 1));
    memset(table->below + card + 1, cell, (size_t)(high - card - 1));
}

#endif

static int lay_start(Table *table, Hand *laying, int place, Summary *summary) /* whether it can be paid */
{
    int players = table->players, extra = players == 2 ? 2 : 0, pool = 0;
    for (int seat = 0; seat < players; seat++)
        pool += table->hands[seat].size + least(extra, table->piles[seat].size);
    if (pool - 1 < DUES)
        return 0;
    ask(summary, DEED, 1);
    take_away(laying, place);
    for (int seat = 0; seat < players; seat++)
        draw(&table->hands[seat], &table->piles[seat], table->hands[seat].size + extra);

    int shares[MOST_PLAYERS], missing = DUES;
    for (int turn = 0; turn < players; turn++) {
        int size = table->hands[(table->seat + turn) % players].size, later_must = 0, later_can = 0;
        for (int later = turn + 1; later < players; later++) {
            int other = table->hands[(table->seat + later) % players].size;
            later_must += most(0, other - HAND);
            later_can += other;
        }
        int must = most(0, size - HAND), floor = most(must, missing - later_can);
        int roof = most(must, least(size, missing - later_must));
        ask(summary, SHARE, (uint32_t)(roof - floor + 1));
        shares[turn] = floor + (int)below_limit((uint32_t)(roof - floor + 1));
        missing = most(0, missing - shares[turn]);
    }
    for (int turn = 0; turn < players; turn++)
        if (shares[turn])
            discard(&table->hands[(table->seat + turn) % players], shares[turn], GIFT, summary);
    for (int seat = 0; seat < players; seat++)
        draw(&table->hands[seat], &table->piles[seat], HAND);
    table->started = 1;
    return 1;
}

static void play_game(Table *table, Summary *summary)
{
    Deed deeds[HAND * CELLS + 2 + STRIDE];
    uint64_t turns = 0;
    int ending;
    for (;; turns++, table->seat = table->seat + 1 < table->players ? table->seat + 1 : 0) {
        Hand *hand = &table->hands[table->seat];
        int start = table->started ? -1 : find(hand, START);
        if (start >= 0) {
            ending = START_UNPAID;
            if (!lay_start(table, hand, start, summary))
                break;
            continue;
        }
        int count = list_deeds(table, hand, deeds);
        if (!count) {
            ending = hand->size ? ONE_CARD : NO_CARD;
            break;
        }
        ask(summary, DEED, (uint32_t)count);
        Deed deed = deeds[below_limit((uint32_t)count)];
        if (deed.cell == 0)
            discard(hand, 2, DROP, summary);
        else if (deed.cell <= CELLS) {
            int card = hand->cards[deed.card], wanted = price(table, card, deed.cell);
            take_away(hand, deed.card);
            lay(table, card, deed.cell);
            if (wanted)
                discard(hand, wanted, PAYMENT, summary);
        } else {
            turns++;
            ending = WON;
            break;
        }
        draw(hand, &table->piles[table->seat], HAND);
    }
    uint64_t islands = (uint64_t)table->islands;
    summary->games++;
    summary->turns += turns;
    summary->turns_squared += turns * turns;
    summary->longest = turns > summary->longest ? turns : summary->longest;
    summary->islands += islands;
    summary->islands_squared += islands * islands;
    summary->starts += (uint64_t)table->started;
    summary->endings[ending]++;
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void print_counts(const char *name, const char *const *names, const uint64_t *counts, int size)
{
    printf(",\n \"%s\": {", name);
    for (int i = 0; i < size; i++)
        printf("%s\"%s\": %llu", i ? ", " : "", names[i], (unsigned long long)counts[i]);
    printf("}");
}

static void print_summary(const Summary *summary, double seconds)
{
    static const char *const names[] = {"plays",   "plies",           "plies squared", "longest",
                                        "islands", "islands squared", "starts",        "decisions"};
    const uint64_t numbers[] = {summary->games,   summary->turns,           summary->turns_squared, summary->longest,
                                summary->islands, summary->islands_squared, summary->starts,        summary->decisions};
    printf("{\"seconds\": %.6f", seconds);
    for (int i = 0; i < 8; i++)
        printf(",\n \"%s\": %llu", names[i], (unsigned long long)numbers[i]);
    print_counts("endings", ending_names, summary->endings, ENDINGS);
    print_counts("asked", kind_names, summary->asked, KINDS);
    print_counts("forced", kind_names, summary->forced, KINDS);
    print_counts("options", kind_names, summary->options, KINDS);
    printf("}\n");
}

int main(int count, char **words)
{
    int players = count == 5 ? atoi(words[1]) : 0;
    if (players < 2 || players > MOST_PLAYERS) {
        fprintf(stderr, "usage: calm_peer PLAYERS SEED GAMES SECONDS, with 2 to 5 players\n");
        return 2;
    }
    random_state = strtoull(words[2], NULL, 10) * 0xd1342543de82ef95u;
    uint64_t games = strtoull(words[3], NULL, 10);
    double limit = atof(words[4]);
    Summary summary = {0};
    Table table;
    list_selections();
    write_lines();
    double began = processor_seconds();
    while ((!games || summary.games < games) && (!limit || processor_seconds() - began < limit))
        for (int game = 0; game < BATCH && (!games || summary.games < games); game++) {
            deal(&table, players);
            play_game(&table, &summary);
        }
    print_summary(&summary, processor_seconds() - began);
    return 0;
}
