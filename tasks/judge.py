"""Tasks of the optional judge: prompts made from replies that a model under test has given.

They are asked like any other task but cannot be swept: their points are the replies of a file. A
point names the trial and the hash of what is shown of it, so a reply that has changed is another
point.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from tasks.facts import TaskFacts
from tasks.identity import stable_hash
from tasks.sample import Axis, Sample, Scalar, TaskError, TaskPoint, user_prompt
from tasks.wording import load

FAMILY = "judge"
EMPTY_SINGLE, EMPTY_LIST = "NONE", "[]"
"""What a judge writes where a reply gives no answer."""

_WHAT = {"uuid": "UUID", "name": "name of an event"}
_ROOM = 512
"""Output tokens beside the answer, for models that think a little before they write."""
_ROOM_PER_ANSWER = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A reply that a judge is to look at, with what is known of its trial."""

    trial_id: str
    task: str
    target: Mapping[str, Any]
    text: str

    @property
    def reply_hash(self) -> str:
        """Hash of all that a prompt about this reply may show."""
        target = self.target
        asked = [
            target.get(name) for name in ("mode", "kind", "k", "queries", "question", "needle")
        ]
        return stable_hash([self.task, asked, self.text])


class JudgeTask(ABC):
    """One prompt for each reply; the judge of a reply sees nothing of the context it was given."""

    name: ClassVar[str]
    version: ClassVar[int] = 1
    axes: ClassVar[tuple[Axis, ...]] = (
        Axis(name="trial", published=("",), source="a trial of the same file"),
        Axis(name="reply", published=("",), source="hash of what is judged"),
    )
    size_axis: ClassVar[str] = "size"
    """There is none: the views keep judge trials apart from benchmark trials."""
    size_unit: ClassVar[str] = "replies"
    source: ClassVar[str]
    shares: ClassVar[tuple[str, ...]] = ()
    facts: ClassVar[TaskFacts]

    def __init__(self, judged: Mapping[str, Judged]) -> None:
        self._judged = judged
        self._wording = load(FAMILY)

    @staticmethod
    @abstractmethod
    def judges(task: str) -> bool:
        """Whether replies to this task are for this judge."""

    @abstractmethod
    def unfit(self, judged: Judged) -> str | None:
        """Why this reply cannot be judged, else None."""

    @abstractmethod
    def _text(self, judged: Judged) -> str:
        """The prompt about one reply."""

    def infeasible(self, axes: Mapping[str, Scalar]) -> str | None:
        """Why there can be no prompt about this reply, else None."""
        judged = self._judged.get(str(axes["trial"]))
        if judged is None or judged.reply_hash != axes["reply"]:
            return "the reply is not the one that was to be judged"
        return self.unfit(judged)

    def chance(self, axes: Mapping[str, Scalar]) -> float | None:
        """A judge is not measured."""
        del axes

    def values_asked(self, axes: Mapping[str, Scalar]) -> int:
        """As many as the judged reply was asked for."""
        return int(self._judged[str(axes["trial"])].target.get("k", 1))

    def reply_tokens(self, axes: Mapping[str, Scalar]) -> float:
        """Visible tokens of a usual reply: a sentence."""
        del axes
        return 24.0

    def decoding(self, axes: Mapping[str, Scalar]) -> Mapping[str, Any]:
        """Greedy, with room for the answer."""
        room = _ROOM + _ROOM_PER_ANSWER * self.values_asked(axes)
        return {"temperature": 0, "max_tokens": room}

    def generate(self, axes: Mapping[str, Scalar], seed: int) -> Sample:
        """The prompt about one reply, the same for every seed."""
        del seed
        reason = self.infeasible(axes)
        if reason is not None:
            raise TaskError(f"{self.name}: {axes['trial']}: {reason}")
        judged = self._judged[str(axes["trial"])]
        return Sample(
            prompt=user_prompt(self._text(judged)),
            target={"trial": judged.trial_id},
            kind=self.facts.text,
            lengths={"reply_chars": len(judged.text)},
        )

    def points(self, given: Mapping[str, Sequence[Scalar]]) -> Iterator[TaskPoint]:
        """A point for each reply that can be judged."""
        del given
        for judged in self._judged.values():
            if self.judges(judged.task) and self.unfit(judged) is None:
                axes: dict[str, Scalar] = {"trial": judged.trial_id, "reply": judged.reply_hash}
                yield TaskPoint(task=self.name, version=self.version, axes=axes)


class Reformat(JudgeTask):
    """Has the final answer copied out of a Needle Threading reply, as the paper does."""

    name: ClassVar[str] = "judge.reformat"
    source: ClassVar[str] = "arXiv 2411.05000, answers reformatted by a model; prompt ours"
    facts: ClassVar[TaskFacts] = TaskFacts(answer="judgement", text="mixed", overall=None)

    @staticmethod
    def judges(task: str) -> bool:
        """Whether it is a Needle Threading task."""
        return task.startswith("needle_threading.")

    def unfit(self, judged: Judged) -> str | None:
        """Every reply can be reformatted."""
        del judged

    def _text(self, judged: Judged) -> str:
        target, render = judged.target, self._wording.render
        what, many = _WHAT[target["kind"]], target["mode"] == "list"
        return render(
            "reformat",
            count=f"{target['k']} answers, each a {what}" if many else f"one {what}",
            what=what,
            form=render("form_list" if many else "form_single", what=what),
            empty=EMPTY_LIST if many else EMPTY_SINGLE,
            queries=", ".join(target["queries"]) or "(none)",
            reply=judged.text,
        )


class Rating(JudgeTask):
    """Has a reply about the user's own needle rated from 1 to 10 against that needle."""

    name: ClassVar[str] = "judge.rating"
    source: ClassVar[str] = (
        "gkamradt LLMTest_NeedleInAHaystack 7b90d28, scores 1 to 10; prompt ours"
    )
    facts: ClassVar[TaskFacts] = TaskFacts(answer="judgement", text="prose", overall=None)

    @staticmethod
    def judges(task: str) -> bool:
        """Whether it is the task with the user's own needle."""
        return task == "niah.custom"

    def unfit(self, judged: Judged) -> str | None:
        """Why there is nothing to compare the reply with, else None."""
        if judged.target.get("question") and judged.target.get("needle"):
            return None
        return "its question and needle are not in the file"

    def _text(self, judged: Judged) -> str:
        return self._wording.render(
            "rating",
            question=judged.target["question"],
            reference=judged.target["needle"],
            reply=judged.text,
        )


JUDGES: tuple[type[JudgeTask], ...] = (Reformat, Rating)


def is_judge(task: str) -> bool:
    """Whether a stored task is a judge's and no benchmark."""
    return task.startswith(f"{FAMILY}.")


def wanted(task: str) -> bool:
    """Whether replies to this task may be judged by a model."""
    return any(judge.judges(task) for judge in JUDGES)
