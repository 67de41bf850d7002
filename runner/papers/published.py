"""What the papers say of themselves: their grids, repeats, tables, and the numbers that are known.

A number stands here only with the place it was read in. Where a paper's number is not known here it
is left out, and whoever shows the table leaves its place blank.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from tasks.sample import Scalar

Axes = Mapping[str, Sequence[Scalar]]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedTask:
    """A task as a paper asks it; axes that are not named take their published values."""

    task: str
    axes: Axes = field(default_factory=dict[str, Sequence[Scalar]])
    repeats: int | None = None
    """Where they are other than the paper's usual ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedNumber:
    """One number of a paper's table."""

    model: str
    """The model's name in the paper."""
    column: str
    value: float
    source: str
    """The part of the paper, or of its code, that it was read in."""
    block: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperTable:
    """A table of a paper: what it shows, what has to be asked for it, and what is known of it."""

    number: int
    title: str
    asked: Sequence[AskedTask]
    known: Sequence[PublishedNumber] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """One paper."""

    title: str
    source: str
    family: str
    """Its tasks' names begin with it."""
    repeats: int
    about_repeats: str
    asked: Sequence[AskedTask]
    appendix: Sequence[AskedTask] = ()
    """What the paper asks beside its main grid."""
    models: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    """Models of the paper that are known here, with globs that today's names of them match."""
    tables: Sequence[PaperTable] = ()
    figures: Mapping[int, str] = field(default_factory=dict[int, str])
    """Figures that a picture of the report shows, with its name."""

    def model(self, name: str) -> str | None:
        """What the paper calls this model, where it is one of the paper's."""
        for own, globs in self.models.items():
            if any(fnmatchcase(name.lower(), glob) for glob in globs):
                return own
        return None

    def table(self, number: int) -> PaperTable | None:
        """The table of that number, if it can be made."""
        return next((table for table in self.tables if table.number == number), None)


def repeats_of(task: str) -> tuple[int, str] | None:
    """How often a task's paper asks each point, and what it says of that."""
    for paper in PAPERS.values():
        for asked in (*paper.asked, *paper.appendix):
            if asked.task == task:
                return asked.repeats or paper.repeats, paper.about_repeats
    return None


_NT = "needle_threading."
_NT_MAIN = tuple(
    AskedTask(task=f"{_NT}{name}")
    for name in (
        "single_needle",
        "multi_needle",
        "conditional_needle",
        "threading",
        "multi_threading",
    )
)
_NEEDLES: Axes = {"needles": (10,)}
_STEPS: Axes = {"thread_length": (5,)}
_SHORTEST: Axes = {"size": (250,), "padding": ("similar",), "placement": ("random",)}
_FLENQA = ("monorel", "pir", "ruletaker")
_CHAINS = ("stack", "forward", "backward", "mixed")
_FLENQA_SOURCE = "table 1, GPT-3.5 at 250 tokens"
_FLENQA_KNOWN = {
    "direct": {"monorel": 0.77, "pir": 0.81, "ruletaker": 0.74},
    "CoT": {"monorel": 0.86, "pir": 0.88, "ruletaker": 0.88},
}
_NIAH_SIZES = (1000, 10071, 19143, 28214, 37286, 46357, 55429, 64500)
_NIAH_LONGER = (73571, 82643, 91714, 100786, 109857, 118929, 128000)
_NIAH_FOUND = (14, 12, 15, 11, 14, 12, 9)
"""Of 15 depths, at the longer lengths; at the shorter ones all were found."""
_NIAH_GRID: Axes = {
    "size": (*_NIAH_SIZES, *_NIAH_LONGER),
    "depth": (0, 7, 14, 21, 29, 36, 43, 50, 57, 64, 71, 79, 86, 93, 100),
}
_NIAH_RUN = "the stored GPT-4 run of LLMTest_NeedleInAHaystack: 15 depths a length, score 10 of 10"
_CHAIN_GRID = tuple(AskedTask(task=f"needlechain.{name}") for name in _CHAINS)

