"""The record: round trips, ids and checksums, and what counts as a repeated action."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from react_kit.trajectory import (
    Action,
    Call,
    Cell,
    Instance,
    Observation,
    Parent,
    SentenceRef,
    Step,
    Trajectory,
    Usage,
    decode,
    encode,
    is_repeat,
    trajectory_id,
)

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
names = st.dictionaries(st.sampled_from(["entity", "answer", "n"]), text, max_size=2)
calls = st.builds(
    Call, text, text, st.none() | text, text, st.builds(Usage, *[st.integers(0, 99)] * 3), st.just(())
)
observations = st.builds(
    Observation, text, st.lists(st.builds(SentenceRef, text, st.integers(0, 9))).map(tuple), text
)
steps = st.builds(
    Step,
    st.none() | text,
    st.none() | st.builds(Action, text, names, text),
    st.none() | observations,
    st.lists(calls, max_size=2).map(tuple),
    st.lists(text, max_size=2).map(tuple),
)
cells = st.builds(Cell, text, text, text, text, text, st.floats(0, 1), text, st.integers(0, 20))
trajectories = st.builds(
    Trajectory,
    text,
    cells,
    st.builds(Instance, text, text, text, st.none() | text),
    st.lists(steps, max_size=3).map(tuple),
    st.none() | text,
    st.sampled_from(["answered", "step_limit", "unparsable", "unavailable", "unfinished"]),
    st.dictionaries(text, st.floats(0, 1), max_size=2),
    st.dictionaries(text, text, max_size=2),
    st.none() | st.builds(Parent, text, st.integers(1, 9), st.dictionaries(text, text, max_size=1)),
    st.dictionaries(text, st.integers(), max_size=2),
)
PLAIN = Trajectory(
    "i",
    Cell("t", "1", "react", "p", "m"),
    Instance("1", "t", "q"),
    (Step("x", calls=(Call("k", "y"),)),),
    "a",
    "answered",
)


@given(trajectories)
def test_a_trajectory_is_one_line_and_comes_back_the_same(t: Trajectory) -> None:
    line = encode(t)
    assert b"\n" not in line
    assert decode(line) == t
    assert msgspec.json.decode(line)["sha"] == t.sha


def test_sha_leaves_out_the_day_and_nothing_else() -> None:
    def with_call(**change: object) -> Trajectory:
        step = msgspec.structs.replace(
            PLAIN.steps[0], calls=(msgspec.structs.replace(PLAIN.steps[0].calls[0], **change),)
        )
        return msgspec.structs.replace(PLAIN, steps=(step,))

    assert msgspec.structs.replace(PLAIN, meta={"seconds": 9}).sha == PLAIN.sha
    assert with_call(usage=Usage(0, 0, 7)).sha == PLAIN.sha
    others = [
        msgspec.structs.replace(PLAIN, answer="b"),
        msgspec.structs.replace(PLAIN, stop="step_limit"),
        msgspec.structs.replace(PLAIN, score={"em": 1.0}),
        msgspec.structs.replace(PLAIN, provenance={"x": 1}),
        msgspec.structs.replace(PLAIN, steps=()),
        with_call(text="z"),
        with_call(usage=Usage(1)),
        with_call(finish="length"),
    ]
    assert len({t.sha for t in [PLAIN, *others]}) == 1 + len(others)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths to every value that is not a container."""
    inner = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    )
    if inner is None:
        yield path
    else:
        for key, item in inner:
            yield from leaves(item, (*path, key))


def changed(value: Any, path: tuple[Any, ...]) -> Any:
    """A copy of plain data with the leaf at `path` changed to another value of its kind."""
    if path:
        copy = value.copy()
        copy[path[0]] = changed(value[path[0]], path[1:])
        return copy
    if value in ("answered", "step_limit", "unparsable", "unavailable", "unfinished"):
        return "answered" if value != "answered" else "unfinished"
    if value is None:
        return "was nothing"
    return not value if isinstance(value, bool) else value + ("x" if isinstance(value, str) else 1)


@given(trajectories)
@settings(max_examples=50)
def test_sha_depends_on_every_single_value_but_those_of_the_day(t: Trajectory) -> None:
    plain = msgspec.json.decode(msgspec.json.encode(t))
    for path in leaves(plain):
        if path[-1] in ("parent", "action", "observation"):  # absent as a whole
            continue
        other = msgspec.convert(changed(plain, path), Trajectory)
        of_the_day = path[0] == "meta" or path[-2:] == ("usage", "cached")
        assert (other.sha == t.sha) == of_the_day, path


def test_the_id_names_cell_parent_and_edit() -> None:
    cell = PLAIN.cell
    ids = {
        trajectory_id(cell),
        trajectory_id(msgspec.structs.replace(cell, sample=1)),
        trajectory_id(msgspec.structs.replace(cell, fidelity="authors-code")),
        trajectory_id(cell, Parent("i", 1, {"thought": "x"})),
        trajectory_id(cell, Parent("i", 1, {"thought": "y"})),
    }
    assert len(ids) == 5
    assert all(len(i) == 16 for i in ids)


def act(raw: str, said: str) -> Step:
    return Step(None, Action("search", {"entity": raw}, raw), Observation(said))


@pytest.mark.parametrize(
    ("entity", "said", "repeats"),
    [
        ("Danube", "river", True),
        (" danube ", "river", True),
        ("Danube", "other", False),
        ("Rhine", "river", False),
    ],
)
def test_a_repeat_is_the_same_action_with_the_same_observation(entity: str, said: str, repeats: bool) -> None:
    now = act(entity, said)
    assert now.action is not None
    assert now.observation is not None
    assert is_repeat([act("Danube", "river")], now.action, now.observation) is repeats


def test_the_only_string_argument_is_the_argument() -> None:
    assert Action("search", {"entity": "x"}, "").argument == "x"
    assert Action("buy", {"item": "x", "size": "y"}, "").argument is None
    assert Action("", {}, "").argument is None


def test_a_trajectory_in_a_notebook_is_a_card_and_in_text_a_line() -> None:
    import react_kit  # noqa: F401 - connects the card

    assert "react" in repr(PLAIN)
    html = PLAIN._repr_html_()
    assert html is not None
    assert "<style" in html
