"""A pace is found against servers that count in different ways; what they mind is all they tell."""

from hypothesis import given
from hypothesis import strategies as st

from runner.limits.pace import DEAF_S, SLOWEST, PaceSearch
from tests.fakes.gateways import Chance, Counter, Haproxy, Nginx

FIRST_PER_S = 50.0
"""How fast requests go out while nothing holds them back."""


class Driver:
    """Sends as fast as the pace lets it; each answer comes at once."""

    def __init__(self, server: Counter) -> None:
        self.pace = PaceSearch()
        self.now = 0.0
        self.sent = 0
        self.admitted: list[bool] = []
        self.times: list[float] = []
        self._server = server
        self._next = 0.0

    def run(self, until: float) -> "Driver":
        while self.now < until:
            # A hair later, as timers are: floats must not ask for the same moment for ever.
            self.now = max(self.now, min(self._next, self.pace.next_at, until)) + 1e-6
            self.pace.tick(self.sent, self.now)
            if self.now >= self._next:
                self._send()
            last = self.times[-1] if self.times else 0.0
            self._next = max(self.now, last + 1 / (self.pace.rate or FIRST_PER_S))
        return self

    def _send(self) -> None:
        self.sent += 1
        admitted = self._server.admits(self.now)
        self.admitted.append(admitted)
        self.times.append(self.now)
        if not admitted:
            accepted = float(sum(self.admitted))
            self.pace.refused(self.sent, self.now, accepted, self.now, self.now + 1e-4)

    def let_through(self, begin: float, end: float) -> float:
        passed = zip(self.times, self.admitted, strict=True)
        return sum(admitted for at, admitted in passed if begin <= at < end) / (end - begin)


def test_the_rate_of_a_leaky_bucket_is_found():
    for server, rate in ((Nginx(5.0), 5.0), (Nginx(5.0, burst=10.0), 5.0), (Nginx(30.0), 30.0)):
        driven = Driver(server).run(180.0)
        assert driven.let_through(90.0, 180.0) >= 0.9 * rate


def test_the_rate_of_a_server_that_remembers_what_it_denied_is_found():
    for server, rate in ((Haproxy(20.0, 1.0), 20.0), (Haproxy(50.0, 10.0), 5.0)):
        driven = Driver(server).run(240.0)
        assert driven.let_through(120.0, 240.0) >= 0.8 * rate
        assert sum(not admitted for admitted in driven.admitted[len(driven.admitted) // 2 :]) < 60


def test_a_lone_refusal_is_chance():
    driven = Driver(Chance(0.01)).run(60.0)
    assert driven.pace.rate is None
    refused = 1 + max(i for i, admitted in enumerate(driven.admitted) if not admitted)
    assert driven.pace.is_chance(refused)
    assert not PaceSearch().is_chance(3), "of three nobody can tell"


def test_where_slowing_down_is_no_help_it_is_given_up_for_a_while():
    driven = Driver(Chance(0.5)).run(60.0)
    assert driven.pace.rate is None
    assert not driven.pace.tick(driven.sent, driven.now)
    before = driven.sent
    driven.run(driven.now + DEAF_S / 2)
    assert driven.sent - before > 0.9 * FIRST_PER_S * DEAF_S / 2


def test_a_server_that_takes_more_by_and_by_is_given_more():
    server = Nginx(5.0)
    driven = Driver(server).run(120.0)
    slow = driven.pace.rate or 0.0
    server.__init__(40.0)
    driven.run(900.0)
    assert slow < 6.0
    assert (driven.pace.rate or 0.0) > 20.0


def test_a_server_that_takes_less_by_and_by_is_given_less():
    server = Nginx(20.0, burst=5.0)
    driven = Driver(server).run(120.0)
    server.__init__(4.0, 5.0)
    driven.run(300.0)
    assert driven.let_through(240.0, 300.0) >= 0.7 * 4.0
    assert (driven.pace.rate or 0.0) < 6.0


def test_what_was_sent_before_a_change_tells_nothing_of_it():
    driven = Driver(Nginx(5.0)).run(20.0)
    rate = driven.pace.rate
    assert rate is not None
    assert not driven.pace.refused(driven.sent, driven.now - 15.0, 50.0, 20.0, driven.now)
    assert driven.pace.rate == rate


@given(refusals=st.lists(st.booleans(), max_size=400), gap_s=st.sampled_from([0.01, 0.2, 3.0]))
def test_a_pace_is_positive_whatever_is_refused(refusals: list[bool], gap_s: float):
    pace, now = PaceSearch(), 0.0
    for n, refused in enumerate(refusals, start=1):
        now += gap_s
        if refused:
            pace.refused(n, now, n / 2, now, now + 1e-4)
        pace.tick(n, now)
        assert pace.rate is None or pace.rate >= SLOWEST / 2
        assert pace.next_at >= now or pace.rate is not None
