from tasks.needlechain.names import NAMES


def test_names_are_many_distinct_single_words_and_none_contains_another():
    assert len(NAMES) == len(set(NAMES)) == 1600
    assert all(name.isalpha() and name.istitle() for name in NAMES)
    everything = "\n".join(NAMES)
    assert all(everything.count(name) == 1 for name in NAMES)
