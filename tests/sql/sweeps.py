"""A whole sweep's worth of facts, made up from curves, for reports to be looked at."""

import math
import random
from collections.abc import Sequence
from typing import Any

from tests.sql.facts import Facts

SIZES = (2000, 4000, 8000, 16000, 32000, 50000, 100000, 200000)
TOKENS = (250, 500, 1000, 2000, 3000)
MODELS = ("alpha-large", "beta-mini", "gamma-70b")


def _chance(model: str, models: Sequence[str], chars: float, strain: float) -> float:
    """Falls with length and strain, later for models that stand earlier."""
    rank = models.index(model) % 7
    half = 400_000 / (1 + 2.2 * rank) / strain
    return 1 / (1 + (chars / half) ** 1.6)


class Maker:
    """Adds the trials of each benchmark for some models."""

    def __init__(self, models: Sequence[str] = MODELS, *, simulated: bool = False) -> None:
        self.models = models
        self.facts = Facts(simulated=simulated).sweep(budget_pusd=50 * 10**12)
        self.rng = random.Random(7)
        for model in models:
            self.facts.model(model)

    def _ask(self, cell: str, chance: float, chars: int, **trial: Any) -> None:
        outcome = self.rng.choices(
            ["answered", "refused", "blocked_output:recitation", "truncated", "empty"],
            [0.95, 0.015, 0.01, 0.02, 0.005],
        )[0]
        value = float(self.rng.random() < chance) if outcome in {"answered", "truncated"} else None
        spent = int(chars / 1.7)
        self.facts.trial(
            cell,
            value,
            outcome=outcome,
            chars=chars + 400,
            tokens=(spent, 0, 0, 40, None),
            cost=spent * 1_000_000 + 160_000_000,
            latency_s=0.4 + chars / 40_000 + self.rng.random(),
            **trial,
        )

    def needles(self, repeats: int = 5, sizes: Sequence[int] = SIZES) -> "Maker":
        for model in self.models:
            for size in sizes:
                for depth in range(0, 101, 10):
                    cell = self.facts.cell(
                        "needle_threading.single_needle", size, model=model, depth=depth
                    )
                    strain = 1 + math.sin(depth / 100 * math.pi)
                    for _ in range(repeats):
                        self._ask(cell, _chance(model, self.models, size, strain), size)
                for needles in (1, 2, 5, 10, 15, 25):
                    for placement in ("random", "clustered"):
                        cell = self.facts.cell(
                            "needle_threading.multi_needle",
                            size,
                            model=model,
                            needles=needles,
                            placement=placement,
                        )
                        for _ in range(repeats):
                            self._ask(
                                cell, _chance(model, self.models, size, 1 + needles / 8), size
                            )
        return self

    def threads(self, repeats: int = 5, sizes: Sequence[int] = SIZES) -> "Maker":
        for model in self.models:
            for size in sizes:
                for steps in (2, 3, 5, 8, 10, 15):
                    for direction in ("forward", "backward"):
                        cell = self.facts.cell(
                            "needle_threading.threading",
                            size,
                            model=model,
                            thread_length=steps,
                            direction=direction,
                        )
                        strain = steps * (1 if direction == "forward" else 2)
                        for _ in range(repeats):
                            self._ask(cell, _chance(model, self.models, size, strain), size)
        return self

    def magic(self, repeats: int = 5) -> "Maker":
        for model in self.models:
            for size in (1000, 8000, 32000, 64000):
                for depth in (0, 25, 50, 75, 100):
                    cell = self.facts.cell(
                        "niah.magic_number", size, model=model, unit="tokens", depth=depth
                    )
                    for _ in range(repeats):
                        self._ask(cell, _chance(model, self.models, size * 4, 1), size * 4)
        return self

    def flenqa(self, repeats: int = 10) -> "Maker":
        for model in self.models:
            for task in ("monorel", "pir", "ruletaker", "next_word"):
                for size in TOKENS:
                    for cot in (False, True):
                        self._reason(model, f"flenqa.{task}", size, cot, repeats)
        return self

    def _reason(self, model: str, task: str, size: int, cot: bool, repeats: int) -> None:
        if task == "flenqa.next_word" and cot:
            return
        axes: dict[str, Any] = {"padding": "similar", "placement": "random"}
        if task != "flenqa.next_word":
            axes["cot"] = cot
        cell = self.facts.cell(task, size, model=model, unit="tokens", **axes)
        for repeat in range(repeats):
            gold = repeat % 2 == 0
            right = self.rng.random() < 0.93 - size / 9000
            said = gold if right else self.rng.random() < 0.25
            label = self.rng.choices([str(said).lower(), "other/refused"], [0.97, 0.03])[0]
            early = self.rng.random() < size / 4000
            covered = self.rng.choice([0, 1, 2, 2, 2])
            self.facts.trial(
                cell,
                float(label == str(gold).lower()),
                label=label,
                detail={"early": early, "covered": covered, "n_key": 2},
                chars=size * 5,
                kind="prose",
                tokens=(size + 60, 0, 0, 30, None),
                cost=(size + 60) * 1_000_000,
                latency_s=0.5 + size / 2000,
            )

    def chains(self, repeats: int = 12) -> "Maker":
        for model in self.models:
            for task in ("forward", "backward", "mixed"):
                for k in (5, 10, 20, 50):
                    for question in ("single", "total"):
                        self._chain(model, f"needlechain.{task}", k, question, repeats)
        return self

    def _chain(self, model: str, task: str, k: int, question: str, repeats: int) -> None:
        cell = self.facts.cell(task, model=model, k=k, question=question)
        for _ in range(repeats):
            mentioned = [
                int(self.rng.random() < 1 - 0.4 * math.sin(i / k * math.pi)) for i in range(k)
            ]
            right = self.rng.random() < 0.95 - k / 70
            wrong = "calculation_error" if all(mentioned) else "needle_omission"
            if self.rng.random() < 0.2:
                wrong = "instruction_not_followed"
            self.facts.trial(
                cell,
                float(right),
                label="correct" if right else wrong,
                detail={
                    "mentioned_reasoning": mentioned,
                    "mentioned_presented": mentioned[::-1] if "backward" in task else mentioned,
                },
                chars=k * 38,
                kind="names",
                tokens=(k * 10, 0, 0, 20 * k, 55 * k if model == self.models[0] else None),
                cost=k * 90_000_000,
            )


def full(models: Sequence[str] = MODELS, *, simulated: bool = False) -> Facts:
    """Every benchmark, a few hundred cells a model."""
    return Maker(models, simulated=simulated).needles().threads().magic().flenqa().chains().facts
