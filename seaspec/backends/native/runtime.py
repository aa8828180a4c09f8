"""The functions that are the same for all games, in LLVM assembly: random numbers, picking, errors.

The random generator is SplitMix64 with a step of its own for each play: the n-th number of a play is a function of the
seed, the number of the play and n, so plays can be run in any order, on any number of threads.
"""

from __future__ import annotations

from seaspec.backends.native.assembly import MIDDLE
from seaspec.backends.native.values.unit import Context


def runtime(has_pdep: bool) -> str:
    """The text that every module begins with."""
    return _TEXT.format(
        one_bit=", ".join(f"i64 {int(word == MIDDLE)}" for word in range(2 * MIDDLE + 1)),
        error=Context.ERROR,
        seed=Context.SEED,
        gamma=Context.GAMMA,
        rows=Context.ROWS,
        picked=Context.PICKED,
        select=_SELECT_BY_PDEP if has_pdep else _SELECT_BY_LOOP,
    )


_SELECT_BY_PDEP = """
declare i64 @llvm.x86.bmi.pdep.64(i64, i64)
define internal i64 @select64(i64 %mask, i64 %number) #0 {
  %bit = shl i64 1, %number
  %placed = call i64 @llvm.x86.bmi.pdep.64(i64 %bit, i64 %mask)
  %position = call i64 @llvm.cttz.i64(i64 %placed, i1 false)
  ret i64 %position
}
"""
_SELECT_BY_LOOP = """
define internal i64 @select64(i64 %mask, i64 %number) #0 {
entry:
  br label %head
head:
  %left = phi i64 [ %mask, %entry ], [ %less, %body ]
  %count = phi i64 [ %number, %entry ], [ %fewer, %body ]
  %done = icmp eq i64 %count, 0
  br i1 %done, label %end, label %body
body:
  %down = add i64 %left, -1
  %less = and i64 %left, %down
  %fewer = add i64 %count, -1
  br label %head
end:
  %position = call i64 @llvm.cttz.i64(i64 %left, i1 false)
  ret i64 %position
}
"""
_TEXT = """\
@one_bit = internal unnamed_addr constant [127 x i64] [{one_bit}], align 64
declare i64 @llvm.cttz.i64(i64, i1)
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.sadd.sat.i64(i64, i64)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare {{i64, i1}} @llvm.umul.with.overflow.i64(i64, i64)

; An error; the first one counts.
define internal void @fail(ptr %c, i64 %message) cold noinline nounwind {{
  %error = getelementptr inbounds i8, ptr %c, i64 {error}
  %before = load i64, ptr %error
  %first = icmp eq i64 %before, 0
  %after = select i1 %first, i64 %message, i64 %before
  store i64 %after, ptr %error
  ret void
}}

define internal i64 @mixed(i64 %x) #0 {{
  %a = lshr i64 %x, 30
  %b = xor i64 %x, %a
  %c = mul i64 %b, -4658895280553007687
  %d = lshr i64 %c, 27
  %e = xor i64 %c, %d
  %f = mul i64 %e, -7723592293110705685
  %g = lshr i64 %f, 31
  %h = xor i64 %f, %g
  ret i64 %h
}}

; The generator is set for a play.
define void @seed(ptr %c, i64 %seed, i64 %play) #0 {{
  %s = getelementptr inbounds i8, ptr %c, i64 {seed}
  %g = getelementptr inbounds i8, ptr %c, i64 {gamma}
  %m = call i64 @mixed(i64 %seed)
  %p = mul i64 %play, -7046029254386353131
  %n = xor i64 %m, %p
  %a = call i64 @mixed(i64 %n)
  %o = add i64 %n, -7046029254386353131
  %b = call i64 @mixed(i64 %o)
  %odd = or i64 %b, 1
  store i64 %a, ptr %s
  store i64 %odd, ptr %g
  ret void
}}

define internal i64 @random_below(ptr %c, i64 %count) #0 {{
  %s = getelementptr inbounds i8, ptr %c, i64 {seed}
  %g = getelementptr inbounds i8, ptr %c, i64 {gamma}
  %state = load i64, ptr %s
  %step = load i64, ptr %g
  %next = add i64 %state, %step
  store i64 %next, ptr %s
  %r = call i64 @mixed(i64 %next)
  %wide = zext i64 %r to i128
  %n = zext i64 %count to i128
  %product = mul i128 %wide, %n
  %high = lshr i128 %product, 64
  %below = trunc i128 %high to i64
  ret i64 %below
}}

; The row that has the option with a number; which of the row stands beside the rows.
define internal ptr @pick_row(ptr %c, i64 %stride, i64 %number) #0 {{
entry:
  %where = getelementptr inbounds i8, ptr %c, i64 {rows}
  %rows = load ptr, ptr %where
  br label %head
head:
  %row = phi ptr [ %rows, %entry ], [ %beyond, %onward ]
  %left = phi i64 [ %number, %entry ], [ %less, %onward ]
  %count = load i64, ptr %row
  %here = icmp ult i64 %left, %count
  br i1 %here, label %found, label %onward
onward:
  %less = sub i64 %left, %count
  %beyond = getelementptr inbounds i8, ptr %row, i64 %stride
  br label %head
found:
  %picked = getelementptr inbounds i8, ptr %c, i64 {picked}
  store i64 %left, ptr %picked
  ret ptr %row
}}
{select}
; The same in a mask of several words.
define internal i64 @select_words(ptr %words, i64 %number) #0 {{
entry:
  br label %head
head:
  %at = phi i64 [ 0, %entry ], [ %next, %onward ]
  %left = phi i64 [ %number, %entry ], [ %less, %onward ]
  %place = getelementptr inbounds i64, ptr %words, i64 %at
  %word = load i64, ptr %place, align 8
  %count = call i64 @llvm.ctpop.i64(i64 %word)
  %here = icmp ult i64 %left, %count
  br i1 %here, label %found, label %onward
onward:
  %less = sub i64 %left, %count
  %next = add i64 %at, 1
  br label %head
found:
  %bit = call i64 @select64(i64 %word, i64 %left)
  %base = shl i64 %at, 6
  %position = or i64 %base, %bit
  ret i64 %position
}}

; Of some words only the bits of a table are kept.
define internal void @keep(ptr %words, ptr %table, i64 %count) noinline #0 {{
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %body, label %end
body:
  %here = getelementptr inbounds i64, ptr %words, i64 %i
  %there = getelementptr inbounds i64, ptr %table, i64 %i
  %word = load i64, ptr %here, align 8
  %mask = load i64, ptr %there, align 8
  %kept = and i64 %word, %mask
  store i64 %kept, ptr %here, align 8
  %next = add i64 %i, 1
  br label %head
end:
  ret void
}}

; How many subsets of a size; 2 ** 62 stands for that many and more.
define internal i64 @binomial(i64 %count, i64 %taken) #0 {{
entry:
  %possible = icmp ule i64 %taken, %count
  br i1 %possible, label %head, label %none
head:
  %i = phi i64 [ 0, %entry ], [ %more, %go ]
  %found = phi i64 [ 1, %entry ], [ %after, %go ]
  %done = icmp eq i64 %i, %taken
  br i1 %done, label %end, label %body
body:
  %left = sub i64 %count, %i
  %pair = call {{i64, i1}} @llvm.umul.with.overflow.i64(i64 %found, i64 %left)
  %product = extractvalue {{i64, i1}} %pair, 0
  %over = extractvalue {{i64, i1}} %pair, 1
  br i1 %over, label %many, label %go
go:
  %more = add i64 %i, 1
  %after = udiv i64 %product, %more
  br label %head
many:
  ret i64 4611686018427387904
end:
  ret i64 %found
none:
  ret i64 0
}}

attributes #0 = {{ nounwind }}
"""
