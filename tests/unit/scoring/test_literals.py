import json

from scoring.literals import read_items

V1, V2 = "f728b4fa-4248-5e3a-0a5d-2f346baa9455", "f7c1bd87-4da5-e709-d471-3d60c8a70639"
V3, V4 = "23a7711a-8133-2876-37eb-dcd9e87a1613", "1759edc3-72ae-2244-8b01-63c1cd9d2b7d"


def test_json_of_any_layout_reads_as_its_strings() -> None:
    values = [V1, V2, V3]
    for indent in (None, 0, 2):
        assert read_items(json.dumps(values, indent=indent)) == values
        assert read_items(json.dumps({"a": values}, indent=indent)) == values
        assert read_items(json.dumps([[V1], {"k": V2, "l": [V3]}], indent=indent)) == values
    assert read_items("no list") is None
    assert read_items("['open") is None
