from runner.engine.observers.announcements import Announcements
from runner.engine.observers.events import LaneEnded, OutageBegun, OutageOver, Sent
from runner.progress.states import LaneEnd


def test_only_an_outage_and_its_end_are_worth_a_line():
    said = list[str]()
    announcements = Announcements(said.append)
    for event in (
        Sent("m", "t.1", 0.0),
        OutageBegun("m", "gone"),
        OutageOver("m", "back"),
        LaneEnded("m", LaneEnd.DONE, ""),
    ):
        announcements.take(event)
    assert said == ["m: gone", "m: back"]
