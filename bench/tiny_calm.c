/* All positions of a tiny Calm, found breadth first by a search written by hand: the peer of exhaustive exploration.

   The cards 1..N lie in one deck; one player has a hand of 3; the sea is a row of 6 cells. A turn is to play a card by
   Calm's rules of order and price, or to discard one card, then to draw up to 3; who has no card left has ended. What
   is counted are the positions at the start of a turn (ends are such positions, too), and whole turns: one for each
   card, cell, set of cards that pays, and set of cards that is drawn. tiny_calm.sea is the same world.

   A position is one word of 64 bits: four bits a cell, then one bit a card for the hand and one for the deck; the highest
   bit is set, so that none is 0.

   tiny_calm N [REPEATS]     searches all of it so many times (1), and prints what it counted in one, as JSON */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CELLS = 6, HAND = 3, MOST_CARDS = 12, HAND_AT = 4 * CELLS, DECK_AT = HAND_AT + 16, MOST_TURNS = 8192 };
enum { FIRST_SIZE = 1 << 12 };

typedef uint64_t Position;

typedef struct {
    Position *slots; /* a hash table of positions; 0 is free */
    Position *found; /* all positions, in the order in which they were found */
    uint64_t size, count;
} Known;

typedef struct {
    uint64_t positions, ends, turns, depth, bytes;
} Counted;

static void *room(uint64_t bytes)
{
    void *found = calloc(1, bytes);
    if (!found) {
        fprintf(stderr, "tiny_calm: no more memory\n");
        exit(1);
    }
    return found;
}

static inline uint64_t hand_of(Position position) { return position >> HAND_AT & 0xffff; }
static inline uint64_t deck_of(Position position) { return position >> DECK_AT & 0xffff; }

static inline uint64_t slot_of(const Known *known, Position position)
{
    uint64_t hash = position * 0x9e3779b97f4a7c15u;
    return (hash ^ hash >> 32) & (known->size - 1);
}

static inline Position *place_of(const Known *known, Position position) /* where it stands, or is to stand */
{
    uint64_t slot = slot_of(known, position);
    while (known->slots[slot] && known->slots[slot] != position)
        slot = (slot + 1) & (known->size - 1);
    return &known->slots[slot];
}

static void grow(Known *known)
{
    Known bigger = {NULL, NULL, known->size ? 2 * known->size : FIRST_SIZE, known->count};
    bigger.slots = room(bigger.size * sizeof(Position));
    bigger.found = room(bigger.size / 2 * sizeof(Position)); /* the table is half full at most */
    for (uint64_t i = 0; i < known->count; i++) {
        bigger.found[i] = known->found[i];
        *place_of(&bigger, known->found[i]) = known->found[i];
    }
    free(known->slots);
    free(known->found);
    *known = bigger;
}

static void add(Known *known, Position position)
{
    if (2 * (known->count + 1) > known->size)
        grow(known);
    Position *place = place_of(known, position);
    if (!*place) {
        *place = position;
        known->found[known->count++] = position;
    }
}

/* The positions after the draw. `gone`: bits of the drawn cards, to be moved from the deck to the hand. */

static inline Position drawn(Position before, uint64_t gone)
{
    return (before | gone << HAND_AT) & ~(gone << DECK_AT);
}

static Position *refill(Position before, Position *after)
{
    uint64_t deck = deck_of(before);
    int wanted = HAND - __builtin_popcountll(hand_of(before));
    if (__builtin_popcountll(deck) <= wanted) {
        *after++ = drawn(before, deck);
        return after;
    }
    if (wanted == 0)
        *after++ = before;
    else if (wanted == 1)
        for (uint64_t a = deck; a; a &= a - 1)
            *after++ = drawn(before, a & -a);
    else if (wanted == 2)
        for (uint64_t a = deck; a; a &= a - 1)
            for (uint64_t b = a & (a - 1); b; b &= b - 1)
                *after++ = drawn(before, (a & -a) | (b & -b));
    else
        for (uint64_t a = deck; a; a &= a - 1)
            for (uint64_t b = a & (a - 1); b; b &= b - 1)
                for (uint64_t c = b & (b - 1); c; c &= c - 1)
                    *after++ = drawn(before, (a & -a) | (b & -b) | (c & -c));
    return after;
}

static Position *turns_from(Position position, Position *after)
{
    uint64_t hand = hand_of(position);
    for (uint64_t left = hand; left; left &= left - 1) {
        int card = __builtin_ctzll(left) + 1;
        uint64_t rest = hand & ~(left & -left);
        Position without = position & ~((left & -left) << HAND_AT);
        after = refill(without, after);
        int first = 0, end = CELLS, below = 0, above = 0; /* the gap for this card, and the numbers next to it */
        for (int cell = 0; cell < CELLS; cell++) {
            int number = (int)(position >> 4 * cell & 15);
            if (number && number < card) {
                first = cell + 1;
                below = number;
            } else if (number) {
                end = cell;
                above = number;
                break;
            }
        }
        for (int cell = first; cell < end; cell++) {
            int from_below = below && cell == first ? card - below : 0;
            int from_above = above && cell == end - 1 ? above - card : 0;
            int price = from_below && (from_below < from_above || !from_above) ? from_below : from_above;
            Position laid = without | (Position)card << 4 * cell;
            if (price == 0)
                after = refill(laid, after);
            else if (price == __builtin_popcountll(rest))
                after = refill(laid & ~(rest << HAND_AT), after);
            else if (price < __builtin_popcountll(rest)) /* one of two */
                for (uint64_t paid = rest; paid; paid &= paid - 1)
                    after = refill(laid & ~((paid & -paid) << HAND_AT), after);
        }
    }
    return after;
}

static Counted search(int cards)
{
    static Position after[MOST_TURNS];
    Known known = {0};
    Counted counted = {0};
    Position *end = refill(1ull << 63 | ((1ull << cards) - 1) << DECK_AT, after);
    for (Position *p = after; p < end; p++)
        add(&known, *p);
    uint64_t next = 0;
    while (next < known.count) {
        for (uint64_t layer_end = known.count; next < layer_end; next++) {
            end = turns_from(known.found[next], after);
            for (Position *p = after; p < end; p++)
                __builtin_prefetch(&known.slots[slot_of(&known, *p)]);
            for (Position *p = after; p < end; p++)
                add(&known, *p);
            counted.turns += (uint64_t)(end - after);
            counted.ends += end == after;
        }
        counted.depth += next < known.count;
    }
    counted.positions = known.count;
    counted.bytes = (known.size + known.size / 2) * sizeof(Position);
    free(known.slots);
    free(known.found);
    return counted;
}

int main(int count, char **words)
{
    int cards = count == 2 || count == 3 ? atoi(words[1]) : 0, repeats = count == 3 ? atoi(words[2]) : 1;
    if (cards < 1 || cards > MOST_CARDS || repeats < 1) {
        fprintf(stderr, "usage: tiny_calm N [REPEATS], with 1 to %d cards\n", MOST_CARDS);
        return 2;
    }
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    double began = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    Counted counted = {0};
    for (int i = 0; i < repeats; i++)
        counted = search(cards);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    double seconds = ((double)now.tv_sec + 1e-9 * (double)now.tv_nsec - began) / repeats;
    printf("{\"seconds\": %.6f, \"positions\": %llu, \"ends\": %llu, \"steps\": %llu, \"depth\": %llu, \"bytes\": %llu}\n",
           seconds, (unsigned long long)counted.positions, (unsigned long long)counted.ends,
           (unsigned long long)counted.turns, (unsigned long long)counted.depth, (unsigned long long)counted.bytes);
    return 0;
}
