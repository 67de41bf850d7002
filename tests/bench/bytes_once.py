"""Shows that a prompt's bytes are made once: shared by its haystack's questions, never copied."""

import tracemalloc

from runner.clock import SystemClock
from runner.models.spec import resolve_all
from runner.plan.build import plan_sweep
from runner.providers.formats.capabilities import capability
from runner.providers.formats.openai_chat import OpenAIChat
from runner.providers.http.transport import AiohttpTransport
from runner.providers.http_provider import HttpProvider
from runner.wire import Deadlines, Request
from tasks.sample import Text, user_prompt
from tests.bench.whole_path import Load, make_config

DEADLINES = Deadlines(first_byte_s=60, total_s=60)
QUESTIONS = 20


def request(size: int) -> Request:
    """A prompt of `size` characters whose haystack is encoded once."""
    haystack = Text('"5f3d": "9a2b", ' * (size // 16))
    haystack.json  # noqa: B018  encode it now
    return Request(
        model="fast",
        prompt=user_prompt("Find the value. ", haystack, " Which is it?"),
        params={"temperature": 0, "max_tokens": 64},
    )


def shared(size: int) -> str:
    """What many questions of one haystack take, from the plan to the bytes that are sent."""
    config = make_config("http://127.0.0.1:9", Load(chars=size, in_flight=1, trials=100))
    cells = list(plan_sweep(config, resolve_all(config, SystemClock().now_us())).cells)
    wire, known = OpenAIChat(), capability("compat", "fast")

    def encoded(number: int) -> tuple[bytes, ...]:
        cell = cells[number]
        prompt = cell.task.generate(cell.point.axes, 0).prompt
        return wire.encode(Request(model="fast", prompt=prompt, params={"max_tokens": 9}), known)

    tracemalloc.start()
    first = encoded(0)
    _, first_peak = tracemalloc.get_traced_memory()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    others = [encoded(number) for number in range(1, QUESTIONS)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    haystack = max(first, key=len)
    same = all(any(piece is haystack for piece in pieces) for pieces in others)
    total = sum(map(len, [*first, *(piece for pieces in others for piece in pieces)]))
    assert same, "questions of one haystack do not share its bytes"
    assert peak - held < len(haystack) / 10, "a further question made a copy of its haystack"
    return (
        f"{size:>9,} chars: {QUESTIONS} questions of one haystack send {total:,} bytes; the first "
        f"took {first_peak:,} at its peak, the other {QUESTIONS - 1} {peak - held:,} together: "
        "each holds the very bytes object of the first"
    )


async def sent(base: str, size: int) -> str:
    """Peak of new memory while a long prompt is sent, against what a copy would take."""
    asked = request(size)
    provider = HttpProvider("compat", OpenAIChat(), f"{base}/v1", AiohttpTransport(SystemClock()))
    await provider.complete(asked, DEADLINES)
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    await provider.complete(asked, DEADLINES)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    await provider.aclose()
    # What is encrypted in Python's own memory is a second text, not a copy.
    assert base.startswith("https:") or peak - before < size / 10, "the prompt was copied"
    return (
        f"{size:>9,} chars: sending allocated {peak - before:,} bytes on the way "
        f"(a copy is {size:,})"
    )
