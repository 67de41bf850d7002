"""`runner sweep --dry-run`: the forecast and nothing else; no key is read, no file made."""

from pathlib import Path

from queries.reading import open_with_views
from runner import config as configs
from runner.commands.sweep_flags import Flags, apply_flags, parse_outcomes, planned, result_file
from runner.config import SweepConfig
from runner.forecast.build import make_forecast
from runner.forecast.forecast import Forecast
from runner.forecast.history import History, read_history
from runner.forecast.report import print_json, print_tables
from runner.learned import learn, learn_from_files
from runner.plan import Plan
from runner.simulated import known_simulators, mark


def run(config: Path, flags: Flags) -> int:
    """Print what the sweep would do; 0, also where not all of it fits."""
    swept = apply_flags(configs.load(config), flags)
    forecast = forecast_of(
        swept,
        planned(swept, flags["where"]),
        result_file(config, swept, flags),
        retry=parse_outcomes(flags["retry_outcomes"]),
        save_prompts=flags["save_prompts"],
    )
    if flags["json"]:
        print_json(forecast)
    else:
        print_tables(forecast)
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
    history = History()
    learned = learn_from_files(config.calibrate_from, plan)
    if db.exists():
        with open_with_views(db) as reader:
            plan = mark(plan, known_simulators(reader.connection))
            history = read_history(reader.connection, config.name, plan, retry)
            learned += learn(reader.connection, plan)
    return make_forecast(config, plan, history, learned.known, save_prompts=save_prompts, db=db)
