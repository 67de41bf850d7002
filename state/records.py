"""Facts, as they are written once and never changed.

Rows are structs that the garbage collector does not follow: thousands are made a second and wait to
be stored, and they hold nothing but values. Field order is column order in `schema/`.
Stamps are microseconds since the epoch in UTC; money is integer pico-dollars; unknown is None.
"""

from enum import StrEnum

from msgspec import Struct


class Outcome(StrEnum):
    """How an attempt or trial ended. Stored text may add a reason after a colon."""

    ANSWERED = "answered"
    TRUNCATED = "truncated"  # finish = length, with visible text: scored, and flagged
    REFUSED = "refused"
    BLOCKED_INPUT = "blocked_input"
    BLOCKED_OUTPUT = "blocked_output"
    TRUNCATED_REASONING = "truncated_reasoning"
    EMPTY = "empty"
    OVER_CONTEXT = "over_context"
    TOO_LARGE_FOR_TIER = "too_large_for_tier"
    INVALID_REQUEST = "invalid_request"
    OUT_OF_CREDIT = "out_of_credit"  # these three stop the account; its trials stay pending
    BAD_KEY = "bad_key"
    DAILY_LIMIT = "daily_limit"
    RATE_LIMITED = "rate_limited"  # these five are repeated while the retry policy allows
    OVERLOADED = "overloaded"
    TRANSIENT = "transient"
    MALFORMED = "malformed"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    PENDING = "pending"


SCORED = frozenset({Outcome.ANSWERED, Outcome.TRUNCATED})
"""Only these reach a scorer."""
FINAL = SCORED | {
    Outcome.REFUSED,
    Outcome.BLOCKED_INPUT,
    Outcome.BLOCKED_OUTPUT,
    Outcome.TRUNCATED_REASONING,
    Outcome.EMPTY,
    Outcome.OVER_CONTEXT,
    Outcome.TOO_LARGE_FOR_TIER,
    Outcome.INVALID_REQUEST,
}
"""A trial that ended so is done; resume does not ask again unless told to."""
STOPS_ACCOUNT = frozenset({Outcome.OUT_OF_CREDIT, Outcome.BAD_KEY, Outcome.DAILY_LIMIT})
REPEATABLE = frozenset(
    {
        Outcome.RATE_LIMITED,
        Outcome.OVERLOADED,
        Outcome.TRANSIENT,
        Outcome.MALFORMED,
        Outcome.TIMEOUT,
    }
)
ERRORS = frozenset(
    {
        Outcome.TRANSIENT,
        Outcome.TIMEOUT,
        Outcome.OVERLOADED,
        Outcome.RATE_LIMITED,
        Outcome.MALFORMED,
        Outcome.INVALID_REQUEST,
        Outcome.TOO_LARGE_FOR_TIER,
    }
)
"""Ends that say something about the road to the model, not about the model. Asking again may mend
them, so a sweep with trials that stand so is not done. `standing_errors.sql` spells them too."""
UNSCORED = "unscored"
"""Said beside these of a trial whose reply is stored and has no score."""


def outcome_of(stored: str) -> Outcome:
    """The outcome without its reason: `blocked_output:recitation` is BLOCKED_OUTPUT."""
    return Outcome(stored.partition(":")[0])


def judge_sweep(name: str) -> str:
    """The sweep that a judge's calls about this sweep's replies are booked under.

    `sql/committed.sql` spells it too: such calls count against both sweeps' budgets.
    """
    return f"{name} (judge)"


class SweepRow(Struct, frozen=True, gc=False):
    """One start of a sweep, with the effective settings it ran under."""

    sweep_id: str  # unique per start
    name: str
    started_at: int
    seed: int
    repeats: int
    budget_pusd: int | None
    profile: str
    switches: str  # JSON: every switch and its effective value
    config: str  # JSON of the validated config; holds names of key variables, never keys
    simulated: bool
    trials_planned: int
    runner_version: str


