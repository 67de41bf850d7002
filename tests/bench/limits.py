"""How much of what a provider allows is used, in virtual minutes against the simulator."""

from typing import Any

from tests.fakes.simulated_sweeps import STEADY, Silent, one_model, simulate

ITPM = 120_000
MINUTE = 60.0


def measure(name: str, config: Any, limits: dict[str, Any], **more: Any) -> None:
    done = simulate(config, until_s=180, limits={"itpm": ITPM, **limits}, **more)
    shares = [
        f"{done.used('input', begin, begin + MINUTE) / ITPM:7.1%}" for begin in (30.0, 60.0, 120.0)
    ]
    print(f"{name:<34}{' '.join(shares)}   429s by episode: {done.episodes()}")


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


if __name__ == "__main__":
    main()
