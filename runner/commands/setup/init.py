"""`runner init`: a commented sweep.toml that passes `--dry-run` as it stands, without a key."""

from pathlib import Path

from runner.errors import UsageError
from runner.terminal.console import console

FILE = "sweep.toml"

TEMPLATE = """\
# What to sweep, whom to ask, and how much it may cost. Unknown keys are errors.
#
#   runner check            are keys, endpoints and prices there?
#   runner sweep --dry-run  what would it send, and what would it cost? (sends nothing)
#   runner sweep            run it; the same command again goes on where it stopped
#   runner report           tables; --png DIR and --html FILE for pictures

[sweep]
name = "first"
seed = 0               # the same seed gives the same prompts, byte for byte
repeats = 5            # prompts per point of the grid
budget = "5usd"        # a hard cap: reserved before each call, kept through crashes
profile = "default"    # default, paper or official: how papers and their code are followed
# switches = { "flenqa.answer" = "paper" }   # single divergences (see `runner tasks NAME`)
# haystack = "books"                         # a folder of your own text files to hide things in
# prompts = "wording.toml"                   # a paper's exact wording instead of ours

# --- models: provider/model; providers are openai, anthropic, google, compat, local ---

[[models]]
id = "openai/gpt-4o-mini-2024-07-18"         # key: the environment variable OPENAI_API_KEY
params = { temperature = 0 }
# limits = { rpm = 500, itpm = 200_000 }     # per minute; learned from replies if left out
# stream = true

# [[models]]
# id = "anthropic/claude-haiku-4-5"          # key: ANTHROPIC_API_KEY

# [[models]]
# id = "google/gemini-2.5-flash"             # key: GEMINI_API_KEY or GOOGLE_API_KEY

# [[models]]                                 # any server that speaks OpenAI's chat completions
# id = "compat/llama-3.1-70b"
# base_url = "http://127.0.0.1:8000/v1"
# api_key_env = "MY_KEY"                     # the NAME of a variable; leave out if it wants no key
# price = { input = 0.5, output = 0.8 }      # usd per million tokens; price = 0 if it is free
# context_window = 131072

# --- tasks: an axis takes a value or a list; left out, it takes the paper's values ---

[[tasks]]
name = "needle_threading.single_needle"      # one key among UUID pairs
size = [2000, 8000, 32000]                   # characters
depth = [0, 50, 100]                         # percent

[[tasks]]
name = "needle_threading.threading"          # follow key to value to key ...
size = [2000, 8000, 32000]
thread_length = [2, 5]
direction = ["forward", "backward"]

[[tasks]]
name = "niah.magic_number"                   # a number hidden in prose
size = [1000, 8000]                          # tokens
depth = [0, 50, 100]
"""


def run(directory: Path) -> int:
    """Write the file; an existing one is never touched."""
    path = directory / FILE
    try:
        directory.mkdir(parents=True, exist_ok=True)
        path.touch(exist_ok=False)
        path.write_text(TEMPLATE, encoding="utf-8")
    except OSError as error:
        if isinstance(error, FileExistsError) and path.exists():
            raise UsageError(f"{path} exists already; it was not changed") from error
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
    inside = "" if directory == Path() else f"cd {directory} && "
    out = console()
    out.print(f"wrote {path}", soft_wrap=True)
    out.print(f"next: {inside}runner sweep --dry-run", soft_wrap=True)
    return 0
