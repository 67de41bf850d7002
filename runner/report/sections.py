"""The sections of the terminal report: rows of the queries as tables of words."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from queries.correlation import p_of_correlation
from queries.split import plain_task
from runner.report.answers import Answers, Row
from runner.report.intervals import asked, read_at, with_intervals
from runner.terminal import words
from runner.terminal.grid import Grid
from state.records import ERRORS

UNITS = {"chars": "characters", "tokens": "tokens", "needles": "needles"}
FEWEST_FOR_P = 3
ENOUGH_HAYSTACKS = 10
"""With fewer an interval of a difference holds the truth in 65 to 82 % of some simulated worlds:
`python -m tests.bench coverage`."""


def headline(answers: Answers) -> Iterator[str]:
    """Which sweeps the file holds, and how far they are."""
    for name, starts in _by(answers.rows("sweeps"), "name").items():
        last = starts[-1]
        budget = "" if last["budget_usd"] is None else f", budget {words.money(last['budget_usd'])}"
        again = "" if len(starts) == 1 else f", started {len(starts)} times"
        yield (
            f"sweep {name!r}: profile {last['shown_profile']}, {last['repeats']} repeats"
            f"{budget}{again}"
        )
    rows = answers.rows("outcomes")
    failed = sum(_to_ask_again(rows).values())
    done = sum(row["n"] for row in rows if row["outcome"] != "pending") - failed
    planned = sum(row["n"] for row in rows)
    models = {row["who"] for row in rows}
    tasks = {plain_task(row["task"]) for row in rows}
    in_error = f", {failed:,} ended in an error" if failed else ""
    yield (
        f"{len(models)} model(s), {len(tasks)} task(s), {done:,} of {planned:,} trials done"
        f"{in_error}"
    )


def _to_ask_again(rows: Sequence[Row]) -> Counter[str]:
    """The outcomes that asking again could mend."""
    found: Counter[str] = Counter()
    for row in rows:
        kind = row["outcome"].partition(":")[0]
        if kind in ERRORS:
            found[kind] += row["n"]
    return found


def not_evaluated(answers: Answers) -> Iterator[str]:
    """How many trials have no answer that counts, and why."""
    rows = answers.rows("outcomes")
    planned = sum(row["n"] for row in rows)
    missing: Counter[str] = Counter()
    for row in rows:
        if not row["counts_in_accuracy"]:
            missing[row["outcome"]] += row["n"]
    total = sum(missing.values())
    reasons = ", ".join(f"{count:,} {outcome}" for outcome, count in missing.most_common())
    why = f": {reasons}" if reasons else ""
    yield f"not evaluated: {total:,} of {planned:,} planned trials{why}"
    evaluated = Counter[str]()
    for row in rows:
        if row["counts_in_accuracy"]:
            kind, _, mark = row["outcome"].partition(":")
            evaluated[mark if kind == "answered" else kind] += row["n"]
    for kind, why in _MARKED.items():
        if evaluated[kind]:
            yield f"evaluated although {why}: {evaluated[kind]:,} ({kind})"


_MARKED = {
    "truncated": "cut off at the output cap",
    "no_finish_reason": "the server does not say why the reply ended",
}


def to_ask_again(answers: Answers) -> Iterator[str]:
    """The errors that asking again could mend, and what asks again."""
    yield from words.asking_again(_to_ask_again(answers.rows("outcomes")))


def accuracy(answers: Answers) -> Iterator[Grid]:
    """Models by sizes, a table per task, with what was not evaluated."""
    said = _interval(answers)
    for task, rows in _by(answers.rows("accuracy"), "task").items():
        sizes = _sizes(rows)
        body = [
            [who, *_line(own, sizes, _rate), _span(own, "n_answered"), _missing(own)]
            for who, own in _by(rows, "who").items()
        ]
        chances = {row["size"]: row["chance"] for row in rows if row["chance"]}
        if chances:
            body.append(["(chance)", *(words.percent(chances.get(size)) for size in sizes), "", ""])
        unit = UNITS.get(rows[0]["size_unit"], rows[0]["size_unit"])
        yield Grid(
            title=f"accuracy in % ({said}): {task}, by {unit}",
            header=["model", *(words.length(size) for size in sizes), "n", "not evaluated"],
            rows=body,
        )


def _interval(answers: Answers, *, holds: bool = True) -> str:
    """What an interval may be called: simulation shows which ones hold the truth so often.

    Wilson's takes prompts that share a haystack as independent, and holds it less often.
    """
    if answers.rows("settings")[0]["interval_kind"] == "wilson":
        return "Wilson interval"
    return "95 % interval" if holds else "interval"


def _rate(row: Row) -> str:
    return words.percent_between(row["accuracy"], row["ci_low"], row["ci_high"])


def _span(rows: Sequence[Row], *columns: str) -> str:
    """How many each number of a line rests on: from the fewest to the most."""
    counts = [sum(row[column] or 0 for column in columns) for row in rows]
    low, high = (words.count(end) for end in (min(counts), max(counts)))
    return low if low == high else f"{low}-{high}"


def _missing(rows: Sequence[Row]) -> str:
    missing = sum(row["n_not_evaluated"] for row in rows)
    return f"{missing:,} of {sum(row['n_planned'] for row in rows):,}"


def overall(answers: Answers) -> Iterator[Grid]:
    """The equal-weight mean over tasks, where a benchmark has several."""
    groups = _by(answers.rows("overall"), "benchmark", "condition")
    for (benchmark, condition), rows in groups.items():
        if max(row["n_tasks_swept"] for row in rows) < 2:
            continue
        sizes = _sizes(rows)
        name = " ".join(filter(None, (benchmark, asked(condition))))
        yield Grid(
            title=f"overall accuracy in %: {name}, every task weighs the same",
            header=["model", *(words.length(size) for size in sizes), "n"],
            rows=[
                [
                    who,
                    *_line(own, sizes, lambda row: words.percent(row["accuracy"])),
                    _span(own, "n_answered"),
                ]
                for who, own in _by(rows, "who").items()
            ],
            note="- : a task has no answers at this size",
        )


def effective_context(answers: Answers) -> Iterator[Grid]:
    """How far each model holds the threshold."""
    rows = with_intervals(answers, answers.rows("effective"))
    if not rows:
        return
    threshold = words.percent(rows[0]["threshold"])
    yield Grid(
        title=f"effective context: characters up to which accuracy stays at {threshold} %",
        header=["task", "at", "model", "n", "effective", "interval", "limit", "% of limit"],
        rows=[
            [row["task"], _at(row), row["who"], words.count(row["n_answered"]), *_effective(row)]
            for row in rows
        ],
        names=3,
        note=">= : accuracy never fell below the threshold, up to the longest size that was swept; "
        "< : it never reached it, from the shortest on; interval: a bootstrap over haystacks",
    )


def _at(row: Row) -> str:
    where = read_at(row)
    return f"{where} ({row['axis_value']} %)" if row["axis"] == "depth" else where


def _effective(row: Row) -> list[str]:
    limit = words.length(row["limit_chars"])
    interval = words.UNKNOWN if row["effective_low"] is None else _measured_interval(row)
    return [known_length(row), interval, limit, words.percent(row["share"])]


def known_length(row: Row) -> str:
    """The length, or the bounds that measuring gives it."""
    low, high = row["bound_low"], row["bound_high"]
    if low == high:
        return words.length(low)
    if low == 0:
        return f"< {words.length(high)}"
    if row["never_below"]:
        return f">= {words.length(low)}"
    return f"{words.length(low)} .. {words.length(high)}"


def _measured_interval(row: Row) -> str:
    """The interval, but nothing longer than what was tried: draws that never fall have no end."""
    tried = row["measured_chars"]
    low, high = (
        f">= {words.length(tried)}" if end > tried else words.length(end)
        for end in (row["effective_low"], row["effective_high"])
    )
    return low if low == high and row["never_below"] else f"{low} - {high}"


def refusals(answers: Answers) -> Iterator[Grid]:
    """Who refused what, in all the ways there are."""
    kinds = ("refused", "blocked", "empty", "text_refused")
    body: list[list[str]] = []
    for (who, task), rows in _by(answers.rows("refusals"), "who", "task").items():
        sums = {kind: sum(row[kind] for row in rows) for kind in ("n", *kinds, "truncated")}
        refused = sum(sums[kind] for kind in kinds)
        if refused or sums["truncated"]:
            counts = [words.count(value) for value in sums.values()]
            body.append([who, task, *counts, words.percent(refused / sums["n"])])
    if body:
        yield Grid(
            title="refusals",
            header=[
                "model",
                "task",
                "n",
                "refused",
                "blocked",
                "empty",
                "in words",
                "truncated",
                "rate %",
            ],
            rows=body,
            names=2,
            note="n: ended and could be sent; the rate leaves truncated replies out",
        )


def false_bias(answers: Answers) -> Iterator[Grid]:
    """The lean towards False, by length."""
    rows = answers.rows("false_bias")
    if not rows:
        return
    sizes = _sizes(rows)
    yield Grid(
        title="False-bias: (False - True) / answers less that of the right answers, by tokens",
        header=["task", "asked", "model", *(words.length(size) for size in sizes), "n"],
        rows=[
            [task, asked, who, *_line(own, sizes, _bias), _span(own, *_VERDICTS)]
            for (task, asked, who), own in _by(rows, "task", "asked", "who").items()
        ],
        names=3,
    )


_VERDICTS = ("n_true", "n_false", "n_other")


def _bias(row: Row) -> str:
    if row["bias"] is None:
        return words.UNKNOWN
    return f"{row['bias']:+.2f} ({row['bias_low']:+.2f}..{row['bias_high']:+.2f})"


def reasoning(answers: Answers) -> Iterator[Grid]:
    """Early answers and coverage of the key sentences, by length."""
    rows = answers.rows("reasoning")
    if not rows:
        return
    sizes = _sizes(rows)
    yield Grid(
        title="reasoning that was asked for: % of replies, by tokens",
        header=["task", "measure", "model", *(words.length(size) for size in sizes), "n"],
        rows=[
            [
                task,
                measure,
                who,
                *_line(own, sizes, lambda row: words.percent(row["share"])),
                _span(own, "n"),
            ]
            for (task, measure, who), own in _by(rows, "task", "measure", "who").items()
        ],
        names=3,
    )


def odds_ratios(answers: Answers) -> Iterator[Grid]:
    """Whether failed reasoning goes with wrong answers."""
    rows = answers.rows("odds_ratios")
    if not rows:
        return
    both = answers.rows("settings")[0]["fisher_alt"] == "both"
    tails = ["p_greater", "p_two_sided"] if both else ["p_greater"]
    yield Grid(
        title="failed reasoning and wrong answers (Fisher's exact test)",
        header=[
            "model",
            "failure",
            "failed & wrong",
            "failed & right",
            "sound & wrong",
            "sound & right",
            "odds ratio",
            *(tail.replace("_", " ") for tail in tails),
        ],
        rows=[
            [
                row["who"],
                row["failure"],
                *(words.count(row[key]) for key in _FOURFOLD),
                words.number(row["odds_ratio"]),
                *(words.probability(row[tail]) for tail in tails),
            ]
            for row in rows
        ],
        names=2,
    )


_FOURFOLD = ("failed_wrong", "failed_right", "sound_wrong", "sound_right")


def next_word(answers: Answers) -> Iterator[Grid]:
    """Whether predicting the next word goes with reasoning, over lengths."""
    body: list[list[str]] = []
    for who, rows in _by(answers.rows("next_word"), "who").items():
        r = rows[0]["pearson_r"]
        p = None
        if r is not None and len(rows) >= FEWEST_FOR_P:
            p = p_of_correlation(r, len(rows))
        counted = _span(rows, "n_next_word", "n_reasoning")
        body.append([who, str(len(rows)), counted, words.number(r), words.probability(p)])
    if body:
        yield Grid(
            title="next-word accuracy against reasoning accuracy, over lengths",
            header=["model", "lengths", "n", "Pearson r", "p"],
            rows=body,
        )


def chain_errors(answers: Answers) -> Iterator[Grid]:
    """Tell how chains fail."""
    body: list[list[str]] = []
    keys = ("task", "question", "who", "k")
    for (task, question, who, k), rows in _by(answers.rows("chain_errors"), *keys).items():
        shares = {row["error"]: row["share"] for row in rows}
        body.append(
            [task, question, who, str(k), words.count(rows[0]["n"])]
            + [words.percent(shares.get(error)) for error in _ERRORS]
        )
    if body:
        yield Grid(
            title="how chains fail: % of all answers",
            header=["task", "question", "model", "needles", "n", *_ERRORS],
            rows=body,
            names=3,
        )


_ERRORS = ("instruction not followed", "needle omission", "calculation error")


def compare(answers: Answers) -> Iterator[Grid]:
    """Paired differences on the prompts that both models answered."""
    rows = answers.rows("compare")
    few = any(row["clusters"] < ENOUGH_HAYSTACKS for row in rows)
    if rows:
        yield Grid(
            title="differences on the same prompts (first minus second)",
            header=[
                "task",
                "first",
                "second",
                "pairs",
                "haystacks",
                "difference",
                _interval(answers, holds=not few),
                "first better",
                "second better",
                "McNemar p",
            ],
            rows=[
                [
                    row["task"],
                    row["who_a"],
                    row["who_b"],
                    words.count(row["n_pairs"]),
                    words.count(row["clusters"]),
                    words.signed(row["difference"]),
                    f"{words.signed(row['ci_low'])}..{words.signed(row['ci_high'])}",
                    words.count(row["a_better"]),
                    words.count(row["b_better"]),
                    words.probability(row["p_mcnemar"]),
                ]
                for row in rows
            ],
            names=3,
            note=f"interval: with fewer than {ENOUGH_HAYSTACKS} haystacks it can hold the truth "
            "less often than in 95 %"
            if few
            else "",
        )


def latency(answers: Answers) -> Iterator[Grid]:
    """Tell how many seconds an answer takes, by size."""
    for task, rows in _by(answers.rows("latency"), "task").items():
        sizes = _sizes(rows)
        yield Grid(
            title=f"seconds per answer, mean/median/95th: {task}, by {rows[0]['size_unit']}",
            header=["model", *(words.length(size) for size in sizes), "n"],
            rows=[
                [who, *_line(own, sizes, _times), _span(own, "n")]
                for who, own in _by(rows, "who").items()
            ],
        )


def _times(row: Row) -> str:
    return "/".join(words.number(row[name]) for name in ("mean_s", "p50_s", "p95_s"))


def tokenization(answers: Answers) -> Iterator[Grid]:
    """What a model's tokenizer makes of the same text, beside our own count."""
    rows = answers.rows("tokenization")
    if rows:
        yield Grid(
            title="tokens, from returned usage (and as estimated before sending)",
            header=["model", "text", "counted with", "n", "per pair", "per 1k characters"],
            rows=[
                [
                    row["who"],
                    row["kind"],
                    words.plain(row["tokenizer"]),
                    words.count(row["n"]),
                    _beside(row, "tokens_per_pair"),
                    _beside(row, "tokens_per_1k_chars"),
                ]
                for row in rows
            ],
            names=3,
        )


