"""Which fault meets which request: an outage, scripted courses, then seeded chance."""

from collections import Counter

from runner.simulator.spec.faults import OK, InjectedFault, drawn_fault
from runner.simulator.spec.settings import ModelSettings, ScriptSettings


class FaultSchedule:
    """Remembers how far each script has got and how often each prompt has come."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._steps: Counter[tuple[str, int, str]] = Counter()
        self._arrivals: Counter[tuple[str, str]] = Counter()

    def next(
        self, name: str, model: ModelSettings, prompt_hash: str, text: str, now_s: float
    ) -> InjectedFault:
        """The fault of the request that just came; in an outage no script goes on."""
        for outage in model.outages:
            if outage.from_s <= now_s < outage.from_s + outage.for_s:
                return outage.fault
        nth = self._arrivals[name, prompt_hash]
        self._arrivals[name, prompt_hash] += 1
        courses = [ScriptSettings(steps=model.script)] if model.script else []
        for index, script in enumerate([*courses, *model.scripts]):
            if script.when is not None and script.when not in text:
                continue
            place = (name, index, prompt_hash if script.per == "prompt" else "")
            if self._steps[place] < len(script.steps):
                self._steps[place] += 1
                return script.steps[self._steps[place] - 1]
        return drawn_fault(model.faults, self._seed, name, prompt_hash, nth) if model.faults else OK
