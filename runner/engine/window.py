"""How much prompt may exist at once, in bytes: one prompt may be four megabytes, or two kilobytes.

Prompts that ask different things of one haystack share its bytes, so a shared piece counts once.
"""

import asyncio

from tasks.sample import Prompt

SMALL = 4096
"""Pieces below this are counted without looking whether they are shared."""


class Window:
    """Bytes of generated prompts, from generation until the trial has ended."""

    __slots__ = ("_shared", "_waiters", "limit_bytes", "used_bytes")

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.used_bytes = 0
        self._shared: dict[int, int] = {}
        self._waiters: list[asyncio.Future[None]] = []

    def add(self, prompt: Prompt) -> None:
        """Count a prompt that now exists."""
        for message in prompt.messages:
            for part in message.parts:
                size = len(part.text)
                if size < SMALL:
                    self.used_bytes += size
                    continue
                count = self._shared.get(id(part), 0)
                if count == 0:
                    self.used_bytes += size
                self._shared[id(part)] = count + 1

    def remove(self, prompt: Prompt) -> None:
        """A prompt is no longer needed; wakes whoever waits for room."""
        for message in prompt.messages:
            for part in message.parts:
                size = len(part.text)
                if size < SMALL:
                    self.used_bytes -= size
                    continue
                count = self._shared[id(part)] - 1
                if count:
                    self._shared[id(part)] = count
                else:
                    del self._shared[id(part)]
                    self.used_bytes -= size
        if self._waiters and self.has_room:
            waiters, self._waiters = self._waiters, []
            for waiter in waiters:
                if not waiter.done():
                    waiter.set_result(None)

    @property
    def has_room(self) -> bool:
        """Whether more may be generated."""
        return self.used_bytes < self.limit_bytes

    async def room(self) -> None:
        """Wait until more may be generated."""
        while not self.has_room:
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            await waiter
