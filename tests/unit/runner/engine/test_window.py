import asyncio

from runner.engine.window import Window
from tasks.sample import Text, user_prompt
from tests.fakes.virtual_loop import run_virtual


def test_a_shared_haystack_counts_once():
    window = Window(1_000_000)
    haystack = Text("x" * 100_000)
    prompts = [user_prompt(haystack, f"question {number}") for number in range(10)]
    for prompt in prompts:
        window.add(prompt)
    assert window.used_bytes == 100_000 + 10 * 10
    for prompt in prompts:
        window.remove(prompt)
    assert window.used_bytes == 0


def test_room_comes_when_prompts_end():
    async def main() -> tuple[bool, bool]:
        window = Window(10_000)
        first, second = user_prompt("a" * 9_000), user_prompt("b" * 9_000)
        window.add(first)
        window.add(second)
        async with asyncio.TaskGroup() as group:
            waiter = group.create_task(window.room())
            await asyncio.sleep(0)
            before = waiter.done()
            window.remove(first)
            await asyncio.sleep(0)
            return before, waiter.done()

    assert run_virtual(main()) == (False, True)
