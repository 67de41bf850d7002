"""The published grid of the NeedleChain tasks."""

from tasks.needlechain.tasks import Backward, Forward, Mixed, Stack

TASKS = [Forward, Backward, Mixed, Stack]

AXES = {"k": 10, "question": "single", "val": 1600}
