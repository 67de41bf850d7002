"""Puts workers, facts and a question in NeedleChain's prompt structure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tasks.needlechain.instance import Chain
from tasks.sample import Sample, user_prompt
from tasks.wording import Wording

Question = Literal["single", "total"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What one prompt tells and asks, generated or read from the published files."""

    chain: Chain
    question: Question
    names: Sequence[str]
    """In reasoning order; the last one is asked about."""
    lines: Sequence[str]
    presented: Sequence[int]
    """Whom each line is about, as an index into `names`."""
    answer: float


def build(asked: Asked, wording: Wording) -> Sample:
    """The sample: names in reasoning order for every chain type, then facts, then the question."""
    count = len(asked.names)
    context = "\n".join(asked.lines)
    question = (
        wording.render("question_single", name=asked.names[-1])
        if asked.question == "single"
        else wording.render("question_total", count=count)
    )
    user = wording.pieces(
        "user", count=count, names=", ".join(asked.names), context=context, question=question
    )
    target = {
        "answer": asked.answer,
        "names": list(asked.names),
        "presented": list(asked.presented),
        "question": asked.question,
        "chain": asked.chain,
    }
    return Sample(
        prompt=user_prompt(*user, system=wording.render("system")),
        target=target,
        kind="names",
        lengths={"k": count, "haystack_chars": len(context)},
    )
