"""lm-evaluation-harness end to end: `simple_evaluate` of a task over local-chat-completions.

The task is defined as its users do, in a YAML file over a JSON data set: a chat template, greedy
decoding, a regular expression as filter, exact match, samples logged.
"""

import json
import os
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

os.environ.setdefault("HF_DATASETS_OFFLINE", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("OPENAI_API_KEY", "none")

from lm_eval.evaluator import (  # pyright: ignore[reportMissingImports]
    simple_evaluate,
)
from lm_eval.tasks import TaskManager  # pyright: ignore[reportMissingImports]

TASK = """
task: retrieval
dataset_path: json
dataset_kwargs:
  data_files:
    test: {data}
test_split: test
output_type: generate_until
doc_to_text: "{{{{prompt}}}}"
doc_to_target: "{{{{target}}}}"
generation_kwargs:
  until: []
  max_gen_toks: 64
  temperature: 0
  do_sample: false
filter_list:
  - name: uuid
    filter:
      - function: regex
        regex_pattern: "([0-9a-f-]{{36}})"
      - function: take_first
metric_list:
  - metric: exact_match
    aggregation: mean
    higher_is_better: true
"""


def main() -> None:
    base, at_once = sys.argv[1], int(sys.argv[3])
    prompts = json.loads(Path(sys.argv[2]).read_text())
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        os.environ["HF_DATASETS_CACHE"] = str(folder / "cache")
        data = folder / "data.jsonl"
        with data.open("w") as file:
            for prompt in prompts:
                file.write(json.dumps({"prompt": prompt, "target": "9a2b6c1e"}) + "\n")
        (folder / "retrieval.yaml").write_text(TASK.format(data=data))
        manager = TaskManager(include_path=str(folder), include_defaults=False)
        startup, wall = time.process_time(), time.monotonic()
        came = simple_evaluate(
            model="local-chat-completions",
            model_args={
                "base_url": f"{base}/v1/chat/completions",
                "model": "fast",
                "num_concurrent": at_once,
                "tokenized_requests": False,
                "max_length": 10_000_000,
            },
            tasks=["retrieval"],
            task_manager=manager,
            apply_chat_template=True,
            log_samples=True,
        )
        (folder / "results.json").write_text(json.dumps(came["samples"], default=str))
        cpu, wall = time.process_time() - startup, time.monotonic() - wall
    assert came is not None
    samples = came["samples"]["retrieval"]
    assert len(samples) == len(prompts)
    assert all(sample["filtered_resps"][0].startswith("9a2b6c1e") for sample in samples)
    said = {"version": f"lm_eval {version('lm_eval')}", "startup_s": startup}
    print(json.dumps({**said, "wall_s": wall, "cpu_s": cpu}))


main()
