"""Tells a prompt that a server cut before the model read it: its bill is far below its text.

Ollama, LM Studio and some routers drop what does not fit, and answer as if all had been read.
"""

from msgspec.structs import replace

from runner.tokens.estimate import InputEstimate
from runner.wire import Result
from state.records import Outcome

CUT_BELOW = 0.75
"""Of the least that the text must take, by its own tokenizer or by what the model was billed."""
GUESS_CUT_BELOW = 0.3
"""Of the least that a guess says: some servers bill a token for four characters of any text."""
SHORTEST_TOLD = 512
"""Below it the frame around a prompt says more than the prompt."""
SMALLEST_WINDOW = 128
"""No server's window is smaller: a smaller bill tells of its counter, not of a cut."""
CUT = "cut"


def was_cut(estimate: InputEstimate, billed_input: int) -> bool:
    """Whether so few billed tokens cannot be all of a prompt."""
    told = estimate.low >= SHORTEST_TOLD and billed_input >= SMALLEST_WINDOW
    below = GUESS_CUT_BELOW if estimate.guessed else CUT_BELOW
    return told and billed_input < estimate.low * below


def unless_cut(result: Result, estimate: InputEstimate) -> Result:
    """The result, or `over_context:cut` where its bill says that the prompt was not read whole."""
    billed = None if result.usage is None else result.usage.total_input
    if billed is None or result.outcome not in _READ or not was_cut(estimate, billed):
        return result
    return replace(
        result,
        outcome=Outcome.OVER_CONTEXT,
        reason=CUT,
        error=f"the server read {billed:,} tokens of about {estimate.expected:,}: it cut the "
        "prompt; give it a larger context (Ollama: OLLAMA_CONTEXT_LENGTH; LM Studio: context "
        "length; OpenRouter: transforms off)",
    )


_READ = frozenset(
    {
        Outcome.ANSWERED,
        Outcome.TRUNCATED,
        Outcome.EMPTY,
        Outcome.TRUNCATED_REASONING,
        Outcome.REFUSED,
    }
)
