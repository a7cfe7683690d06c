"""The scripted expert solves the invented world within the step limits, and recovers from its slips."""

from pathlib import Path
from typing import Any

import pytest

from react_kit import Episode, Experiment, load_task, open_wiki
from react_kit.errors import KitError
from react_kit.methods.expert import Expert
from react_kit.models.cache import Cache
from react_kit.trajectory import Call, Trajectory
from react_kit.worlds.fable import standard

SPLITS = [("hotpotqa", "fable"), ("hotpotqa", "fable-deep"), ("fever", "fable"), ("hotpotqa", "fable-train")]


class Silent:
    """The expert asks no model."""

    def __init__(self) -> None:
        self.name, self.identity = "none", {"endpoint": "none", "model": "none"}

    def sample(self, prompt: str, **_: Any) -> list[Call]:
        raise AssertionError("nobody is asked")


def played(task: str, split: str, slips: float) -> list[Trajectory]:
    train = "train" in split
    method = Expert(standard("train" if train else "dev"), slips)
    corpus = open_wiki("fable-train" if train else "fable")
    return [Episode.start(i, method, model=Silent(), corpus=corpus).run() for i in load_task(task, split)]


@pytest.mark.parametrize(("task", "split"), SPLITS)
def test_it_is_always_right_within_the_limit_and_never_errs(task: str, split: str) -> None:
    for t in played(task, split, slips=0.0):
        assert (t.stop, set(t.score.values())) == ("answered", {1.0}), t.instance.question
        assert t.notes == ()


@pytest.mark.parametrize(("task", "split"), SPLITS)
def test_with_slips_it_errs_sees_it_and_is_right_all_the_same(task: str, split: str) -> None:
    found = played(task, split, slips=1.0)
    assert all(t.stop == "answered" and set(t.score.values()) == {1.0} for t in found)
    notes = [note for t in found for note in t.notes]
    assert set(notes) <= {"search_miss", "lookup_miss"}
    assert notes.count("search_miss") > 10
    assert notes.count("lookup_miss") > 10
    missed = next(t for t in found if "search_miss" in t.notes)
    at = next(k for k, s in enumerate(missed.steps) if "search_miss" in s.notes)
    assert "There is no such article; it is spelt" in (missed.steps[at + 1].thought or "")


def test_a_thought_says_what_was_found_and_what_is_sought() -> None:
    t = next(t for t in played("hotpotqa", "fable", 0.0) if t.instance.kind == "2-hop")
    thoughts = [s.thought or "" for s in t.steps]
    assert thoughts[0].startswith("I need to find ")
    assert (t.answer or "?") in thoughts[-1]


def test_it_is_a_method_for_an_experiment(tmp_path: Path) -> None:
    expert, model = Expert(standard()), Cache(Silent(), tmp_path / "c")
    experiment = Experiment("hotpotqa", split="fable", methods=expert, model=model, out=tmp_path / "run", n=5)
    assert [t.cell.method for t in experiment.run(progress=False)] == ["expert"] * 5


def test_another_worlds_question_is_refused() -> None:
    with pytest.raises(KitError, match="the expert's world does not hold"):
        Episode.start(load_task("hotpotqa")[0], Expert(standard()), model=Silent()).run()
