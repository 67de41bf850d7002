"""`runner sweep --dry-run`: the forecast and nothing else; no key is read, no file made."""

from pathlib import Path

from runner import config as configs
from runner.commands.sweep_flags import Flags, apply_flags, parse_outcomes, planned, result_file
from runner.forecast.build import make_forecast
from runner.forecast.history import read_history
from runner.forecast.report import print_json, print_tables


def run(config: Path, flags: Flags) -> int:
    """Print what the sweep would do; 0, also where not all of it fits."""
    swept = apply_flags(configs.load(config), flags)
    db = result_file(config, swept, flags)
    plan = planned(swept, flags["where"])
    retry = parse_outcomes(flags["retry_outcomes"])
    history = read_history(db, swept.name, plan, retry)
    forecast = make_forecast(swept, plan, history, save_prompts=flags["save_prompts"], db=db)
    if flags["json"]:
        print_json(forecast)
    else:
        print_tables(forecast)
    return 0
