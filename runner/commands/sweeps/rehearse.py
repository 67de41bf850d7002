"""`runner sweep --rehearse`: the whole sweep against the simulator, in minutes and for nothing."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from runner.commands.sweeps.sweep import show_end
from runner.commands.sweeps.sweep_flags import SweepFlags, apply_flags, planned
from runner.config import sweep as configs
from runner.config.sweep import SweepConfig
from runner.errors import UsageError
from runner.forecast.learned import learn_from_files
from runner.models.spec import require_prices
from runner.plan.fit import refuse_hopeless
from runner.plan.plan import Plan
from runner.progress.display import Display, choose
from runner.rehearsal.rehearse import Rehearsed, rehearse
from runner.terminal.words import duration, money


def run(config: Path, flags: SweepFlags) -> int:
    """Rehearse, show what a sweep would show, and foretell; the exit code the sweep would have."""
    swept = apply_flags(configs.load(config), flags)
    plan = planned(swept, flags.where)
    if swept.budget_pusd is not None:
        require_prices([model.model for model in plan.models], swept.where)
    refuse_hopeless(swept, plan)
    display = choose(plain=flags.plain, json=flags.json)
    kept = flags.db
    if kept is not None:
        if kept.exists():
            raise UsageError(f"--db {kept} exists; a rehearsal writes to a new file")
        return _rehearse(swept, plan, kept, display, kept=True)
    with TemporaryDirectory(prefix="runner-rehearsal-") as folder:
        return _rehearse(swept, plan, Path(folder) / "rehearsal.duckdb", display, kept=False)


def _rehearse(config: SweepConfig, plan: Plan, db: Path, display: Display, *, kept: bool) -> int:
    learned = learn_from_files(config.calibrate_from, plan)
    with display:
        rehearsed = rehearse(config, plan, db, display, learned.known)
        show_end(db, display, rehearsed.end)
        for line in outcome_lines(rehearsed):
            display.say(line)
        display.say(
            f"the simulated results are in {db}" if kept else "nothing was kept (--db FILE)"
        )
    return rehearsed.end.exit_code


def outcome_lines(rehearsed: Rehearsed) -> Iterator[str]:
    """What the real sweep can be expected to take."""
    yield (
        f"rehearsed {rehearsed.trials:,} of {rehearsed.planned:,} planned trials "
        f"({100 * rehearsed.share:.3g} %) in {duration(rehearsed.took_s)}: the sweep would take "
        f"{duration(rehearsed.seconds)} and cost {money(rehearsed.usd)}; it met "
        f"{rehearsed.rate_limited:,} replies of 429"
    )
    if rehearsed.share < 1:
        yield (
            f"extrapolated: the part is {100 * rehearsed.shares.usd:.3g} % of the forecast's "
            f"dollars and {100 * rehearsed.shares.seconds:.3g} % of its time, and what it took is "
            "scaled up by these"
        )
    for lane in rehearsed.end.view.lanes:
        cost = money(rehearsed.usd_of(lane))
        yield f"  {lane.model}: {cost}, 429s {lane.rate_limited}, {lane.ended}"
    usd = rehearsed.forecast.total.usd
    if usd is not None:
        yield (
            f"forecast of the whole plan: {money(usd.expected)} ({money(usd.low)} .. "
            f"{money(usd.worst)}), {duration(rehearsed.forecast.seconds)}; real replies are longer "
            "or shorter than simulated ones"
        )
