"""Student's t: how likely a correlation is by chance, and how wide 95 % is; the rest is SQL."""

import math


def p_of_correlation(r: float, pairs: int) -> float:
    """Two-sided p of Student's t of a correlation over at least three pairs.

    Exact for whole degrees of freedom: t's own tail is a finite sum in sine and cosine, and of the
    angle whose tangent is t over the root of the degrees, |r| is the sine.
    """
    degrees = pairs - 2
    sine = min(abs(r), 1.0)
    cosine = math.sqrt(1 - sine * sine)
    first = 2 if degrees % 2 else 1  # the sum of odd degrees begins at cosine, of even ones at 1
    term, total = (cosine, 0.0) if degrees % 2 else (1.0, 0.0)
    for step in range(first, degrees, 2):
        total += term
        term *= cosine * cosine * step / (step + 1)
    inside = sine * total
    if degrees % 2:
        inside = 2 / math.pi * (math.asin(sine) + inside)
    return min(max(1 - inside, 0.0), 1.0)


def t_of_95(degrees: int) -> float:
    """How many standard errors 95 % is on either side, with so many degrees of freedom.

    Of a correlation with that p, since the tail falls as the correlation grows.
    """
    low, high = 0.0, 1.0
    for _ in range(52):
        middle = (low + high) / 2
        if p_of_correlation(middle, degrees + 2) > 0.05:
            low = middle
        else:
            high = middle
    return low * math.sqrt(degrees / (1 - low * low))
