"""From any reply to a thought and an action, or a named reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_kit.parsing import cut, parse_action, parse_answer, parse_step

PROBLEMS = {"no_action_line", "empty_reply", "not_an_action", "unclosed_bracket", "no_answer", "empty_answer"}


@pytest.mark.parametrize(
    ("reply", "thought", "name", "argument", "notes"),
    [
        (" I search.\nAction 1: Search[Danube]", "I search.", "search", "Danube", ()),
        ("\n\nThought 1: I search.\nAction 1: Search[Danube]", "I search.", "search", "Danube", ()),
        ("thought: i search.\naction: search[danube]", "i search.", "search", "danube", ()),
        ("I SEARCH.\nACTION 7: LOOKUP[river]", "I SEARCH.", "lookup", "river", ()),
        ("So.\nAction 2: Finish[yes] because it is.", "So.", "finish", "yes", ("trailing_text",)),
        ("So.\nAction 2: Search[A [b] c]", "So.", "search", "A [b] c", ()),
        ("So.\nAction 2: Search[A [b c]", "So.", "search", "A [b c", ()),
        ("So.\nAction 2: Search［Danube］", "So.", "search", "Danube", ()),
        ("So.\nAction 2：Search[Danube]", "So.", "search", "Danube", ()),
        (
            "One.\nAction 1: Search[A]\nObservation 1: made up\nThought 2: Two.",
            "One.",
            "search",
            "A",
            ("extra_steps",),
        ),
        ("One.\nAction 1: Search[A]\nAction 2: Search[B]", "One.", "search", "A", ("extra_steps",)),
        ("It is so.\nAnswer: Paris", "It is so.", "finish", "Paris", ("answer_for_finish",)),
        ("\nAction 1: Search[A]", "", "search", "A", ()),
        ("So.\n  Action: search [ Danube ]", "So.", "search", "Danube", ()),
        ("So.\nAction2:Search[Danube]", "So.", "search", "Danube", ()),
        ("So.\nAction 3: \n\nFinish[NOT ENOUGH INFO]", "So.", "finish", "NOT ENOUGH INFO", ()),
        ("Action 1 is easy.\nAction 1: Search[A]", "Action 1 is easy.", "search", "A", ()),
        ("So.\nAction 1: Search[A]]", "So.", "search", "A", ("trailing_text",)),
        ("So.\nAction 1: Search[C++ & C#]", "So.", "search", "C++ & C#", ()),
        ("Line one.\nLine two.\nAction 1: Search[A]", "Line one.\nLine two.", "search", "A", ()),
    ],
)
def test_what_models_write_is_taken_as_well_as_it_can_be(
    reply: str, thought: str, name: str, argument: str, notes: tuple[str, ...]
) -> None:
    parsed = parse_step(reply)
    assert parsed.action is not None
    assert (parsed.thought, parsed.action.name, parsed.action.argument) == (thought, name, argument)
    assert parsed.notes == notes
    assert parsed.problem is None


@pytest.mark.parametrize(
    ("reply", "thought", "problem"),
    [
        ("", "", "empty_reply"),
        (" \n ", "", "empty_reply"),
        ("I wonder.", "I wonder.", "no_action_line"),
        ("I wonder.\nObservation 1: a lie\nAction 1: Search[A]", "I wonder.", "no_action_line"),
        ("I wonder.\nAction 1: look it up", "I wonder.", "not_an_action"),
        ("I wonder.\nAction 1: Search[Danube", "I wonder.", "unclosed_bracket"),
        ("I wonder.\nAction 1:", "I wonder.", "empty_reply"),
        ("I wonder.\nAction 1: 【Danube】", "I wonder.", "not_an_action"),
        ("I wonder.\nAction 1: [Danube]", "I wonder.", "not_an_action"),
        ("I wonder. Action 1: Search[A]", "I wonder. Action 1: Search[A]", "no_action_line"),
        ("I wonder.\nQuestion: What else?\nAnswer: Paris", "I wonder.", "no_action_line"),
    ],
)
def test_otherwise_the_reason_has_a_name(reply: str, thought: str, problem: str) -> None:
    parsed = parse_step(reply)
    assert (parsed.thought, parsed.action, parsed.problem) == (thought, None, problem)


def test_the_raw_action_is_the_models_own_text() -> None:
    action = parse_action(" Search[ Danube ] and more").action
    assert action is not None
    assert (action.raw, action.argument) == ("Search[ Danube ]", "Danube")


@pytest.mark.parametrize(
    ("reply", "thought", "answer"),
    [
        ("It is. Answer: Paris", "It is.", "Paris"),
        ("It is.\nAnswer: Paris\nQuestion: next", "It is.", "Paris"),
        ("It is.\nanswer : PARIS", "It is.", "PARIS"),
        ("It is. Finish[Paris]", "It is.", "Paris"),
        ("It is.\nAnswer:\nParis", "It is.", "Paris"),
    ],
)
def test_a_chain_of_thought_ends_in_an_answer(reply: str, thought: str, answer: str) -> None:
    parsed = parse_answer(reply)
    assert parsed.action is not None
    assert (parsed.thought, parsed.action.argument) == (thought, answer)


@pytest.mark.parametrize(
    ("reply", "problem"), [("It is.", "no_answer"), ("", "empty_reply"), ("So. Answer:", "empty_answer")]
)
def test_or_in_a_named_reason(reply: str, problem: str) -> None:
    assert parse_answer(reply).problem == problem


@pytest.mark.parametrize(
    ("text", "stop", "kept"),
    [("a\nObs", ("\nObs",), "a"), ("a b c", ("c", "b"), "a "), ("a", ("b",), "a"), ("a", (), "a")],
)
def test_a_reply_is_cut_at_the_first_stop_string(text: str, stop: tuple[str, ...], kept: str) -> None:
    assert cut(text, stop) == kept


pieces = st.sampled_from(
    [
        "Thought 1:",
        "Action 1:",
        "action",
        "Observation 2:",
        "Search[",
        "Finish[",
        "]",
        "［",
        "］",
        "Answer:",
        "\n",
        ":",
        " ",
        "é",
        "\x00",
    ]
)
replies = st.lists(pieces | st.text(max_size=8), max_size=25).map("".join)


@given(replies | st.text())
def test_nothing_raises_and_every_reply_has_an_action_or_a_reason(reply: str) -> None:
    for parse in (parse_step, parse_action, parse_answer):
        parsed = parse(reply)
        assert (parsed.action is None) == (parsed.problem in PROBLEMS)
        if parsed.action is not None:
            assert parsed.action.name == parsed.action.name.lower() != ""
            assert parsed.action.argument is not None


@given(replies)
def test_a_thought_never_holds_an_observation_line(reply: str) -> None:
    parsed = parse_step(reply)
    if parsed.action is None:
        assert "\n" not in parsed.thought


@pytest.mark.parametrize(
    "unit", ["[", "]", "Search[", "Action:", "Thought 1:", "\nanswer", " \t", "\n", "Finish[ ["]
)
def test_a_reply_of_a_million_characters_is_no_trouble(unit: str) -> None:
    # Quadratic work on this much text would run into the test's time limit.
    reply = unit * (1_000_000 // len(unit))
    for parse in (parse_step, parse_action, parse_answer):
        parsed = parse(reply)
        assert parsed.action or parsed.problem in PROBLEMS
