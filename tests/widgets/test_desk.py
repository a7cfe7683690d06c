"""What the stepper answers, without a browser: rows, trajectories, prompts, branches, and mistakes in words."""

import queue
from pathlib import Path
from typing import Any

import pytest

from react_kit import Episode, Run, load_task
from react_kit.errors import Unavailable
from react_kit.models.cache import Cache
from react_kit.trajectory import Call
from react_kit.widgets.desk import Desk

REPLIES = (
    " One.\nAction 1: Search[Nowhere]",
    " Two.\nAction 2: Search[Nowhere]",
    " Three.\nAction 3: Finish[no]",
)


@pytest.fixture
def heard() -> "queue.Queue[dict[str, Any]]":
    return queue.Queue()


def last(heard: "queue.Queue[dict[str, Any]]") -> dict[str, Any]:
    """Waits until the episode is no longer being played."""
    while True:
        message = heard.get(timeout=10)
        if not message["playing"]:
            return message


@pytest.fixture
def run(scripted: Any, tmp_path: Path) -> Run:
    run = Run(tmp_path / "run")
    for instance in load_task("hotpotqa")[:2]:
        run.append(Episode.start(instance, model=scripted(*REPLIES)).run())
    return run


def test_rows_and_trajectories(run: Run) -> None:
    desk = Desk(run)
    rows = desk.answer({"ask": "rows", "id": "1", "chosen": {}, "start": 0, "count": 1})
    assert [row["n"] for row in rows["rows"]] == [0]
    assert (rows["fit"], rows["of"], rows["growing"]) == (2, 2, True)
    assert rows["facets"]["note"] == {"repeated_action": 2, "search_miss": 2}
    opened = desk.answer({"ask": "open", "n": 1})
    assert opened["instance"]["question"] == load_task("hotpotqa")[1].question
    assert [s["action"] for s in opened["steps"]] == ["Search[Nowhere]", "Search[Nowhere]", "Finish[no]"]
    assert (opened["can_edit"], opened["branches"], opened["parent_n"]) == (False, [], None)


def test_an_edited_thought_makes_a_branch_that_is_recorded(run: Run, scripted: Any, heard: Any) -> None:
    before = run.store.path.read_bytes()
    desk = Desk(run, scripted(" Finish[yes]"), say=heard.put)
    begun = desk.answer({"ask": "edit", "n": 0, "step": 2, "thought": "It must be yes."})
    assert last(heard) == {"played": 2, "playing": False, "steps": 2, "stop": "answered", "problem": ""}
    branch = desk.answer({"ask": "open", "n": begun["n"]})
    assert [s["thought"] for s in branch["steps"]] == ["One.", "It must be yes."]
    assert branch["parent"] == {"id": run[0].id, "step": 2, "edit": {"thought": "It must be yes."}}
    assert (branch["parent_n"], branch["answer"]) == (0, "yes")
    assert desk.answer({"ask": "open", "n": 0})["branches"] == [2]
    assert run.store.path.read_bytes().startswith(before)  # nothing recorded was changed
    assert Run(run.path)[2].parent == run[2].parent
    assert desk.answer({"ask": "follow"}) == {"new": 0, "of": 3}  # not twice in the list
    assert desk.answer({"ask": "edit", "n": 0, "step": 2, "thought": "It must be yes."})["known"]


def test_an_episode_is_played_step_by_step_and_edited_while_it_runs(scripted: Any, heard: Any) -> None:
    episode = Episode.start(load_task("hotpotqa")[0], model=scripted(*REPLIES[:2], " Finish[yes]"))
    desk = Desk(episode, say=heard.put)
    assert desk.answer({"ask": "open", "n": 0})["unfinished"]
    desk.answer({"ask": "play", "n": 0, "steps": 1})
    assert last(heard)["steps"] == 1
    desk.answer({"ask": "play", "n": 0, "steps": 1})
    assert last(heard)["steps"] == 2
    assert desk.answer({"ask": "rows", "chosen": {}})["rows"][0]["steps"] == 2
    begun = desk.answer({"ask": "edit", "n": 0, "step": 2, "thought": "Yes."})
    assert last(heard)["stop"] == "answered"
    assert desk.answer({"ask": "open", "n": begun["n"]})["answer"] == "yes"
    assert desk.answer({"ask": "open", "n": 0})["unfinished"]


class Down:
    name, identity = "scripted", {"endpoint": "test", "model": "scripted"}

    def sample(self, prompt: str, **_: Any) -> list[Call]:
        raise Unavailable("the server at 127.0.0.1:1 does not answer; start it and try again.")


def test_a_server_that_is_down_is_said_and_nothing_is_lost(run: Run, heard: Any) -> None:
    desk = Desk(run, Down(), say=heard.put)
    begun = desk.answer({"ask": "edit", "n": 0, "step": 1, "thought": "Else."})
    told = last(heard)
    assert "does not answer" in told["problem"]
    assert "play on" in told["problem"]
    branch = desk.answer({"ask": "open", "n": begun["n"]})
    assert branch["unfinished"]
    assert len(Run(run.path)) == 2


def test_a_prompt_as_sent_comes_from_the_cache(scripted: Any, tmp_path: Path) -> None:
    model = Cache(scripted(*REPLIES), tmp_path / "cache.sqlite")
    t = Episode.start(load_task("hotpotqa")[0], model=model).run()
    key = t.steps[1].calls[0].key
    assert Desk([t], model).answer({"ask": "prompt", "n": 0, "key": key})["prompt"] == model.prompt(key)
    assert "pass the model that played" in Desk([t]).answer({"ask": "prompt", "n": 0, "key": key})["problem"]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"ask": "edit", "n": 0, "step": 1, "thought": "x"}, "needs the model that played"),
        ({"ask": "play", "n": 0}, "needs the model that played"),
        ({"ask": "open", "n": 99}, "could not be done"),
        ({"ask": "open"}, "could not be done"),
        ({"ask": "burn"}, "does not know 'burn'"),
        ({}, "does not know None"),
    ],
)
def test_mistakes_are_answered_in_words(run: Run, asked: dict[str, Any], says: str) -> None:
    assert says in Desk(run).answer(asked)["problem"]


def test_what_was_recorded_with_another_model_is_not_continued(run: Run, scripted: Any) -> None:
    said = Desk(run, scripted(name="other")).answer({"ask": "edit", "n": 0, "step": 1, "thought": "x"})
    assert "recorded with model 'scripted', this is 'other'" in said["problem"]
