from runner.engine.trouble import Trouble


def test_the_first_error_stands_and_stops_the_sending_once():
    stopped: list[str] = []
    trouble = Trouble(stop=lambda: stopped.append("stop"))
    first, second = RuntimeError("first"), ValueError("second")
    trouble.met(first)
    trouble.met(second)
    assert trouble.first is first
    assert stopped == ["stop"]


def test_trouble_without_anybody_to_stop_is_remembered():
    trouble = Trouble()
    error = OSError("the disk")
    trouble.met(error)
    assert trouble.first is error
