"""Driving a method: by steps, to the end, on from an edited step."""

from typing import Any

import pytest

from react_kit import PAPER, Episode, load_task, open_wiki
from react_kit.corpora import MemoryCorpus
from react_kit.corpora.memory import Article
from react_kit.errors import KitError, Unavailable
from react_kit.trajectory import Call

REPLIES = (
    " Look up Gustave Eiffel's tower.\nAction 1: Search[Eiffel Tower]",
    " Its company was Gustave Eiffel's.\nAction 2: Search[Gustave Eiffel]",
    " He was born in Dijon.\nAction 3: Finish[Dijon]",
)


@pytest.fixture
def instance() -> Any:
    return next(i for i in load_task("hotpotqa") if i.answer == "Dijon")


@pytest.fixture
def episode(scripted: Any, instance: Any) -> Episode:
    return Episode.start(instance, model=scripted(*REPLIES, " And so.\nAction 2: Finish[Lyon]"))


def test_nothing_is_asked_before_the_first_step(episode: Episode) -> None:
    assert episode.context.model.asked == []  # type: ignore[attr-defined]
    assert (episode.trajectory.stop, episode.trajectory.steps, episode.trajectory.score) == (
        "unfinished",
        (),
        {},
    )


def test_step_by_step_or_at_once_is_the_same(scripted: Any, instance: Any, episode: Episode) -> None:
    seen = list(iter(episode.step, None))
    assert [s.action.raw for s in seen if s.action] == [
        "Search[Eiffel Tower]",
        "Search[Gustave Eiffel]",
        "Finish[Dijon]",
    ]
    assert episode.step() is None
    at_once = Episode.start(instance, model=scripted(*REPLIES)).run()
    assert at_once.sha == episode.trajectory.sha
    assert (at_once.answer, at_once.stop, at_once.score["em"]) == ("Dijon", "answered", 1.0)


def test_a_stopped_episode_is_unfinished_and_not_scored(episode: Episode) -> None:
    episode.step()
    t = episode.trajectory
    assert (t.stop, t.score, len(t.steps)) == ("unfinished", {}, 1)


def test_the_record_says_how_it_came_about(episode: Episode) -> None:
    provenance = episode.run().provenance
    assert provenance["model"] == {"endpoint": "test", "model": "scripted"}
    assert provenance["prompts"]["id"] == "hotpotqa-tiny"
    assert len(provenance["prompts"]["sha256"]) == 64
    assert provenance["corpus"]["name"] == "tiny"
    assert provenance["corpus"]["sha256"]
    assert (provenance["fidelity"], provenance["step_limit"]) == ({}, 7)


def test_an_edited_thought_is_followed_by_its_own_action(episode: Episode) -> None:
    original = episode.run()
    model = episode.context.model
    model.left = [" Finish[Paris]"]  # type: ignore[attr-defined]
    branch = episode.edit(2, thought="I know that\nhe was born in Paris.")
    t = branch.run()
    assert t.steps[0] == original.steps[0]
    assert t.steps[1].thought == "I know that he was born in Paris."
    assert t.steps[1].notes[:2] == ("edited", "no_action_line")
    assert t.answer == "Paris"
    asked = model.prompts[-1]  # type: ignore[attr-defined]
    assert asked.endswith("Thought 2: I know that he was born in Paris.\nAction 2:")
    assert t.parent is not None
    assert (t.parent.id, t.parent.step, t.parent.edit["thought"]) == (
        original.id,
        2,
        "I know that\nhe was born in Paris.",
    )
    assert t.id != original.id
    assert branch.differences == []


def test_an_edited_action_keeps_the_thought(episode: Episode) -> None:
    episode.run()
    t = episode.edit(1, action="Search[Gustave Eiffel]").run()
    assert t.steps[0].thought == "Look up Gustave Eiffel's tower."
    assert t.steps[0].observation is not None
    assert t.steps[0].observation.text.startswith("Gustave Eiffel was")


def test_a_world_that_has_changed_is_shown(scripted: Any, instance: Any, episode: Episode) -> None:
    episode.run()
    changed = MemoryCorpus([Article("Eiffel Tower", sentences=("It was moved to Rome.",))], "changed", "2027")
    episode.make_env = lambda: episode.task.make_env(changed, PAPER)
    branch = episode.edit(2, action="Finish[Rome]")
    assert len(branch.differences) == 1
    assert "It was moved to Rome." in branch.differences[0]


@pytest.mark.parametrize(("step", "says"), [(0, "no step 0"), (9, "steps 1 to 3")])
def test_a_step_that_is_not_there_cannot_be_edited(episode: Episode, step: int, says: str) -> None:
    episode.run()
    with pytest.raises(KitError, match=says):
        episode.edit(step, thought="x")


def test_an_edit_changes_something(episode: Episode) -> None:
    episode.run()
    with pytest.raises(KitError, match="thought=, action= or both"):
        episode.edit(1)


class Flaky:
    """Fails at one call, then works."""

    name, identity = "flaky", {"endpoint": "test", "model": "flaky"}

    def __init__(self, fails_at: int) -> None:
        self.count, self.fails_at = 0, fails_at
        self.given = 0

    def sample(self, prompt: str, **settings: Any) -> list[Call]:
        self.count += 1
        if self.count == self.fails_at:
            raise Unavailable("the server is away")
        self.given += 1
        return [Call(str(self.given), REPLIES[self.given - 1])]


def test_a_server_that_fails_in_the_middle_loses_nothing(instance: Any) -> None:
    episode = Episode.start(instance, model=Flaky(2))
    episode.step()
    with pytest.raises(Unavailable):
        episode.step()
    assert episode.trajectory.stop == "unfinished"
    assert episode.run().answer == "Dijon"
    assert len(episode.steps) == 3


def test_a_pooled_method_is_no_episode(scripted: Any, instance: Any) -> None:
    with pytest.raises(KitError, match=r"'cot-sc' is computed from several episodes \(cot\)"):
        Episode.start(instance, "cot-sc", model=scripted())
    with pytest.raises(KitError, match=r"'reakt'.*react"):
        Episode.start(instance, "reakt", model=scripted())


def test_a_method_of_ones_own_is_a_generator(scripted: Any, instance: Any) -> None:
    from react_kit import Action, Step

    def guess(ctx: Any) -> Any:
        yield Step(None, Action("finish", {"answer": "Dijon"}, "Finish[Dijon]"))

    t = Episode.start(instance, guess, model=scripted(), corpus=open_wiki()).run()
    assert (t.cell.method, t.answer, t.score["em"]) == ("guess", "Dijon", 1.0)