def _beside(row: Row, name: str) -> str:
    if row[name] is None:
        return words.UNKNOWN
    return f"{row[name]:.1f} ({words.number(row[f'{name}_estimated'])})"


def spend(answers: Answers) -> Iterator[Grid]:
    """Tell where the money went."""
    rows = answers.rows("spend")
    if rows:
        money = ("settled", "reserved", "maybe_billed", "committed", "cached_saving")
        yield Grid(
            title="money",
            header=[
                "model",
                "attempts",
                "settled",
                "held now",
                "maybe billed",
                "committed",
                "saved by caches",
                "bill unknown",
            ],
            rows=[
                [
                    row["who"],
                    words.count(row["attempts"]),
                    *(words.money(row[name]) for name in money),
                    words.count(row["n_cost_unknown"]),
                ]
                for row in rows
            ],
            note="bill unknown: attempts whose cost is not known (no price, or no usage came back)",
        )


def setups(answers: Answers) -> Iterator[Grid]:
    """What a model's short marks in square brackets mean."""
    rows = answers.rows("setups")
    if rows:
        yield Grid(
            title="[marks]: the same model asked in several ways",
            header=["model", "task", "version", "base URL", "params", "switches", "inputs"],
            rows=[
                [
                    row["who"],
                    row["task"],
                    str(row["task_version"]),
                    *(
                        words.plain(row[key])
                        for key in ("base_url", "params", "switches", "inputs")
                    ),
                ]
                for row in rows
            ],
            names=7,
        )


def _by(rows: Sequence[Row], *keys: str) -> dict[Any, list[Row]]:
    """Rows in groups of equal keys, in the order of first appearance."""
    groups: dict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row[keys[0]] if len(keys) == 1 else tuple(row[key] for key in keys)].append(row)
    return groups


def _sizes(rows: Sequence[Row]) -> list[float]:
    return sorted({row["size"] for row in rows if row["size"] is not None})


def _line(rows: Sequence[Row], sizes: Sequence[float], word: Callable[[Row], str]) -> list[str]:
    """One word per size; empty where nothing was planned."""
    known = {row["size"]: word(row) for row in rows}
    return [known.get(size, "") for size in sizes]