PAPERS: Mapping[str, Paper] = {
    "needle-threading": Paper(
        title="Needle Threading",
        source="arXiv 2411.05000",
        family="needle_threading",
        repeats=5,
        about_repeats="5 haystack sets; fewer for costly models (appendix H)",
        asked=_NT_MAIN,
        appendix=(
            AskedTask(task=f"{_NT}branched_threading"),
            AskedTask(task=f"{_NT}natural_threading"),
            AskedTask(task=f"{_NT}natural_multi_threading"),
        ),
        figures={11: "frontier"},
        models={
            "Gemini 1.5 Pro": ("gemini-1.5-pro*",),
            "Gemini 1.5 Flash": ("gemini-1.5-flash*",),
            "Gemini 1.0 Pro": ("gemini-1.0-pro*", "gemini-pro"),
            "GPT-4o": ("gpt-4o", "gpt-4o-2024*"),
            "Reka Core": ("reka-core*",),
            "LLaMA 405b": ("*llama*3.1*405b*",),
            "LLaMA 8b": ("*llama*3.1*8b*",),
        },
        tables=(
            PaperTable(
                number=1,
                title="overall accuracy in %, the mean of five tasks, by characters",
                asked=_NT_MAIN,
                known=(
                    PublishedNumber(
                        model="Gemini 1.5 Pro",
                        column="2000",
                        value=0.877,
                        source="table 1, 1.2k tokens",
                    ),
                ),
            ),
            PaperTable(
                number=2,
                title="effective context in characters at 75 %",
                asked=(
                    _NT_MAIN[0],
                    AskedTask(task=f"{_NT}multi_needle", axes=_NEEDLES),
                    AskedTask(task=f"{_NT}conditional_needle", axes=_NEEDLES),
                    AskedTask(task=f"{_NT}threading", axes=_STEPS),
                    AskedTask(task=f"{_NT}multi_threading", axes=_STEPS),
                ),
                known=(
                    PublishedNumber(
                        model="Reka Core", column="single", value=5_000, source="table 2"
                    ),
                    PublishedNumber(
                        model="LLaMA 405b", column="multiple", value=124_000, source="table 2"
                    ),
                    PublishedNumber(
                        model="GPT-4o", column="conditional", value=14_000, source="table 2"
                    ),
                ),
            ),
        ),
    ),
    "flenqa": Paper(
        title="Same Task, More Tokens (FLenQA)",
        source="arXiv 2402.14848",
        family="flenqa",
        repeats=100,
        about_repeats="100 base instances of each task",
        asked=tuple(AskedTask(task=f"flenqa.{name}") for name in _FLENQA),
        appendix=(AskedTask(task="flenqa.next_word"),),
        models={"GPT-3.5": ("gpt-3.5*",)},
        figures={9: "next_word", 10: "answers", 11: "reasoning", 12: "reasoning"},
        tables=(
            PaperTable(
                number=1,
                title="accuracy in % at 250 tokens, the shortest length",
                asked=tuple(AskedTask(task=f"flenqa.{name}", axes=_SHORTEST) for name in _FLENQA),
                known=tuple(
                    PublishedNumber(
                        model="GPT-3.5",
                        column=f"{name}, {how}",
                        value=value,
                        source=_FLENQA_SOURCE,
                    )
                    for how, values in _FLENQA_KNOWN.items()
                    for name, value in values.items()
                ),
            ),
        ),
    ),
    "niah": Paper(
        title="Needle in a Haystack",
        source="Arize LLMTest_NeedleInAHaystack 3ca1bfd",
        family="niah",
        repeats=1,
        about_repeats="one prompt a cell; the negative test one a length",
        asked=(AskedTask(task="niah.magic_number"), AskedTask(task="niah.negative")),
        models={"GPT-4": ("gpt-4-1106*", "gpt-4-turbo*")},
        figures={1: "depth_heatmap"},
        tables=(
            PaperTable(
                number=1,
                title="needles found in %, the mean over depths, by tokens",
                asked=(AskedTask(task="niah.magic_number", axes=_NIAH_GRID),),
                known=tuple(
                    PublishedNumber(
                        model="GPT-4", column=str(size), value=found / 15, source=_NIAH_RUN
                    )
                    for size, found in zip(
                        (*_NIAH_SIZES, *_NIAH_LONGER),
                        (*[15 for _ in _NIAH_SIZES], *_NIAH_FOUND),
                        strict=True,
                    )
                ),
            ),
        ),
    ),
    "needlechain": Paper(
        title="NeedleChain",
        source="arXiv 2507.22411",
        family="needlechain",
        repeats=200,
        about_repeats="200 instances of each number of needles",
        asked=_CHAIN_GRID,
        figures={3: "chain_errors", 4: "chain_positions"},
        tables=(
            PaperTable(number=1, title="accuracy in %, by needles and order", asked=_CHAIN_GRID),
            PaperTable(
                number=4,
                title="accuracy in %, and the mean tokens written",
                asked=_CHAIN_GRID,
            ),
        ),
    ),
}
