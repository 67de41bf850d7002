"""A request body that is sent in the pieces it is held in.

aiohttp joins headers and a body of bytes into one new buffer, which copies the prompt. Here the
headers go first and each piece follows as it is: a haystack that many requests share is not copied.
"""

from aiohttp.abc import AbstractStreamWriter
from aiohttp.http import StreamWriter
from aiohttp.payload import Payload

JOIN_BELOW = 32 * 1024
"""Bodies smaller than this are joined: one copy of 2 kB costs less than a second write."""


class PiecesPayload(Payload):
    """Body pieces, with a note of whether and on which connection sending began."""

    _autoclose = True

    def __init__(self, pieces: tuple[bytes, ...]) -> None:
        super().__init__(pieces, content_type="application/json")
        self.pieces = pieces
        self._size = sum(map(len, pieces))
        self.connection: object | None = None
        """The connection that sending began on; None while nothing was sent."""

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """The whole body as text."""
        return b"".join(self.pieces).decode(encoding, errors)

    async def write(self, writer: AbstractStreamWriter) -> None:
        """Send all pieces."""
        await self.write_with_length(writer, None)

    async def write_with_length(
        self,
        writer: AbstractStreamWriter,
        content_length: int | None,  # noqa: ARG002  the size of our pieces, always
    ) -> None:
        """Send all pieces."""
        if isinstance(writer, StreamWriter):
            self.connection = writer.protocol
            if self._size is not None and self._size >= JOIN_BELOW:
                writer.send_headers()
                for piece in self.pieces:
                    await writer.write(piece)
                return
        await writer.write(b"".join(self.pieces))
