"""Contexts with a magic number, and what of a prompt is context."""

from tasks.catalog import build
from tasks.options import TaskOptions
from tasks.sample import Sample, Scalar
from tasks.tokens import exact_counter

COUNTER = exact_counter("cl100k_base")

MAGIC = build("niah.magic_number", TaskOptions())


def magic(size: int, depth: float = 50, digits: int = 7, buffer: int = 200) -> dict[str, Scalar]:
    return {"size": size, "depth": depth, "digits": digits, "buffer": buffer}


def context(sample: Sample) -> str:
    text = sample.prompt.messages[0].text
    return text.split("#CONTEXT\n    ")[1].split("\n    #ENDCONTEXT")[0]
