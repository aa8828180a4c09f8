/* Sea Lords written by hand in C, and played at random: the speed peer of native code.

   The rules, the questions and what is counted are those of sea_lords_peer.py and sea_lords_plays.py, which cite the
   catalogue of rules clause by clause. Every choice lists all of its distinct options and takes each with the same
   chance. Sets of cells are words of 64 bits; a line is scored by a program that goes along it once.

   Compiled with -DPLAIN, a set is looked through cell by cell, and all lines are scored for all numbers of all
   mercenaries; else neighbours and members of a set are found by shifts and by counting zeros, and of the lines only
   those are scored again that hold a mercenary and three ships side by side.

   sea_lords_peer LAYOUT FOUR SEED PLAYS SECONDS
       LAYOUT is printed, drawn, arranged, experienced, or picked (drawn, and the mercenaries picked by the players);
       FOUR is the worth of four equal ships. Plays so many games, or until so much processor time is used (0: no
       limit), and prints what it counted, as JSON.
*/

#include <stdio.h>
#include <time.h>

#include "sea_lords_rules.h"

static const char *const layout_names[] = {"printed", "drawn", "arranged", "experienced", "picked"};
static const char *const kind_names[] = {"arrange", "change", "pick", "hire", "lay", "order", "aim",
                                         "repair", "mine", "sweep", "shield", "recruit", "trap", "token"};
#ifdef PLAIN
enum { BATCH = 1000, PLAINLY = 1 };
#else
enum { BATCH = 1000, PLAINLY = 0 };
#endif

/* ------------------------------------------------------------------------------------------------------ scoring */

static int worth_of_four;
static const char *const shown[] = {"123", "789", "456", "258", "147", "369",
                                    "2468", "1379", "123456789", "5", "19", "123456789"};

static int best_of_line(const uint8_t *numbers, int size, int more) /* 0 stands for no ship */
{
    int best[LONGEST + 1] = {0};
    for (int end = 1; end <= size; end++) {
        best[end] = best[end - 1];
        int step = 0;
        for (int start = end - 2; start >= 0 && numbers[start] && numbers[start + 1]; start--) {
            int next = numbers[start + 1] - numbers[start], ships = end - start;
            if (ships == 2)
                step = next;
            if (next != step || step > 1 || step < -1 || (!step && ships > 4))
                break;
            if (ships >= 3) {
                int worth = (step ? ships - 1 : ships == 3 ? 3 : worth_of_four) + (step ? 0 : more);
                if (best[start] + worth > best[end])
                    best[end] = best[start] + worth;
            }
        }
    }
    return best[size];
}

static int combinations(const Game *game, int seat, int more)
{
    Set own = game->combat[seat];
    int fixed = 0, open = 0, members[HIRED], member_count = 0; /* the mercenaries that lie in a line that may score */
    struct {
        uint8_t numbers[LONGEST], cells[LONGEST], size;
    } lines[LINES];
    Set counting = 0;
    for (int line = 0; line < LINES; line++) {
        int row = line < ROWS, size = row ? COLUMNS : ROWS, step = row ? 1 : COLUMNS;
        int first = row ? line * COLUMNS : line - ROWS, neighbours = 0, longest = 0;
        Set hired = 0;
        lines[open].size = (uint8_t)size;
        for (int i = 0; i < size; i++) {
            int cell = first + i * step, there = (int)(own >> cell & 1);
            lines[open].cells[i] = (uint8_t)cell;
            lines[open].numbers[i] = there ? game->ship[cell] : 0;
            if (there && game->ship[cell] >= FIRST_MERCENARY)
                hired |= BIT(cell);
            neighbours = there ? neighbours + 1 : 0;
            longest = neighbours > longest ? neighbours : longest;
        }
        if (PLAINLY || (hired && longest >= 3)) {
            counting |= hired;
            open++;
        } else if (longest >= 3)
            fixed += best_of_line(lines[open].numbers, size, more);
    }
    for (; counting; counting &= counting - 1)
        members[member_count++] = __builtin_ctzll(counting);
    const char *number[HIRED];
    uint8_t picked[CELLS] = {0};
    for (int i = 0; i < member_count; i++) {
        number[i] = shown[game->ship[members[i]] - FIRST_MERCENARY];
        picked[members[i]] = (uint8_t)(*number[i] - '0');
    }
    int best = 0;
    for (;;) { /* all numbers, like an odometer */
        int sum = 0;
        for (int i = 0; i < open; i++) {
            for (int j = 0; j < lines[i].size; j++)
                if (picked[lines[i].cells[j]])
                    lines[i].numbers[j] = picked[lines[i].cells[j]];
            sum += best_of_line(lines[i].numbers, lines[i].size, more);
        }
        best = sum > best ? sum : best;
        int i = 0;
        for (; i < member_count; i++) {
            if (*++number[i]) {
                picked[members[i]] = (uint8_t)(*number[i] - '0');
                break;
            }
            number[i] = shown[game->ship[members[i]] - FIRST_MERCENARY];
            picked[members[i]] = (uint8_t)(*number[i] - '0');
        }
        if (i == member_count)
            return fixed + best;
    }
}

/* ------------------------------------------------------------------------------------------------------ counting */

