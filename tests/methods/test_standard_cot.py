"""Standard and CoT: settings sent, and the shapes of replies that real models give."""

from typing import Any

import pytest

from react_kit import Episode
from react_kit.trajectory import Call


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        (" beta", "beta"),
        ("Answer: beta", "beta"),  # the label once more
        ("\nbeta\nbecause", "beta"),
        ("\n\n Answer: beta", "beta"),
        (" The answer: beta", "The answer: beta"),  # no label: what the model said is what counts
        ("\n \n", None),
        (" Answer:", None),
    ],
)
def test_standard_takes_the_line_after_the_label(play: Any, reply: str, answer: str | None) -> None:
    t, _ = play("standard", reply)
    assert t.answer == answer
    assert t.stop == ("answered" if answer else "unparsable")
    assert t.score["em"] == float(answer == "beta")
    assert ("empty_reply" in t.notes) == (answer is None)


@pytest.mark.parametrize(
    ("reply", "thought", "answer", "note"),
    [
        (" It is beta.\nAnswer: beta", "It is beta.", "beta", None),
        (" Thought: It is beta. ANSWER： beta\nBye", "It is beta.", "beta", None),
        (" It is beta. Finish[beta]", "It is beta.", "beta", "finish_for_answer"),
        (" It is beta.", "It is beta.", None, "no_answer"),
        (" It is beta. Answer:", "It is beta.", None, "empty_answer"),
        ("", "", None, "empty_reply"),
    ],
)
def test_cot_finds_the_answer_after_its_label(
    play: Any, reply: str, thought: str, answer: str | None, note: str | None
) -> None:
    t, _ = play("cot", reply)
    assert (t.steps[0].thought, t.answer) == (thought, answer)
    assert t.notes == ((note,) if note else ())
    assert (t.stop, t.score["em"]) == (("answered", 1.0) if answer else ("unparsable", 0.0))


def test_cot_stops_before_an_instance_of_its_own_making(play: Any) -> None:
    t, model = play("cot", " Hm. Answer: beta\nQuestion: Which is third?\nAnswer: gamma")
    assert model.asked[0][1] == {
        "n": 1,
        "first": 0,
        "stop": ("\nQuestion:",),
        "temperature": 0.0,
        "max_tokens": 120,
    }
    assert (t.answer, t.notes) == ("beta", ("ran_on",))
    t, _ = play("cot", " Hm.\nQuestion: Which is third?\nAnswer: gamma")
    assert t.answer is None  # what stands after the stop string is not the model's to say


def test_a_sample_asks_for_its_own_number_and_temperature(play: Any) -> None:
    t, model = play("cot", " Hm. Answer: beta", temperature=0.7, sample=5)
    assert (model.asked[0][1]["first"], model.asked[0][1]["temperature"]) == (5, 0.7)
    assert (t.cell.sample, t.cell.temperature) == (5, 0.7)


def test_a_reply_cut_off_by_its_length_says_so(play: Any, scripted: Any) -> None:
    class Cut(scripted):  # type: ignore[misc]
        def sample(self, prompt: str, **settings: Any) -> list[Call]:
            return [Call("k", " and so on and on", finish="length")]

    from react_kit import load_task

    t = Episode.start(load_task("hotpotqa")[0], "cot", model=Cut()).run()
    assert t.notes == ("cut_off", "no_answer")
