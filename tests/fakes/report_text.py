"""What the report's tests share: sizes, printed text, a sweep of every benchmark."""

import io

from rich.console import Console

from tests.sql.sweeps import Maker

SIZES = (2000, 100_000)


def text_of(print_it):
    out = io.StringIO()
    print_it(Console(file=out, width=100, color_system=None))
    return out.getvalue()


def every_benchmark(models=("alpha", "beta")):
    return Maker(models).needles(1, (2000,)).threads(1, (2000,)).magic(1).flenqa(2).chains(1).facts
