import pytest

from tasks.grid import check_value, curve_axis, expand
from tasks.sample import Axis, Scalar, TaskError

SIZE = Axis(name="size", published=(1, 2), unit="pairs", source="here", minimum=1)
MODE = Axis(name="mode", published=("a",), unit="", source="here", choices=("a", "b"))


def test_the_grid_is_the_cross_product_in_axis_order():
    points = list(expand("t", (SIZE, MODE), {"mode": ["a", "b"]}))
    assert points == [{"size": size, "mode": mode} for size in (1, 2) for mode in ("a", "b")]


@pytest.mark.parametrize(
    ("axis", "value", "says"),
    [
        (SIZE, 0, "outside 1.. pairs"),
        (SIZE, "many", "must be a number"),
        (SIZE, True, "must be a number"),
        (MODE, "c", "is not one of 'a', 'b'"),
    ],
)
def test_a_wrong_value_is_named_with_what_is_allowed(axis: Axis, value: Scalar, says: str):
    with pytest.raises(TaskError, match=f"t: {axis.name} = .*{says}"):
        check_value("t", axis, value)


def test_an_unknown_axis_is_named_with_those_that_there_are():
    with pytest.raises(TaskError, match="no axis 'depth'; it has size, mode"):
        list(expand("t", (SIZE, MODE), {"depth": [1]}))


def test_a_task_without_curves_has_no_curve_axis():
    assert curve_axis((SIZE, MODE)) == ""
