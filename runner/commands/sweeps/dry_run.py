"""`runner sweep --dry-run`: the forecast and nothing else; no key is read, no file made."""

import atexit
import gc
from pathlib import Path

from runner.commands.sweeps.sweep_flags import (
    SweepFlags,
    apply_flags,
    parse_outcomes,
    planned,
    result_file,
)
from runner.config import sweep as configs
from runner.config.sweep import SweepConfig
from runner.forecast.build import make_forecast
from runner.forecast.forecast import Forecast, History
from runner.forecast.printed import print_json, print_tables
from runner.plan.plan import Plan


def run(config: Path, flags: SweepFlags) -> int:
    """Print what the sweep would do; 0, also where not all of it fits."""
    swept = apply_flags(configs.load(config), flags)
    forecast = forecast_of(
        swept,
        planned(swept, flags.where),
        result_file(config, swept, flags),
        retry=parse_outcomes(flags.retry_outcomes),
        save_prompts=flags.save_prompts,
    )
    if flags.json:
        print_json(forecast)
    else:
        print_tables(forecast)
    # A process that ends gives everything back anyway; looking for garbage takes a tenth as long
    # as the whole dry run.
    atexit.register(gc.freeze)
    return 0


def forecast_of(
    config: SweepConfig,
    plan: Plan,
    db: Path,
    *,
    retry: frozenset[str] = frozenset(),
    save_prompts: bool = False,
) -> Forecast:
    """What is left of a sweep, with all that its files teach. Raises StoreError."""
    if not db.exists() and not config.calibrate_from:
        return make_forecast(config, plan, History(), save_prompts=save_prompts, db=db)
    # DuckDB takes a third of a dry run to import, and most dry runs have no file to read.
    from runner.forecast.files import read_earlier  # noqa: PLC0415

    earlier = read_earlier(config, plan, db, retry)
    return make_forecast(
        config,
        earlier.plan,
        earlier.history,
        earlier.learned.known,
        save_prompts=save_prompts,
        db=db,
    )
