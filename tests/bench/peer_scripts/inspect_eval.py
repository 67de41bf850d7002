"""inspect_ai: one task of generate() and match(), as many samples and connections as asked."""

import json
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

from inspect_ai import Task, eval  # pyright: ignore[reportMissingImports]
from inspect_ai.dataset import Sample  # pyright: ignore[reportMissingImports]
from inspect_ai.model import get_model  # pyright: ignore[reportMissingImports]
from inspect_ai.scorer import match  # pyright: ignore[reportMissingImports]
from inspect_ai.solver import generate  # pyright: ignore[reportMissingImports]

base, at_once = sys.argv[1], int(sys.argv[3])
prompts = json.loads(Path(sys.argv[2]).read_text())
task = Task(
    dataset=[Sample(input=prompt, target="9a2b6c1e") for prompt in prompts],
    solver=generate(),
    scorer=match(),
)
model = get_model("openai/fast", base_url=f"{base}/v1", api_key="none", responses_api=False)
with tempfile.TemporaryDirectory() as logs:
    startup, wall = time.process_time(), time.monotonic()
    (log,) = eval(
        task,
        model=model,
        max_connections=at_once,
        max_samples=at_once,
        display="none",
        log_dir=logs,
    )
    cpu, wall = time.process_time() - startup, time.monotonic() - wall
assert log.status == "success", log.error
said = {"version": f"inspect-ai {version('inspect-ai')}", "startup_s": startup}
print(json.dumps({**said, "wall_s": wall, "cpu_s": cpu}))
