"""What has been judged wrongly before, drawn with other words: what is owed, what is looked at, what can come back.

A theme is an action or two, with what they need, that turn on one such question. A game with a theme has little else,
so that what follows from it is not lost in the rest.
"""

from __future__ import annotations

from collections.abc import Callable

from attack.happening import Happening
from attack.owed import Owed
from attack.parts import Lines
from attack.telling import Telling


class Themes(Owed, Happening, Telling):
    """Draws themes. Each gives declarations."""

    def theme(self) -> Lines:
        """One that has not been drawn yet."""
        drawn = self.dice.pick([theme for theme in self.all_themes() if theme.__name__ not in self.done])
        self.done.add(drawn.__name__)
        return drawn()

    def all_themes(self) -> list[Callable[[], Lines]]:
        return [
            self.anything,
            self.anything,
            self.anything,
            self.anything,
            self.anything,
            self.anything,
            self.lazy_fold,
            self.lazy_fold,
            self.lazy_pick,
            self.lazy_range,
            self.nothing_moves,
            self.full,
            self.spots,
            self.first_in_a_row,
            self.first_in_a_row,
            self.no_weight,
            self.seats,
            self.sums_of_sets,
            self.empty_round,
            self.never_back,
            self.layers,
            self.spread,
            self.marked,
            self.indexed_by_what_changes,
            self.owed_by_options,
            self.kept_too_many,
            self.maps,
            self.nothing_there,
            self.leaves_its_caller,
            self.told_by_options,
            self.told_by_effects,
            self.told_by_effects,
            self.told_by_throws,
            self.told_by_throws,
            self.whoever_may,
            self.told_at_once,
            self.told_by_origins,
            self.over_or_not,
        ]
