"""Where items of a chart wait for a non-terminal: sets of places and origins as the bits of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

_FEW = 8  # places that are looked at one by one


@dataclass(slots=True)
class Waiting:
    """Where in the text an item waits for a non-terminal, and where it began."""

    chains: bool  # whether the non-terminal is the last symbol of one of its own productions
    itself: int = 0  # places where it waits and began at once, as bits
    elsewhere: int = 0  # places where it waits and began before
    origins: dict[int, tuple[int, int]] = field(default_factory=dict)  # by such a place, and of all up to there
    union: int = 0  # of these origins
    recent: list[tuple[int, int]] = field(default_factory=list)  # many places that were asked for, and the answer
    few: dict[int, list[int]] = field(default_factory=dict)  # where it waits, by where it began, if few places compete
    many: int = 0  # where else it waits

    def note(self, place: int, origins: int) -> None:
        """Remember where it began, for the way back from a place to what ends there."""
        if origins.bit_count() > _FEW:
            self.many |= 1 << place
        else:
            for origin in bits(origins):
                self.few.setdefault(origin, []).append(place)

    def begun(self, origin: int, places: int) -> list[int]:
        """Those of some places where it waits and may have begun at an origin."""
        few = [place for place in self.few.get(origin, ()) if places >> place & 1]
        return [*few, *bits(self.many & places)]

    def add(self, place: int, origins: int) -> None:
        """At one more place, to the right of all others."""
        self.union |= origins
        self.elsewhere |= 1 << place
        self.origins[place] = (origins, self.union)

    def gathered(self, places: int, known: int) -> int:
        """Where the item began that waits at some places, if before them; parts of what is known may be left out."""
        left, found = places & self.elsewhere, 0
        for _ in range(_FEW):
            if not left:
                return found
            place = left.bit_length() - 1
            left ^= 1 << place
            origins, union = self.origins[place]
            if not union & ~(known | found):
                return found  # neither this place nor any before it adds anything
            found |= origins
        return found | self._many(left)

    def _many(self, places: int) -> int:
        """The same for many places: most of them were often asked for before."""
        left, found = places, 0
        for asked, answer in self.recent:
            if not asked & ~left:
                left ^= asked
                found |= answer
        for place in bits(left):
            found |= self.origins[place][0]
        self.recent = [(places, found), *self.recent[: _FEW - 1]]
        return found


def bits(number: int) -> Iterator[int]:
    """The places of the ones, from the lowest on."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest
