"""lm-evaluation-harness's local-chat-completions, asked directly: no task around it."""

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

from lm_eval.api.instance import Instance  # pyright: ignore[reportMissingImports]
from lm_eval.api.registry import get_model  # pyright: ignore[reportMissingImports]
from lm_eval.models import openai_completions  # noqa: F401  # pyright: ignore[reportMissingImports]
from lm_eval.models.api_models import JsonChatStr  # pyright: ignore[reportMissingImports]

base, at_once = sys.argv[1], int(sys.argv[3])
prompts = json.loads(Path(sys.argv[2]).read_text())
model = get_model("local-chat-completions")(
    base_url=f"{base}/v1/chat/completions",
    model="fast",
    num_concurrent=at_once,
    tokenized_requests=False,
    max_length=10_000_000,
)
asked = [
    Instance(
        request_type="generate_until",
        doc={},
        arguments=(
            JsonChatStr(json.dumps([{"role": "user", "content": prompt}])),
            {"until": ["\n\n"], "max_gen_toks": 64, "temperature": 0},
        ),
        idx=number,
    )
    for number, prompt in enumerate(prompts)
]
wall, cpu = time.monotonic(), time.process_time()
replies = model.generate_until(asked, disable_tqdm=True)
spent = {"wall_s": time.monotonic() - wall, "cpu_s": time.process_time() - cpu}
assert len(replies) == len(prompts)
print(json.dumps({"version": f"lm_eval {version('lm_eval')}", **spent}))
