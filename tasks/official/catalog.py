"""The tasks that can ask about published rows, by the name of the generated task."""

from collections.abc import Mapping

from tasks.flenqa.family import FlenqaTask
from tasks.needle_threading.family import NeedleThreadingTask
from tasks.needlechain.tasks import NeedleChain
from tasks.official.flenqa_tasks import PublishedMonoRel, PublishedPir, PublishedRuleTaker
from tasks.official.needle_threading_tasks import (
    PublishedConditionalNeedle,
    PublishedMultiNeedle,
    PublishedMultiThreading,
    PublishedSingleNeedle,
    PublishedThreading,
)
from tasks.official.needlechain_tasks import (
    PublishedBackward,
    PublishedForward,
    PublishedMixed,
    PublishedStack,
)

PUBLISHED: Mapping[str, type[NeedleThreadingTask | FlenqaTask | NeedleChain]] = {
    "needle_threading.single_needle": PublishedSingleNeedle,
    "needle_threading.multi_needle": PublishedMultiNeedle,
    "needle_threading.conditional_needle": PublishedConditionalNeedle,
    "needle_threading.threading": PublishedThreading,
    "needle_threading.multi_threading": PublishedMultiThreading,
    "flenqa.monorel": PublishedMonoRel,
    "flenqa.pir": PublishedPir,
    "flenqa.ruletaker": PublishedRuleTaker,
    "needlechain.forward": PublishedForward,
    "needlechain.backward": PublishedBackward,
    "needlechain.mixed": PublishedMixed,
    "needlechain.stack": PublishedStack,
}
