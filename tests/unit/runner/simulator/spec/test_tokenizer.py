from runner.simulator.spec.settings import TokenizerSettings
from runner.simulator.spec.tokenizer import count_tokens

SETTINGS = TokenizerSettings()


def test_each_kind_of_text_has_its_own_rate():
    prose = "word " * 400
    pairs = '"0f0f0f0f-0f0f-0f0f-0f0f-0f0f0f0f0f0f": "0f0f0f0f-0f0f-0f0f-0f0f-0f0f0f0f0f0f", ' * 25
    rate = {text: count_tokens(text, SETTINGS) / len(text) for text in (prose, pairs)}
    assert (rate[pairs] > rate[prose]) == (SETTINGS.uuid > SETTINGS.prose)


def test_other_scripts_take_more_and_an_empty_turn_takes_its_frame():
    assert count_tokens("\u00e9" * 100, SETTINGS) > count_tokens("e" * 100, SETTINGS)
    assert count_tokens("", SETTINGS) == SETTINGS.per_message
