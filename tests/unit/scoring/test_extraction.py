import orjson
import pytest

from scoring.needle_threading import NeedleThreadingScorer
from scoring.score import Reply, Score

K1, K2 = "e3e70682-c209-4cac-629f-6fbed82c07cd", "eb1167b3-67a9-c378-7c65-c1e582e2e662"
V1, V2 = "f728b4fa-4248-5e3a-0a5d-2f346baa9455", "f7c1bd87-4da5-e709-d471-3d60c8a70639"
SINGLE = {
    "mode": "single",
    "k": 1,
    "expected": [V1],
    "queries": [K1],
    "ordered": False,
    "kind": "uuid",
}


def judge(text: str, target: dict = SINGLE, **switches: object) -> Score:
    named = {f"nt.{name}": value for name, value in switches.items()}
    score = NeedleThreadingScorer().score(Reply(text=text), target, named)
    orjson.dumps(score.detail)
    return score


NAMES = {
    "mode": "single",
    "k": 1,
    "expected": ["Siege of Ormeth"],
    "queries": ["Treaty of Vessal"],
    "names": ["Treaty of Vessal", "Fair of Orm", "Siege of Ormeth"],
    "ordered": False,
    "kind": "name",
}


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Siege of Ormeth", "correct"),
        ("the siege of Ormeth.", "correct"),
        ("After the Treaty of Vessal came the **Siege  of\nOrmeth**", "correct"),
        ('["Siege of Ormeth"]', "correct"),
        ("Siege of Ormethia", "no_answer"),
        ("the Fair of Orm, then the Siege of Ormeth", "wrong"),
        ("Treaty of Vessal", "no_answer"),
        ("", "no_answer"),
    ],
)
def test_names_are_found_in_prose(text: str, label: str) -> None:
    assert judge(text, NAMES).label == label


def test_names_in_a_list() -> None:
    target = {
        **NAMES,
        "mode": "list",
        "k": 2,
        "expected": ["Siege of Ormeth", "Fair of Orm"],
        "ordered": True,
    }
    assert judge("[Siege of Ormeth, Fair of Orm]", target, list_order="positional").value == 1.0
    assert judge("[Fair of Orm, Siege of Ormeth]", target).value == 1.0
    assert judge("[Fair of Orm, Siege of Ormeth]", target, list_order="positional").value == 0.0
    assert judge("Fair of Orm", target).value == 0.5
