"""A task small enough to see whole."""

from collections.abc import Callable
from typing import Any

import pytest

from react_kit import Episode
from react_kit.corpora import MemoryCorpus
from react_kit.prompts import Exemplar, ExemplarFile, ExemplarStep, Prompts, from_exemplars
from react_kit.trajectory import Instance, Trajectory


@pytest.fixture
def prompts() -> Prompts:
    steps = (
        ExemplarStep("I look.", "Search[Greek letters]", "Alpha is first.", ("decompose",)),
        ExemplarStep("It is alpha.", "Finish[alpha]", None, ("conclude",)),
    )
    file = ExemplarFile(
        "mini",
        "Question",
        {"standard": "S.", "cot": "C.", "act": "A.", "react": "R."},
        (Exemplar("Which is first?", "alpha", steps),),
    )
    return from_exemplars(file)


@pytest.fixture
def instance() -> Instance:
    return Instance("q1", "hotpotqa", "Which is second?", "beta")


@pytest.fixture
def play(scripted: Any, greek: MemoryCorpus, prompts: Prompts, instance: Instance) -> Callable[..., Any]:
    """Plays a method on scripted replies; gives the trajectory and the model, which keeps what it was asked."""

    def run(method: str, *replies: str, **settings: Any) -> tuple[Trajectory, Any]:
        model = scripted(*replies)
        settings = {"corpus": greek, "prompts": prompts} | settings
        return Episode.start(instance, method, model=model, **settings).run(), model

    return run
