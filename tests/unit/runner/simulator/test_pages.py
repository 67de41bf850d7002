from runner.simulator.traffic.exchange import Arrival
from tests.fakes.simulator import make_settings, make_simulator
from tests.unit.runner.simulator.requests import ask, body_of


def test_pages_are_not_counted_as_requests():
    simulator, _ = make_simulator(make_settings())
    ask(simulator)
    for path in ("/v1/models", "/v1/models/m", "/v1beta/models"):
        exchange = simulator.respond(Arrival(method="GET", path=path))
        simulator.finish(exchange.entry)
        assert exchange.status == 200
    lost = simulator.respond(Arrival(method="GET", path="/nowhere"))
    simulator.finish(lost.entry)
    assert lost.status == 404
    bill = body_of(simulator.respond(Arrival(method="GET", path="/simulator/bill")))
    assert (bill["requests"], bill["simulated"]) == (1, True)
