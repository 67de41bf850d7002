"""A base instance: two key paragraphs and the question that needs both of them."""

from dataclasses import dataclass
from random import Random

from tasks.tokens import exact_counter

SHORTEST, LONGEST = 110, 140
"""Tokens of a key paragraph: the paper cuts its paragraphs at about 125."""
_MEANT = 126
"""The sentence that would pass it stays out where that is nearer: so the mean is 125."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """A key sentence and other ways to say it, with nothing added."""

    key_sentence: str
    text: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseInstance:
    """What all variants of one problem share."""

    paragraphs: tuple[Paragraph, Paragraph]
    question: str
    """The question, or RuleTaker's assertion."""
    label: bool
    entities: frozenset[str]
    """Who and what it is about: padding about the same is left out."""
    rule: str = ""


def paragraph(
    rng: Random, key_sentence: str, restatements: tuple[str, ...], **fields: str
) -> Paragraph:
    """A key paragraph of 110 to 140 tokens that starts with its key sentence."""
    counter = exact_counter("cl100k_base")
    while True:
        text, tokens = key_sentence, counter.count(key_sentence)
        for template in rng.sample(restatements, len(restatements)):
            longer = f"{text} {capital(template.format(**fields))}"
            longer_tokens = counter.count(longer)
            if abs(longer_tokens - _MEANT) > abs(tokens - _MEANT):
                break
            text, tokens = longer, longer_tokens
        if SHORTEST <= tokens <= LONGEST:
            return Paragraph(key_sentence=key_sentence, text=text, tokens=tokens)


def capital(sentence: str) -> str:
    """The sentence with a capital first letter."""
    return sentence[0].upper() + sentence[1:]
