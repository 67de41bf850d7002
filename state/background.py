"""Threads that work beside an event loop."""

import contextlib
import os
import sys
import threading


def stay_in_background() -> None:
    """From now on the calling thread interrupts nobody when it wakes; its share of time stays.

    A thread that waits for the interpreter is woken each time that the loop lets go of it for a
    moment, to find it taken again: a tenth of the loop's rate was lost to that. Linux only.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # a container may forbid it
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def give_way() -> None:
    """From now on the calling thread gets a tenth of what another wants too. Linux only."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)
