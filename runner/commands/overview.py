"""What `runner --help` prints: every command in one line, without loading any of them."""

import sys

PURPOSE = "Measure how much of its context window a language model really uses."

COMMANDS = (
    ("init [DIR]", "a commented sweep.toml that passes --dry-run"),
    ("demo", "a small real sweep of a real local model: no key, no config"),
    ("sweep [CONFIG]", "run it, or go on with it (default ./sweep.toml)"),
    ("status [DB]", "progress, spend, what it waits for; works on a live run"),
    ("report [DB]", "tables in the terminal; --html FILE, --png DIR"),
    ("sql [DB] [QUERY]", "SQL; works on a live run; --format table|csv|json|parquet"),
    ("show ID [DB]", "one trial: exact prompt, reply, attempts, score, cost"),
    ("rescore [DB]", "judge stored replies again, e.g. --profile official; no call is made"),
    ("import KIND FILE", "official data sets as tasks (needle-threading, flenqa, needlechain)"),
    ("export [DB] DIR", "Parquet, one file per table and view"),
    ("tasks [NAME]", "what can be swept: axes, published values, units, paper section"),
    ("models [GLOB]", "prices, context windows and parameters that are known"),
    ("check [CONFIG]", "keys present, endpoints answer, prices known, tokenizer ready, disk ok"),
    ("simulate", "a local server that speaks the three wire formats, with limits and faults"),
)
"""How each command is called, and what it is for."""


def text() -> str:
    """The whole page."""
    width = max(len(usage) for usage, _ in COMMANDS)
    lines = [f"  {usage:{width}}  {purpose}" for usage, purpose in COMMANDS]
    return "\n".join(
        [
            "Usage: runner [OPTIONS] COMMAND [ARGS]...",
            "",
            f"  {PURPOSE}",
            "",
            "Options:",
            "  -h, --help  Show this message and exit; after a command: its flags.",
            "",
            "Commands:",
            *lines,
            "",
            "  Example: runner sweep sweep.toml --dry-run",
            "",
        ]
    )


def show() -> None:
    """Print it."""
    sys.stdout.write(text())