static const char *const counted_names[] = {
    "plies", "turns", "Light Blue wins", "Dark Blue wins", "the first player wins", "stuck", "hired", "burning",
    "covered cells", "shields", "mines lying", "mines taken", "coins", "points", "ships in hand", "score",
    "score, squared", "lead of the first player",
};
enum { COUNTED = sizeof counted_names / sizeof *counted_names };

typedef struct {
    uint64_t plays, squares[COUNTED + 2 * KINDS];
    int64_t sums[COUNTED + 2 * KINDS];
} Summary;

static int score(const Game *game, int seat)
{
    Set own = game->combat[seat], hired = 0;
    int flagship = -1, bulwark = 0, quartermaster = 0, shields = 0;
    for (Set cells = own; cells; cells &= cells - 1) {
        int cell = __builtin_ctzll(cells), mercenary = game->ship[cell] - FIRST_MERCENARY;
        shields += game->shields[cell];
        hired |= mercenary < 0 ? 0 : BIT(cell);
        flagship = mercenary == FLAGSHIP ? cell : flagship;
        bulwark |= mercenary == BULWARK;
        quartermaster |= mercenary == QUARTERMASTER;
    }
    int points = combinations(game, seat, quartermaster) + __builtin_popcountll(own & half[!seat]);
    if (flagship >= 0)
        points += __builtin_popcountll(beside[flagship] & own);
    if (bulwark)
        points += shields + __builtin_popcountll(hired);
    return points + game->players[seat].points - 2 * game->players[seat].mines;
}

static void play_game(Game *game, int layout, Summary *summary)
{
    set_up(game, layout);
    int stuck = -1, winner = -1, scores[2] = {0, 0}, first = game->first;
    for (int turn = 0; turn < 2 * TURNS && stuck < 0; turn++)
        if (!take_turn(game, (first + turn) % 2))
            stuck = (first + turn) % 2;
    const Player *light = &game->players[0], *dark = &game->players[1];
    if (stuck >= 0)
        winner = !stuck;
    else {
        for (int seat = 0; seat < 2; seat++)
            scores[seat] = score(game, seat);
        if (scores[0] != scores[1])
            winner = scores[1] > scores[0];
        else if (light->coins != dark->coins)
            winner = dark->coins > light->coins;
    }
    int plies = 0, shields = 0;
    for (int kind = 0; kind < KINDS; kind++)
        plies += game->asked[kind];
    for (int cell = 0; cell < CELLS; cell++)
        shields += game->shields[cell];
    Set burning = game->burning[0] | game->burning[1];
    int counted[COUNTED + 2 * KINDS] = {
        plies, light->turns + dark->turns, winner == 0, winner == 1, winner == first, stuck >= 0,
        HIRED - __builtin_popcount(game->offered), __builtin_popcountll(burning),
        __builtin_popcountll(burning | game->combat[0] | game->combat[1]), shields,
        __builtin_popcountll(game->mines | game->fake), light->mines + dark->mines, light->coins + dark->coins,
        light->points + dark->points, light->in_hand + dark->in_hand, scores[0] + scores[1],
        scores[0] * scores[0] + scores[1] * scores[1], scores[first] - scores[!first],
    };
    for (int kind = 0; kind < KINDS; kind++) {
        counted[COUNTED + 2 * kind] = game->asked[kind];
        counted[COUNTED + 2 * kind + 1] = game->options[kind];
    }
    for (int i = 0; i < COUNTED + 2 * KINDS; i++) {
        summary->sums[i] += counted[i];
        summary->squares[i] += (uint64_t)((int64_t)counted[i] * counted[i]);
    }
    summary->plays++;
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void print_summary(const Summary *summary, double seconds)
{
    printf("{\"seconds\": %.6f, \"plays\": %llu, \"plies\": %lld, \"sums and squares\": {", seconds,
           (unsigned long long)summary->plays, (long long)summary->sums[0]);
    for (int i = 0; i < COUNTED + 2 * KINDS; i++) {
        int kind = (i - COUNTED) / 2;
        printf("%s\n \"", i ? "," : "");
        if (i < COUNTED)
            printf("%s", counted_names[i]);
        else
            printf("%s: %s", (i - COUNTED) % 2 ? "options" : "asked", kind_names[kind]);
        printf("\": [%lld, %llu]", (long long)summary->sums[i], (unsigned long long)summary->squares[i]);
    }
    printf("}}\n");
}

int main(int count, char **words)
{
    int layout = LAYOUTS;
    for (int i = 0; count == 6 && i < LAYOUTS; i++)
        if (!strcmp(words[1], layout_names[i]))
            layout = i;
    if (layout == LAYOUTS) {
        fprintf(stderr, "usage: sea_lords_peer printed|drawn|arranged|experienced|picked FOUR SEED PLAYS SECONDS\n");
        return 2;
    }
    worth_of_four = atoi(words[2]);
    random_state = strtoull(words[3], NULL, 10) * 0xd1342543de82ef95u;
    uint64_t plays = strtoull(words[4], NULL, 10);
    double limit = atof(words[5]);
    Summary summary = {0};
    Game game;
    draw_rays();
    list_arrangements();
    double began = processor_seconds();
    while ((!plays || summary.plays < plays) && (!limit || processor_seconds() - began < limit))
        for (int play = 0; play < BATCH && (!plays || summary.plays < plays); play++)
            play_game(&game, layout, &summary);
    print_summary(&summary, processor_seconds() - began);
    return 0;
}
