/* Tic-tac-toe: each position is one state. */
byte square[9]; /* 0 free, 1 Cross, 2 Nought */
byte player = 1;
bit over;

#define holds(a, b, c) (square[a] == player && square[b] == player && square[c] == player)
#define put(c) :: d_step { !over && square[c] == 0 -> square[c] = player; \
	over = holds(0, 1, 2) || holds(3, 4, 5) || holds(6, 7, 8) || holds(0, 3, 6) || holds(1, 4, 7) \
	  || holds(2, 5, 8) || holds(0, 4, 8) || holds(2, 4, 6); \
	player = 3 - player }

active proctype play()
{
end:	do
	put(0)
	put(1)
	put(2)
	put(3)
	put(4)
	put(5)
	put(6)
	put(7)
	put(8)
	od
}
