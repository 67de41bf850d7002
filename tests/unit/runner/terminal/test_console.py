import errno
import io

from runner.terminal.console import Outlet


class Closed(io.StringIO):
    """A terminal that was closed after the first line."""

    def write(self, text: str, /) -> int:
        if self.getvalue():
            raise OSError(errno.EIO, "Input/output error")
        return super().write(text)

    def flush(self) -> None:
        if self.getvalue():
            raise BrokenPipeError


def test_what_cannot_be_written_is_dropped_without_a_word():
    stream = Closed()
    outlet = Outlet(stream)
    assert outlet.write("first\n") == 6
    assert outlet.write("second\n") == 7
    outlet.flush()
    assert outlet.write("third\n") == 6
    assert stream.getvalue() == "first\n"


def test_a_flush_that_fails_is_the_end_of_it_too():
    stream = Closed()
    outlet = Outlet(stream)
    outlet.write("first\n")
    outlet.flush()
    assert outlet.write("second\n") == 7


def test_it_is_as_much_of_a_terminal_as_its_stream():
    assert not Outlet(io.StringIO()).isatty()
