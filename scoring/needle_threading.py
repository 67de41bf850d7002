"""Judges Needle Threading: how many of the expected values a reply gives."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from scoring.extraction import find_names, find_uuids
from scoring.literals import evaluated
from scoring.score import Reply, Score

_SHOWN_CHARS = 80


class NeedleThreadingScorer:
    """Values as the paper counts them: the first k answers, a fraction for each right one."""

    name: ClassVar[str] = "needle_threading"
    version: ClassVar[int] = 2

    def score(self, reply: Reply, target: Mapping[str, Any], switches: Mapping[str, Any]) -> Score:
        """The score of a reply; value is the share of expected values among the first k answers."""
        text = reply.text
        if not text.isascii():  # half a surrogate pair has no UTF-8
            text = text.encode("utf-8", "replace").decode()
        prefix = switches.get("nt.match", "exact") == "prefix"
        answers = _answers(text, target, whole_items=prefix)
        same = _same_prefix if prefix else _same
        if target["mode"] == "single":
            return _score_single(answers, target, switches, same)
        return _score_list(answers, target, switches, same)


Same = Callable[[str, str], bool]


def _same(answer: str, expected: str) -> bool:
    return answer.casefold() == expected.casefold()


def _same_prefix(answer: str, expected: str) -> bool:
    return answer[: len(expected)] == expected


def _answers(text: str, target: Mapping[str, Any], *, whole_items: bool) -> list[str]:
    """All answers in order, without the keys that were asked about and came back as an echo."""
    if target["kind"] == "name":
        found = find_names(text, target["names"])
    else:
        many = target["mode"] == "list"
        literal = evaluated(text) if whole_items and not many else None
        if literal is not None:
            return [literal]
        found = find_uuids(text, whole_items=whole_items, junk_counts=many)
    if not found or (len(found) == 1 and found[0] in target["expected"]):
        return found
    echoes = {key.casefold() for key in target["queries"]}
    if further := target.get("echoes"):
        echoes.update([key.casefold() for key in further])
    echoes.difference_update([value.casefold() for value in target["expected"]])
    return [answer for answer in found if answer.casefold() not in echoes]


def _score_single(
    answers: Sequence[str], target: Mapping[str, Any], switches: Mapping[str, Any], same: Same
) -> Score:
    if not answers:
        return Score(value=0.0, label="no_answer", detail={"n_parsed": 0, "n_found": 0})
    answer = answers[-1 if switches.get("nt.pick", "first") == "last" else 0]
    right = any(same(answer, value) for value in target["expected"])
    detail: dict[str, Any] = {
        "answers": [answer[:_SHOWN_CHARS]],
        "n_parsed": len(answers),
        "n_found": int(right),
    }
    if path := target.get("path"):
        detail["steps"] = len(path)
        detail["step_reached"] = _step(answer, path, same)
    return Score(value=float(right), label="correct" if right else "wrong", detail=detail)


def _step(answer: str, path: Sequence[str], same: Same) -> int:
    """The step of the thread at which the answer stands, from 1; 0 where it is not on it."""
    return next((step for step, value in enumerate(path, 1) if same(answer, value)), 0)


def _score_list(
    answers: Sequence[str], target: Mapping[str, Any], switches: Mapping[str, Any], same: Same
) -> Score:
    expected: Sequence[str] = target["expected"]
    counted = answers[: target["k"]]
    if target["ordered"] and switches.get("nt.list_order", "set") == "positional":
        pairs = zip(counted, expected, strict=False)
        found = sum(same(answer, value) for answer, value in pairs)
    else:
        found = sum(any(same(answer, value) for answer in counted) for value in expected)
    share = found / len(expected)
    if switches.get("nt.list_score", "fractional") == "all_or_nothing":
        value = float(share == 1)
    else:
        value = share
    detail = {
        "answers": [answer[:_SHOWN_CHARS] for answer in counted],
        "n_parsed": len(answers),
        "n_found": found,
    }
    return Score(value=value, label=_list_label(share, counted), detail=detail)


def _list_label(share: float, counted: Sequence[str]) -> str:
    if not counted:
        return "no_answer"
    if share == 0:
        return "wrong"
    return "correct" if share == 1 else "partial"
