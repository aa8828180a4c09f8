"""Which examples have most to do with a text: with a house rule, say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

from seaspec.core import ir


def nearest_first(examples: Sequence[ir.Example], near: Collection[str]) -> list[ir.Example]:
    """The examples that share most words with a text first: seldom words count for more. So an example that a house
    rule changes is found soon. With the same words, in the order of the text."""
    words = [words_of(example.source.span.text) & frozenset(near) for example in examples]
    common = Counter(word for each in words for word in each)
    worth = [sum(1 / common[word] for word in sorted(each)) for each in words]
    return [example for _, example in sorted(zip(worth, examples, strict=True), key=lambda pair: -pair[0])]


def words_of(text: str) -> frozenset[str]:
    """The names in a text, and other words in it.

    >>> sorted(words_of("forbid land(s, f) when s.masts = 1"))
    ['forbid', 'land', 'masts', 'when']
    """
    return frozenset(re.findall(r"[A-Za-z_]\w+", text))
