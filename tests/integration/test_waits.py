"""What a lane waits for is what its view says."""

from typing import Any

import pytest

from tests.fakes.simulated_sweeps import one_model, simulate


def waits(config: Any, **model: Any) -> list[str]:
    """Each thing it waited for, in turn; nothing where it was simply at work."""
    done = simulate(config, latency={"first_token_s": 2.0}, **model)
    assert done.end.view.state == "ended"
    return [view.lanes[0].waiting for view in done.run.views]


@pytest.mark.parametrize(
    ("kind", "lines", "budget", "model"),
    [
        ("limiter", "limits = { rpm = 4, concurrency = 9 }", None, {}),
        (
            "retry_after",
            "limits = { concurrency = 2 }",
            None,
            {"script": ["429 retry-after=20 body=wait"]},
        ),
        ("backoff", "limits = { concurrency = 9 }", None, {"script": ["408"] * 40}),
        ("outage", "limits = { concurrency = 9 }", None, {"script": ["503"] * 20}),
        ("budget", "limits = { concurrency = 9 }", "0.0045usd", {}),
        ("", "limits = { concurrency = 2 }", None, {}),
    ],
)
def test_the_view_says_what_it_waits_for(
    kind: str, lines: str, budget: str | None, model: dict[str, Any]
):
    seen = set(waits(one_model(lines, repeats=8, budget=budget), **model)) - {None}
    assert seen == ({kind} if kind else set())


def test_the_view_counts_what_is_under_way_and_how_old_it_is():
    config = one_model("limits = { concurrency = 3 }", repeats=12)
    done = simulate(config, latency={"first_token_s": 2.0}, script=["429 retry-after=1 body=wait"])
    lanes = [view.lanes[0] for view in done.run.views]
    assert max(lane.in_flight for lane in lanes) == 3
    assert 1.0 < max(lane.oldest_s for lane in lanes) <= 2.1
    assert lanes[-1].rate_limited == 1
    assert lanes[-1].errors == {"rate_limited": 1}
    assert lanes[-1].done == 12
    held = [view.held_usd for view in done.run.views]
    assert max(held) > 0 == held[-1]
    assert done.run.views[-1].spent_usd == pytest.approx(lanes[-1].spent_usd)
