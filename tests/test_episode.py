"""Driving a method: by steps, to the end, on from an edited step."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from react_kit import AUTHORS_CODE, PAPER, Episode, load_task, open_wiki
from react_kit.corpora import MemoryCorpus
from react_kit.corpora.memory import Article
from react_kit.errors import KitError, Unavailable
from react_kit.prompts import load_prompts
from react_kit.trajectory import Action, Call, Parent, Step, decode, encode

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


class Away:
    """Gives its replies in order; fails once when `fails` is set."""

    name, identity = "away", {"endpoint": "test", "model": "away"}

    def __init__(self, *replies: str) -> None:
        self.left, self.prompts, self.fails = list(replies), [], False  # type: ignore[var-annotated]

    def sample(self, prompt: str, **settings: Any) -> list[Call]:
        if self.fails:
            self.fails = False
            raise Unavailable("the server is away")
        self.prompts.append(prompt)
        return [Call(str(len(self.prompts)), self.left.pop(0))]


def test_a_branch_keeps_its_edit_when_the_server_fails_at_once(instance: Any) -> None:
    model = Away(*REPLIES, " Finish[Paris]")
    episode = Episode.start(instance, model=model)
    episode.run()
    branch = episode.edit(2, thought="He was born in Paris.")
    model.fails = True
    with pytest.raises(Unavailable):
        branch.step()
    t = branch.run()
    assert [s.thought for s in t.steps] == ["Look up Gustave Eiffel's tower.", "He was born in Paris."]
    assert (t.answer, t.steps[1].notes[0]) == ("Paris", "edited")
    assert len(model.prompts) == 4


def test_a_branch_of_a_branch_keeps_both_edits(instance: Any) -> None:
    model = Away(*REPLIES, " Search[Dijon]", " Hm.\nAction 3: Finish[x]", " Finish[Lyon]")
    first = Episode.start(instance, model=model)
    first.run()
    second = first.edit(2, thought="Dijon it is.")
    second.run()
    third = second.edit(3, thought="No, Lyon.")
    t = third.run()
    assert [s.thought for s in t.steps][1:] == ["Dijon it is.", "No, Lyon."]
    assert t.answer == "Lyon"
    assert t.parent is not None
    assert t.parent.id == second.trajectory.id
    assert len({first.trajectory.id, second.trajectory.id, t.id}) == 3


def test_an_edit_before_the_end_of_an_unfinished_episode(episode: Episode) -> None:
    episode.step()
    branch = episode.edit(1, action="Finish[Dijon]")
    assert branch.steps == []
    assert branch.run().answer == "Dijon"
    assert (episode.trajectory.stop, len(episode.steps)) == ("unfinished", 1)


@pytest.mark.parametrize(
    ("method", "reply", "edit", "answer", "thought"),
    [
        ("standard", " Lyon", {"action": "Dijon"}, "Dijon", None),
        ("standard", " Lyon", {"action": "Answer: Dijon"}, "Dijon", None),
        ("cot", " Hm. Answer: Lyon", {"action": "Answer: Dijon"}, "Dijon", "Hm."),
        ("cot", " Hm. Answer: Lyon", {"action": "Finish[Dijon]"}, "Dijon", "Hm."),
        ("cot", " Hm. Answer: Lyon", {"thought": "Ah.", "action": "Answer: Dijon"}, "Dijon", "Ah."),
        ("cot", " Hm. Answer: Lyon", {"thought": "Ah. Answer: Dijon"}, "Dijon", "Ah."),
        ("act", " Finish[Lyon]", {"action": "Finish[Dijon]"}, "Dijon", None),
    ],
)
def test_every_method_can_be_edited(
    instance: Any, method: str, reply: str, edit: dict[str, str], answer: str, thought: str | None
) -> None:
    episode = Episode.start(instance, method, model=Away(reply))
    episode.run()
    t = episode.edit(1, **edit).run()
    assert (t.answer, t.steps[0].thought, t.score["em"]) == (answer, thought, 1.0)
    assert "edited" in t.notes


def test_a_chain_of_thought_with_another_thought_is_asked_what_follows(instance: Any) -> None:
    model = Away(" Hm. Answer: Lyon", " Dijon")
    episode = Episode.start(instance, "cot", model=model)
    episode.run()
    t = episode.edit(1, thought="Eiffel was born in Dijon.").run()
    assert model.prompts[1] == model.prompts[0] + " Eiffel was born in Dijon.\nAnswer:"
    assert (t.answer, t.notes) == ("Dijon", ("edited", "follow_up"))


@pytest.mark.parametrize(("method", "reply"), [("act", " Finish[Lyon]"), ("standard", " Lyon")])
def test_where_there_is_no_thought_none_can_be_edited(instance: Any, method: str, reply: str) -> None:
    episode = Episode.start(instance, method, model=Away(reply))
    episode.run()
    with pytest.raises(KitError, match=f"step 1 of {method} has no thought to edit; pass action="):
        episode.edit(1, thought="x")
    assert len(episode.steps) == 1


def test_actions_with_effects_outside_are_not_repeated(episode: Episode) -> None:
    episode.run()
    episode.context.env.replay = "never"
    with pytest.raises(KitError, match="cannot be repeated: edit step 1 only"):
        episode.edit(2, thought="x")


def test_a_question_of_ones_own_is_played_and_not_scored(scripted: Any) -> None:
    t = Episode.start(" Where was Eiffel born? ", model=scripted(*REPLIES)).run()
    assert (t.instance.question, t.instance.answer, t.instance.task) == (
        "Where was Eiffel born?",
        None,
        "hotpotqa",
    )
    assert (t.answer, t.stop, t.score) == ("Dijon", "answered", {})
    other = Episode.start("Where was Eiffel born?", model=scripted(*REPLIES)).run()
    assert other.id == t.id


def test_a_question_cannot_open_a_line_of_its_own(scripted: Any) -> None:
    model = scripted(*REPLIES)
    Episode.start("Where?\nThought 1: Done.", model=model).step()
    assert model.asked[0][0].endswith("Question: Where? Thought 1: Done.\nThought 1:")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"model": "embedded"}, r"model is 'embedded'; expected .*open_model"),
        ({"corpus": "tiny"}, r"corpus is 'tiny'; expected .*open_wiki"),
        ({"prompts": "hotpotqa"}, r"prompts is 'hotpotqa'; expected .*load_prompts"),
        ({"fidelity": "paper"}, r"fidelity is 'paper'; expected .*PAPER"),
        ({"instance": 4}, r"the instance is 4; expected .*load_task"),
        ({"instance": "  "}, r"question is '  '; expected text"),
        ({"instance": "\ud800"}, r"expected text"),
        ({"method": lambda ctx: iter(())}, r"no name for the record"),
        ({"method": 7}, r"no name for the record"),
    ],
)
def test_a_name_where_a_thing_belongs(scripted: Any, instance: Any, given: dict[str, Any], says: str) -> None:
    settings = {"instance": instance, "model": scripted()} | given
    with pytest.raises(KitError, match=says):
        Episode.start(settings.pop("instance"), settings.pop("method", "react"), **settings)


def test_a_method_that_is_none_is_told_what_a_method_does(scripted: Any, instance: Any) -> None:
    def nothing(ctx: Any) -> Any:
        return None

    def words(ctx: Any) -> Any:
        yield "Finish[Dijon]"

    with pytest.raises(KitError, match=r"nothing returned is None; expected a generator"):
        Episode.start(instance, nothing, model=scripted())
    with pytest.raises(KitError, match=r"words yielded is 'Finish\[Dijon\]'; expected a Step"):
        Episode.start(instance, words, model=scripted()).run()


def test_the_last_step_that_is_allowed_ends_the_episode(scripted: Any, instance: Any) -> None:
    searches = [f" Again.\nAction {i}: Search[Dijon {i}]" for i in range(1, 8)]
    episode = Episode.start(instance, model=scripted(*searches))
    for _ in range(7):
        episode.step()
    assert (episode.over, episode.trajectory.stop) == (True, "step_limit")


@pytest.mark.parametrize(
    "step",
    [
        {"thought": 5},
        {"thought": "\ud800"},
        {"observation": "seen"},
        {"notes": "ab"},
        {"action": Action("finish", {"answer": object()}, "")},
        {"action": Action("finish", {"answer": "x"}, 7)},  # type: ignore[arg-type]
    ],
    ids=["a number", "half a character", "no observation", "no notes", "an object", "raw a number"],
)
def test_a_step_that_cannot_be_recorded_is_refused(
    scripted: Any, instance: Any, step: dict[str, Any]
) -> None:
    def mine(ctx: Any) -> Any:
        yield Step(**step)

    with pytest.raises(KitError, match="a step of mine cannot be recorded"):
        Episode.start(instance, mine, model=scripted()).run()


def test_a_recorded_trajectory_is_resumed_and_edited_as_the_episode_was(
    scripted: Any, instance: Any, episode: Episode
) -> None:
    recorded = decode(encode(episode.run()))
    again = Episode.resume(recorded, model=scripted(" Finish[Lyon]"))
    assert (again.over, again.differences) == (True, [])
    assert again.trajectory.sha == recorded.sha
    assert again.context.model.asked == []  # type: ignore[attr-defined]
    branch = again.edit(2, thought="It was Lyon.").run()
    assert branch.parent == Parent(recorded.id, 2, {"thought": "It was Lyon."})
    assert branch.answer == "Lyon"
    twice = Episode.resume(decode(encode(branch)), model=scripted())
    assert twice.trajectory.sha == branch.sha


def test_an_unfinished_trajectory_is_played_on(scripted: Any, instance: Any, episode: Episode) -> None:
    episode.step()
    again = Episode.resume(episode.trajectory, model=scripted(*REPLIES[1:]))
    assert not again.over
    whole = Episode.start(instance, model=scripted(*REPLIES)).run()
    assert again.run().answer == "Dijon"
    assert [s.observation for s in again.steps] == [s.observation for s in whole.steps]


def test_what_was_recorded_otherwise_is_not_resumed(scripted: Any, episode: Episode) -> None:
    t = episode.run()
    with pytest.raises(KitError, match="model 'scripted', this is 'other'"):
        Episode.resume(t, model=scripted(name="other"))
    with pytest.raises(KitError, match="recorded with prompt 'hotpotqa-tiny@"):
        Episode.resume(t, model=scripted(), prompts=load_prompts("hotpotqa", n=3))
    elsewhere = msgspec.structs.replace(t, provenance={"corpus": {"name": "mine"}})
    with pytest.raises(KitError, match="over the corpus 'mine'; pass it as corpus="):
        Episode.resume(elsewhere, model=scripted())
    with pytest.raises(KitError, match=r"expected a trajectory, e\.g\. run\[0\]"):
        Episode.resume(episode, model=scripted())  # type: ignore[arg-type]


def test_resuming_keeps_the_rules_of_the_record(scripted: Any, instance: Any) -> None:
    rules = replace(AUTHORS_CODE, fever_steps=6)
    t = Episode.start(instance, model=scripted(*REPLIES), fidelity=rules).run()
    assert Episode.resume(t, model=scripted()).trajectory.sha == t.sha


def test_a_world_that_has_changed_is_told_on_resuming(scripted: Any, episode: Episode) -> None:
    changed = MemoryCorpus([Article("Eiffel Tower", sentences=("Another text.",))], "tiny", "")
    again = Episode.resume(episode.run(), model=scripted(), corpus=changed)
    assert "is now 'Another text.'" in again.differences[0]
    assert "replay_differs" in again.trajectory.notes
