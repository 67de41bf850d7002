from dataclasses import replace

from runner.plan.subset import ChosenTrials
from tests.fakes.plans import plan_of, sweep_text

WHOLE = plan_of(sweep_text())[1].models[0]


def test_chosen_trials_come_in_their_order_but_for_those_that_are_done():
    chosen = list(reversed(list(WHOLE.trials({}))))[:3]
    part = ChosenTrials(WHOLE, chosen)
    assert (part.n_trials, list(part.trials({}))) == (3, chosen)
    done = {chosen[0].cell.cell_id: frozenset({chosen[0].repeat})}
    assert (part.n_pending(done), list(part.trials(done))) == (2, chosen[1:])


def test_another_limit_makes_no_other_cells():
    scaled = replace(WHOLE.model, context_window=1)
    part = ChosenTrials(WHOLE, [], scaled)
    assert (part.model, part.cells) == (scaled, WHOLE.cells)
