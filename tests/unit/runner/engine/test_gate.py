import asyncio
from collections.abc import Callable, Coroutine

from runner.engine.gate import Gate
from runner.engine.outage import FIRST_WAIT_S, OPENS_AFTER, Contact, Outage
from tests.fakes.virtual_loop import run_virtual


def closed_gate() -> Gate:
    """Of a lane whose endpoint has just gone."""
    gate = Gate(Outage(1000.0))
    for _ in range(OPENS_AFTER):
        gate.take(Contact.UNREACHED, 0.0, suspect=False)
    assert gate.outage.open
    return gate


class Passers:
    """Calls that wait at a gate, and who was let through."""

    def __init__(self, group: asyncio.TaskGroup, gate: Gate, names: str) -> None:
        self.through = ""
        self.tasks = {name: group.create_task(self._pass(gate, name)) for name in names}

    async def _pass(self, gate: Gate, name: str) -> None:
        await gate.turn()
        self.through += name


async def settle() -> None:
    """Let everything that can happen now happen."""
    for _ in range(5):
        await asyncio.sleep(0)


def at_a_gate(watch: Callable[[Gate, Passers], Coroutine[None, None, None]]) -> None:
    """Watch three calls at a gate that is closed; in the end all go through it."""

    async def main() -> None:
        gate = closed_gate()
        async with asyncio.TaskGroup() as group:
            passers = Passers(group, gate, "abc")
            await settle()
            await watch(gate, passers)
            gate.open_wide()

    run_virtual(main())


def test_one_at_a_time_goes_out_while_the_endpoint_is_gone():
    async def watch(gate: Gate, passers: Passers) -> None:
        await asyncio.sleep(FIRST_WAIT_S - 0.1)
        assert passers.through == ""
        await asyncio.sleep(500.0)
        assert passers.through == "a"  # the probe is still under way
        gate.take(Contact.UNREACHED, asyncio.get_running_loop().time(), suspect=False)
        await asyncio.sleep(2 * FIRST_WAIT_S + 0.1)
        assert passers.through == "ab"

    at_a_gate(watch)


def test_all_go_on_when_a_probe_is_answered():
    async def watch(gate: Gate, passers: Passers) -> None:
        await asyncio.sleep(FIRST_WAIT_S + 0.1)
        gate.take(Contact.ANSWERED, asyncio.get_running_loop().time(), suspect=False)
        await settle()
        assert passers.through == "abc"

    at_a_gate(watch)


def test_who_gives_up_while_waiting_lets_the_next_one_go():
    async def watch(gate: Gate, passers: Passers) -> None:
        passers.tasks["a"].cancel()
        await asyncio.sleep(FIRST_WAIT_S + 0.1)
        assert passers.through == "b"

    at_a_gate(watch)


def test_an_end_lets_all_through_to_see_it():
    async def watch(gate: Gate, passers: Passers) -> None:
        gate.open_wide()
        await settle()
        assert passers.through == "abc"
        assert asyncio.get_running_loop().time() < FIRST_WAIT_S

    at_a_gate(watch)
