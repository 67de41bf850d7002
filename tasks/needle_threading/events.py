"""Fictional events with names that occur nowhere else, and sentences that link two of them."""

from random import Random

_KINDS = (
    "Siege",
    "Treaty",
    "Fair",
    "Council",
    "Regatta",
    "Mutiny",
    "Parade",
    "Truce",
    "Auction",
    "Festival",
    "Pageant",
    "Blockade",
    "Jubilee",
    "Rebellion",
    "Banquet",
    "Tournament",
    "Coronation",
    "Expedition",
    "Eclipse",
    "Election",
    "Landslide",
    "Pilgrimage",
    "Exhibition",
    "Armistice",
)
_STARTS, _MIDDLES, _ENDS = (
    tuple(parts.split())
    for parts in (
        "Br Cal Dor Esk Fen Gal Hesk Ith Jor Kel Lun Mor Nav Orm Pell Quor Rav Sarn Thal Ulv "
        "Vess Wend Yar Zeph",
        "a e i o u an er il on us am eth ol ir ax",
        "bria dane dor fell gar hame lant mere mond nor pesh quin rast stow tal veth",
    )
)
"""Pieces of made-up place names."""
_LINKS = (
    "There was the {first}, and then there was the {then}.",
    "The {first} took place, and then the {then}.",
    "The {first} came to its end, and then came the {then}.",
    "People lived through the {first}, and then through the {then}.",
)

_LONGEST_NAME = sum(max(map(len, parts)) for parts in (_KINDS, (" of ",), _STARTS, _MIDDLES, _ENDS))
LONGEST_LINK = max(len(text.format(first="", then="")) for text in _LINKS) + 2 * _LONGEST_NAME + 1
"""Characters that no link exceeds, with the space before it."""
MOST_EVENTS = len(_STARTS) * len(_MIDDLES) * len(_ENDS) // 2
"""More would make the draw of distinct places slow."""


def draw_events(rng: Random, count: int) -> list[str]:
    """Names such as `Siege of Ormeth`, each with a place of its own."""
    places: dict[str, None] = {}
    while len(places) < count:
        place = rng.choice(_STARTS) + rng.choice(_MIDDLES) + rng.choice(_ENDS)
        places.setdefault(place)
    return [f"{rng.choice(_KINDS)} of {place}" for place in places]


def link(rng: Random, first: str, then: str) -> str:
    """A sentence that says that one event came right after another."""
    return rng.choice(_LINKS).format(first=first, then=then)