class CellRow(Struct, frozen=True, gc=False):
    """Task point x model x decoding."""

    cell_id: str
    provider: str
    base_url: str
    model: str
    task: str
    task_version: int
    size: float | None
    size_unit: str
    point: str  # JSON of all axes
    params: str  # JSON of every decoding parameter
    switches: str  # JSON of the switches that shape the prompt
    inputs: str  # JSON of the hashes of templates, corpus, data
    context_window: int | None
    simulated: bool
    # What the task says of itself (tasks/facts.py), so that no query knows tasks by their names.
    # None stands only in rows of version 0.1, until they are filled (state/database/old_cells.py).
    family: str | None = None
    answer: str | None = None  # what a right reply gives; a judge's `judgement` is no benchmark
    curve_axis: str | None = None  # a length is read off at each of its values; '' where none is
    chance: float | None = None  # accuracy of guessing, where known
    overall: str | None = None  # the overall mean that it counts in, if in any
    overall_tasks: int | None = None  # over how many tasks that mean was published
    official_repeats: int | None = None  # how many the benchmark's own evaluation reads
    values_asked: int | None = None
    reply_tokens: float | None = None  # of a usual reply


class SweepCellRow(Struct, frozen=True, gc=False):
    """A cell belongs to a sweep, with this many repeats planned."""

    sweep_id: str
    cell_id: str
    repeats: int


class TrialRow(Struct, frozen=True, gc=False):
    """Cell x repeat: written once, before its first attempt."""

    trial_id: str
    cell_id: str
    repeat: int
    seed: int
    prompt_hash: str
    prompt_chars: int
    kind: str
    lengths: str  # JSON
    target: str  # JSON


class PromptRow(Struct, frozen=True, gc=False):
    """The exact prompt of a trial; only under `--save-prompts`, since it can be made again."""

    trial_id: str
    messages: str  # JSON: a list of {role, text}


class StartRow(Struct, frozen=True, gc=False):
    """An attempt is about to be sent. Durable before the send, with the money it may cost.

    It becomes a `reservations` row; if no AttemptRow follows it (a kill), recovery writes one with
    outcome `cancelled:killed` and maybe_billed.
    """

    attempt_id: str
    trial_id: str
    sweep_id: str
    n: int
    started_at: int
    reserved_pusd: int | None  # None: the price is unknown
    input_tokens_estimate: int


class AttemptRow(Struct, frozen=True, gc=False):
    """One request and how it ended. Token counts are disjoint parts of the bill."""

    attempt_id: str
    trial_id: str
    n: int  # 1-based within the trial, over all sweeps of the file
    started_at: int
    finished_at: int
    outcome: str
    http_status: int | None
    error: str | None
    request_id: str | None
    input_tokens: int | None  # uncached input
    cache_read_tokens: int | None
    cache_write_tokens: int | None
    output_tokens: int | None  # visible output
    reasoning_tokens: int | None
    cost_pusd: int | None
    maybe_billed: bool
    final: bool  # the trial ends with this attempt; nothing is pending after it
    queue_s: float | None
    first_byte_s: float | None
    latency_s: float | None


class CompletionRow(Struct, frozen=True, gc=False):
    """The reply of a trial's last attempt, where there was one."""

    trial_id: str
    attempt_id: str
    text: str
    reasoning_text: str | None
    finish_reason: str | None
    model_reported: str | None


class ScoreRow(Struct, frozen=True, gc=False):
    """One judgement of one trial under one profile; the newest one is shown, none is deleted."""

    trial_id: str
    scorer: str
    scorer_version: int
    profile: str
    value: float
    label: str
    detail: str  # JSON
    switches: str  # JSON of the effective switches
    scored_at: int
    again: bool = False
    """The reply had been judged before; views look for the newest score only where this is said."""


class PendingRow(Struct, frozen=True, gc=False):
    """Why a trial that was planned was not sent: `pending:budget`, `pending:stopped`."""

    sweep_id: str
    model: str
    outcome: str
    trials: int
    at: int


class ModelRow(Struct, frozen=True, gc=False):
    """What was known of a model when a sweep started: price, window, and their source."""

    sweep_id: str
    model: str
    context_window: int | None
    price: str | None  # JSON in pico-dollars per token, with tiers; None when unknown
    price_source: str
    tokenizer: str


Row = (
    SweepRow
    | CellRow
    | SweepCellRow
    | TrialRow
    | PromptRow
    | StartRow
    | AttemptRow
    | CompletionRow
    | ScoreRow
    | PendingRow
    | ModelRow
)
