"""How likely a reader is to succeed, and how far its effective context therefore reaches."""

from runner.simulator.spec.settings import Ability

KNEE = 0.75
"""The chance at the frontier: the threshold that effective context lengths are read off at."""
_ODDS = (1 - KNEE) / KNEE


def strain(ability: Ability, steps: int, depth: float) -> float:
    """By how much steps and depth lengthen a text."""
    dip = 1 + ability.depth_dip * 4 * depth * (1 - depth)
    return max(1, steps) ** ability.steps_power * dip


def chance(ability: Ability, chars: int, steps: int = 1, depth: float = 0.0) -> float:
    """The chance to get one thing right."""
    if ability.frontier_chars is None:
        return 1.0
    reach = chars * strain(ability, steps, depth) / ability.frontier_chars
    if ability.sharpness is None:
        return 1.0 if reach <= 1 else 0.0
    # Beyond this the power would overflow, and the chance is nothing anyhow.
    return 0.0 if reach > 1e6 else 1 / (1 + _ODDS * reach**ability.sharpness)


def effective_chars(ability: Ability, steps: int = 1, depth: float = 0.5) -> float | None:
    """The length at which the chance is 75 %: the known truth of a sweep; None has no end."""
    if ability.frontier_chars is None:
        return None
    return ability.frontier_chars / strain(ability, steps, depth)
