"""A task small enough to see whole."""

import pytest

from react_kit.prompts import Exemplar, ExemplarFile, ExemplarStep, Prompts, from_exemplars
from react_kit.trajectory import Instance


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
