"""Places that magic numbers belong to: 69 distinct names, as many as in the published list."""

from random import Random

CITIES = (
    "Chicago", "Kigali", "Khartoum", "Athens", "Auckland", "Baku", "Bangkok", "Barcelona",
    "Belgrade", "Bogota", "Brussels", "Budapest", "Cairo", "Caracas", "Casablanca", "Copenhagen",
    "Dakar", "Damascus", "Delhi", "Denver", "Dubai", "Dublin", "Geneva", "Hanoi", "Havana",
    "Helsinki", "Houston", "Islamabad", "Istanbul", "Jakarta", "Johannesburg", "Kampala",
    "Kathmandu", "Kingston", "Lagos", "Lima", "Lisbon", "London", "Luanda", "Lusaka", "Madrid",
    "Manila", "Melbourne", "Miami", "Milan", "Montreal", "Moscow", "Mumbai", "Nairobi", "Osaka",
    "Oslo", "Ottawa", "Paris", "Prague", "Quito", "Reykjavik", "Riga", "Rome", "Santiago",
    "Seattle", "Seoul", "Singapore", "Stockholm", "Sydney", "Tallinn", "Tokyo", "Toronto",
    "Vienna", "Warsaw",
)  # fmt: skip

# How often the published list of 100 entries names its 69 cities. Which city has which weight is
# ours but for the first three.
_TIMES = (4, 3, 3, *[2] * 24, *[1] * 42)


def draw_city(rng: Random, *, weighted: bool) -> str:
    """A city; all alike, or with the weights of the published list."""
    if weighted:
        return rng.choices(CITIES, weights=_TIMES)[0]
    return rng.choice(CITIES)
