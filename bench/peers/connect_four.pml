/* Connect four on four columns of four: each position is one state. */
byte hole[16]; /* column by column from below; 0 free, 1 Red, 2 Yellow */
byte height[4];
byte player = 1;
bit over;

#define holds(a, b, c, d) (hole[a] == player && hole[b] == player && hole[c] == player && hole[d] == player)
#define up(k) holds(4*k, 4*k + 1, 4*k + 2, 4*k + 3)
#define across(r) holds(r, r + 4, r + 8, r + 12)
#define drop(k) :: d_step { !over && height[k] < 4 -> hole[4*k + height[k]] = player; height[k]++; \
	over = up(0) || up(1) || up(2) || up(3) || across(0) || across(1) || across(2) || across(3) \
	  || holds(0, 5, 10, 15) || holds(3, 6, 9, 12); \
	player = 3 - player }

active proctype play()
{
end:	do
	drop(0)
	drop(1)
	drop(2)
	drop(3)
	od
}
