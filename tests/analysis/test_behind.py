"""From a table's cell to the trajectories behind it."""

from pathlib import Path
from typing import Any

import pytest

from react_kit import Experiment, Run
from react_kit.analysis import behind
from react_kit.errors import KitError
from react_kit.models.cache import Cache


@pytest.fixture
def run(scripted: Any, tmp_path: Path) -> Run:
    model = Cache(scripted(*[" So.\nAnswer: no"] * 500), tmp_path / "cache.sqlite")
    methods = ["react", "cot-sc-then-react", "standard"]
    tasks = ["hotpotqa", "fever"]
    return Experiment(tasks, methods=methods, model=model, out=tmp_path / "run", n=2, samples=3).run(
        progress=False
    )


def test_a_greedy_method_has_one_a_question(run: Run) -> None:
    found = behind(run, "standard")
    assert [(t.cell.task, t.cell.method) for t in found] == [("hotpotqa", "standard")] * 2 + [
        ("fever", "standard")
    ] * 2
    assert {t.cell.task for t in behind(run, "react", task="fever")} == {"fever"}


def test_a_pooled_method_has_what_it_was_computed_from(run: Run) -> None:
    id = run[0].instance.id
    found = behind(run, "cot-sc-then-react", task="hotpotqa", instance=id)
    assert [(t.cell.method, t.cell.sample) for t in found] == [
        ("cot", 0),
        ("cot", 1),
        ("cot", 2),
        ("react", 0),
    ]
    assert [t.cell.sample for t in behind(run, "cot-sc", instance=id, samples=2)] == [0, 1]


def test_nothing_behind_is_said(run: Run) -> None:
    with pytest.raises(
        KitError, match=r"nothing was recorded for method 'act'.*hotpotqa, fever with cot, react, standard"
    ):
        behind(run, "act")
