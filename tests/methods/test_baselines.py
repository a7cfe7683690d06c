"""The baselines answer as their names say, and the kit's questions do not give themselves away to them."""

from collections.abc import Callable
from typing import Any

import pytest

from react_kit import Episode, load_task, open_wiki
from react_kit.corpora import Corpus, MemoryCorpus
from react_kit.corpora.memory import Article
from react_kit.errors import KitError
from react_kit.methods import CONTROLS
from react_kit.methods.baselines import bm25, majority, most_linked, random_title, title_overlap
from react_kit.trajectory import Call


class Silent:
    """The baselines ask no model."""

    def __init__(self) -> None:
        self.name, self.identity = "none", {"endpoint": "none", "model": "none"}

    def sample(self, prompt: str, **_: Any) -> list[Call]:
        raise AssertionError("nobody is asked")


def answer(method: Any, question: Any, corpus: Corpus) -> Any:
    return Episode.start(question, method, model=Silent(), corpus=corpus).run()


SMALL = MemoryCorpus(
    [
        Article("River Ouse", sentences=("A river that runs by the Abbey.",)),
        Article("Abbey", sentences=("A house of monks.", "It has a bell.")),
        Article("Mill", sentences=("The mill has 4 sails.", "The abbey had the mill built in 1204.")),
        Article("Bell tower (Abbey)", sentences=("The tower rings for the Abbey and the monks.",)),
    ],
    "small",
    "",
)


@pytest.mark.parametrize(
    ("method", "question", "said"),
    [
        (title_overlap, "Which tower has the loudest bell?", "Bell tower"),
        (title_overlap, "Which abbey river is it?", "River Ouse"),  # the abbey itself is named
        (bm25, "What rings for the monks?", "Bell tower"),
        (bm25, "What runs by it?", "River Ouse"),
        (bm25, "Is the abbey a house?", "yes"),
        (bm25, "Which is older, the Abbey or the River Ouse?", "Abbey"),
        (bm25, "In which year was the mill by the abbey built?", "1204"),
        (bm25, "How many sails does the mill have?", "4"),
        (majority, "Anything?", "yes"),
        (most_linked, "Anything?", "Abbey"),
    ],
)
def test_each_answers_as_its_name_says(method: Callable[..., Any], question: str, said: str) -> None:
    assert answer(method, question, SMALL).answer == said


def test_of_claims_the_label_is_guessed() -> None:
    claims = load_task("fever")
    assert {answer("majority", i, open_wiki("tiny")).answer for i in claims} == {"SUPPORTS"}
    guessed = [answer("random-title", i, open_wiki("tiny")).answer for i in claims]
    assert set(guessed) == {"SUPPORTS", "REFUTES", "NOT ENOUGH INFO"}
    assert guessed == [answer(random_title, i, open_wiki("tiny")).answer for i in claims]


@pytest.mark.parametrize("split", ["tiny", "fable", "fable-deep"])
@pytest.mark.parametrize("method", [c for n, c in CONTROLS.items() if n not in ("oracle", "cot-gold")])
def test_no_baseline_answers_35_percent(method: Callable[..., Any], split: str) -> None:
    corpus = open_wiki("tiny" if split == "tiny" else "fable")
    right = [answer(method, i, corpus).score["em"] for i in load_task("hotpotqa", split)]
    assert sum(right) / len(right) < 0.35


def test_a_corpus_that_cannot_be_read_whole_is_refused() -> None:
    class Far:
        name, vintage, sha256 = "far", "", ""

        def lookup_title(self, title: str) -> None:
            return None

        def similar(self, title: str, k: int = 5) -> list[str]:
            return []

    with pytest.raises(KitError, match="held in memory"):
        answer(bm25, "Who?", Far())
