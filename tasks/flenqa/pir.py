"""People In Rooms: who is where, what the room is like, and whether the two go together."""

from random import Random
from typing import ClassVar

from tasks.facts import TaskFacts
from tasks.flenqa.family import SOURCE, TRUE_OR_FALSE, Axes, FlenqaTask
from tasks.flenqa.instance import BaseInstance, capital, paragraph
from tasks.flenqa.words import words


class PeopleInRooms(FlenqaTask):
    """Is the person in a room with that property?"""

    name: ClassVar[str] = "flenqa.pir"
    source: ClassVar[str] = f"{SOURCE}, People In Rooms; rooms and properties ours"
    dataset: ClassVar[str] = "PIR"
    facts: ClassVar[TaskFacts] = TRUE_OR_FALSE
    first_label: ClassVar[bool] = False

    def chance(self, axes: Axes) -> float | None:
        """A coin's."""
        del axes
        return 0.5

    def _draw(self, rng: Random, *, label: bool) -> BaseInstance:
        lists = words()
        first = rng.sample([name for name in lists.first if not name.endswith("s")], 2)
        person = f"{first[0]} {rng.choice(lists.last)}"
        room = f"{first[1]}'s {rng.choice(lists.rooms)}"
        has, has_not = rng.sample(rng.choice(lists.properties), 2)
        where = paragraph(rng, f"{person} is in {room}.", lists.located, a=person, b=room)
        what = paragraph(rng, f"{capital(room)} has {has}.", lists.furnished, a=room, b=has)
        return BaseInstance(
            paragraphs=(where, what),
            question=f"Is {person} in a room with {has if label else has_not}?",
            label=label,
            entities=frozenset((person, room)),
        )
