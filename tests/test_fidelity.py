"""The paper and the authors' code as two readings of one protocol."""

from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest

from react_kit import AUTHORS_CODE, PAPER, TASKS, Fidelity
from react_kit.corpora import open_wiki
from react_kit.envs.wikipedia import WikipediaEnv
from react_kit.errors import KitError
from react_kit.fidelity import PRESETS, preset
from react_kit.methods.pooled import backs_off
from react_kit.parsing import parse_action
from react_kit.trajectory import Instance


def test_the_defaults_are_the_papers() -> None:
    assert Fidelity() == PAPER
    assert (PAPER.hotpotqa_steps, PAPER.fever_steps, PAPER.tie, PAPER.page_after_miss) == (
        7,
        5,
        "keep",
        "close",
    )
    assert PAPER.differences() == {}


def test_the_authors_code_differs_where_the_notebooks_do() -> None:
    assert AUTHORS_CODE.differences() == {"fever_steps": 7, "tie": "back-off", "page_after_miss": "keep"}


def test_the_name_says_all_that_differs() -> None:
    assert (PAPER.name, AUTHORS_CODE.name) == ("paper", "authors-code")
    assert replace(PAPER, tie="back-off").name == "paper+tie=back-off"
    one_off = [replace(PAPER, **{f.name: getattr(AUTHORS_CODE, f.name)}) for f in fields(PAPER)]
    assert len({f.name for f in one_off}) == 1 + len(AUTHORS_CODE.differences())
    assert replace(AUTHORS_CODE, fever_steps=5).name == "paper+tie=back-off+page_after_miss=keep"


def test_it_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        PAPER.fever_steps = 9  # type: ignore[misc]


def test_presets_go_by_name() -> None:
    assert {name: f.name for name, f in PRESETS.items()} == {"paper": "paper", "authors-code": "authors-code"}
    assert preset("authors-code") is AUTHORS_CODE
    with pytest.raises(KitError, match=r"unknown fidelity 'papers'.*authors-code, paper"):
        preset("papers")


def test_each_field_decides_something() -> None:
    i = Instance("1", "any", "?")
    assert [TASKS[t].limit(f, i) for f in (PAPER, AUTHORS_CODE) for t in ("hotpotqa", "fever")] == [
        7,
        5,
        7,
        7,
    ]
    assert TASKS["hotpotqa"].limit(replace(PAPER, hotpotqa_steps=3), i) == 3
    deep = [Instance("1", "hotpotqa", "?", kind=kind) for kind in ("2-hop", "3-hop", "4-hop")]
    assert [TASKS["hotpotqa"].limit(PAPER, d) for d in deep] == [7, 9, 11]
    assert [backs_off(v, 4, PAPER) for v in (1, 2, 3)] == [True, False, False]
    assert [backs_off(v, 4, AUTHORS_CODE) for v in (1, 2, 3)] == [True, True, False]


@pytest.mark.parametrize("task", ["hotpotqa", "fever"])
@pytest.mark.parametrize(("fidelity", "open_after"), [(PAPER, False), (AUTHORS_CODE, True)])
def test_a_task_tells_its_environment_what_becomes_of_the_page(
    task: str, fidelity: Fidelity, open_after: bool
) -> None:
    env = TASKS[task].make_env(open_wiki("tiny"), fidelity)
    assert isinstance(env, WikipediaEnv)
    for text in ("search[Honey bee]", "search[no such thing]"):
        action = parse_action(text).action
        assert action is not None
        env.step(action)
    assert (env.page is not None) == open_after


@pytest.mark.parametrize("change", [{"tie": "x"}, {"page_after_miss": "shut"}, {"fever_steps": 0}])
def test_a_value_that_means_nothing(change: dict[str, Any]) -> None:
    with pytest.raises(KitError, match="expected"):
        Fidelity(**change)
