"""The command line leaves pandas out, and does without it."""

import subprocess
import sys

SCRIPT = """
import sys
from runner.commands.without_pandas import leave_out_pandas
leave_out_pandas()
import altair, duckdb, pyarrow
pyarrow.array(["x"])
duckdb.connect().execute("select ?", ["x"]).fetchall()
assert "pandas" not in sys.modules
try:
    import pandas
except ModuleNotFoundError as error:
    print(error.name)
"""


def test_no_library_imports_pandas():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout.strip()) == (0, "pandas"), done.stderr
