"""The axes of Needle Threading with their published values (arXiv 2411.05000)."""

import string

from tasks.needle_threading.pairs import PAIR_CHARS
from tasks.sample import Axis

SOURCE = "arXiv 2411.05000"

SIZE = Axis(
    name="size",
    published=(
        2_000,
        4_000,
        8_000,
        16_000,
        32_000,
        50_000,
        100_000,
        200_000,
        276_000,
        400_000,
        800_000,
        1_000_000,
    ),
    unit="chars",
    source="section 3; characters are 80 per pair, the upper seven are derived from file sizes",
    minimum=PAIR_CHARS,
)
DEPTH = Axis(
    name="depth",
    published=tuple(range(0, 101, 10)),
    unit="percent",
    source="section 3, single needle",
    minimum=0,
    has_curves=True,
    maximum=100,
    integer=False,
)
NEEDLES = Axis(
    name="needles",
    published=(1, 2, 3, 4, 5, 10, 15, 20, 25),
    unit="needles",
    source="section 4.2 and released data; section 3 starts at 2",
    minimum=1,
    has_curves=True,
)
PLACEMENT = Axis(
    name="placement",
    published=("random", "clustered"),
    source="section 3",
    choices=("random", "clustered"),
)
CHARACTER = Axis(
    name="character",
    published=("*",),
    is_apart=True,
    source="section 3, conditional needles; others in the appendix",
    # JSON would escape the first two, and a hyphen is no sign among hyphens
    choices=tuple(mark for mark in string.punctuation if mark not in '"\\-'),
)
THREAD_LENGTH = Axis(
    name="thread_length",
    published=(2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 25),
    unit="pairs",
    source="section 3, threading; the released data have a 13th length, presumably 1",
    minimum=1,
    has_curves=True,
)
MULTI_THREAD_LENGTH = Axis(
    name="thread_length",
    published=(2, 3, 4, 5, 10),
    unit="pairs",
    source="section 3, multi-threading",
    minimum=1,
    has_curves=True,
)
BRANCHED_LENGTH = Axis(
    name="thread_length",
    published=tuple(range(2, 11)),
    unit="pairs",
    source="appendix A",
    minimum=2,
    has_curves=True,
)
DIRECTION = Axis(
    name="direction",
    published=("forward", "backward", "random"),
    source="section 3, threading",
    choices=("forward", "backward", "random"),
)
MULTI_DIRECTION = Axis(
    name="direction",
    published=("forward", "backward", "random_directions", "all_random"),
    source="section 3, multi-threading; the last two are named there, their meaning is ours",
    choices=("forward", "backward", "random_directions", "all_random"),
)
THREADS = Axis(
    name="threads",
    published=(2, 3, 4, 5),
    unit="threads",
    is_apart=True,
    source="section 3, multi-threading; figure 10 goes to 25",
    minimum=1,
)
BRANCHING = Axis(
    name="branching",
    published=tuple(range(2, 11)),
    unit="branches",
    source="appendix A",
    minimum=1,
)
NATURAL_SIZE = Axis(
    name="size",
    published=(
        5_000,
        10_000,
        20_000,
        50_000,
        100_000,
        200_000,
        500_000,
        1_000_000,
        2_000_000,
        2_800_000,
    ),
    unit="chars",
    source="natural text, 1k to 630k tokens; the ladder is ours, at 4.5 characters a token",
    minimum=PAIR_CHARS,
)
NATURAL_THREADS = Axis(
    name="threads",
    published=tuple(range(2, 26)),
    unit="threads",
    is_apart=True,
    source="figure 13: threads of length 3 in about 20k tokens",
    minimum=1,
)
NATURAL_MULTI_SIZE = Axis(
    name="size",
    published=(90_000,),
    unit="chars",
    source="figure 13: about 20k tokens, at 4.5 characters a token",
    minimum=PAIR_CHARS,
)
NATURAL_MULTI_LENGTH = Axis(
    name="thread_length",
    published=(3,),
    unit="events",
    source="figure 13",
    minimum=1,
    has_curves=True,
)
NATURAL_LENGTH = Axis(
    name="thread_length",
    published=(1, *THREAD_LENGTH.published),
    unit="events",
    source="natural text, 13 lengths up to 25 steps; which they are is taken from threading",
    minimum=1,
    has_curves=True,
)
NATURAL_DIRECTION = Axis(
    name="direction",
    published=DIRECTION.published,
    source="natural text",
    choices=DIRECTION.choices,
)
NATURAL_MULTI_DIRECTION = Axis(
    name="direction",
    published=("forward", "all_random"),
    source="figure 13",
    choices=MULTI_DIRECTION.choices,
)
