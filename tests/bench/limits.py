"""How much of what a provider allows is used, in virtual minutes against the simulator.

An episode is a refusal and those of the requests that were sent before it had come back.
"""

from typing import Any

from runner.limits.slots import AdaptiveSettings
from tests.fakes.simulated_sweeps import STEADY, Far, Silent, one_model, simulate

ITPM = 120_000
MINUTE = 60.0
AWAY_S = 0.1
MAXIMUM = AdaptiveSettings().maximum
"""Slots where the config names none."""


def measure(
    name: str, config: Any, limits: dict[str, Any], away_s: float = 0.0, **more: Any
) -> None:
    done = simulate(config, until_s=180, limits={"itpm": ITPM, **limits}, **more)
    shares = [
        f"{done.used('input', begin, begin + MINUTE) / ITPM:7.1%}" for begin in (30.0, 60.0, 120.0)
    ]
    print(f"{name:<34}{' '.join(shares)}   429s by episode: {done.episodes(away_s)}")


def main() -> None:
    print(f"{'share of the allowed tokens from':<34}   30 s    60 s   120 s")
    known = f"limits = {{ itpm = {ITPM}, concurrency = 200 }}"
    measure("configured", one_model(known), {}, latency=STEADY)
    slow = {"first_token_s": 25.0, "sigma": 0.3}
    measure("configured, 25 s a reply", one_model(known), {}, latency=slow)
    measure("unknown, in headers", one_model(), {}, latency=STEADY)
    measure("unknown, in words", one_model(), {"headers": False}, latency=STEADY)
    measure("unknown, silent", one_model(), {}, latency=STEADY, wrap=Silent)
    slots = "limits = { concurrency = 500 }"
    measure("500 slots, in headers", one_model(slots), {}, latency=STEADY)
    measure("500 slots, in words", one_model(slots), {"headers": False}, latency=STEADY)
    measure("500 slots, silent", one_model(slots), {}, latency=STEADY, wrap=Silent)
    far = {"away_s": AWAY_S, "latency": STEADY}
    measure(
        "unknown, in words, 100 ms away",
        one_model(),
        {"headers": False},
        wrap=lambda inner: Far(inner, AWAY_S),
        **far,
    )
    measure(
        "unknown, silent, 100 ms away",
        one_model(),
        {},
        wrap=lambda inner: Silent(Far(inner, AWAY_S)),
        **far,
    )
    full_speed("2,000 slots, no limits, 200 ms", 2000, 0.2)
    full_speed("512 slots, nothing said, 1 s", 512, 1.0)


def full_speed(name: str, slots: int, latency_s: float) -> None:
    """When as many are in flight as may be, or nearly."""
    said = f"limits = {{ concurrency = {slots} }}" if slots > MAXIMUM else ""
    latency = {"first_token_s": latency_s, "sigma": 0.3}
    done = simulate(one_model(said, repeats=12_000), until_s=20 * latency_s, latency=latency)
    most = max(done.log, key=lambda entry: entry.in_flight)
    first = next(e for e in done.log if e.in_flight >= 0.9 * most.in_flight)
    print(f"{name:<34}{most.in_flight} in flight at most, nine tenths at {first.arrived_s:.1f} s")


if __name__ == "__main__":
    main()
