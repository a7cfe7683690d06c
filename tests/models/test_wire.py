"""What is taken from a server's answer, and what is refused."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_kit.models.wire import LONGEST, read_answer
from react_kit.trajectory import Call, Usage


def answer(*choices: Any, **more: Any) -> bytes:
    return json.dumps({"choices": choices, **more}).encode()


def test_choices_come_in_the_order_of_their_numbers() -> None:
    calls = read_answer(answer({"index": 1, "text": "b"}, {"index": 0, "text": "a"}), ("chat",))
    assert calls == [Call("", "a", sent=("chat",)), Call("", "b", sent=("chat",))]


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": -1},
        {"completion_tokens": "many"},
        {"prompt_tokens": 1.5},
        [1],
        7,
        {"prompt_tokens": {}},
    ],
)
def test_a_usage_that_is_none_is_refused(usage: Any) -> None:
    with pytest.raises(ValueError, match="not in the OpenAI format"):
        read_answer(answer({"text": "a"}, usage=usage), ())


@pytest.mark.parametrize(
    "choice", [None, "a", {"text": 1}, {"message": {"content": 1}}, {"message": "a"}, {"index": []}]
)
def test_a_choice_that_is_none_is_refused(choice: Any) -> None:
    with pytest.raises(ValueError, match="not in the OpenAI format"):
        read_answer(answer({"text": "a"}, choice), ())


def test_a_deep_answer_is_refused() -> None:
    with pytest.raises(ValueError, match="not in the OpenAI format"):
        read_answer(b"[" * 100_000, ())


def test_parts_are_joined() -> None:
    parts = [{"type": "text", "text": "al"}, {"type": "image"}, "pha", {"text": 7}]
    (call,) = read_answer(answer({"message": {"content": parts}}), ())
    assert call.text == "alpha7"


def test_an_endless_reply_is_cut_and_says_so() -> None:
    message = {"content": "x" * (LONGEST + 1), "reasoning": "y" * (LONGEST + 1)}
    (call,) = read_answer(answer({"message": message, "finish_reason": "stop"}), ())
    assert (len(call.text), len(call.reasoning or ""), call.finish) == (LONGEST, LONGEST, "length")


def test_half_a_character_can_be_written() -> None:
    said = {"message": {"content": "a\ud83d", "reasoning": "\udc00"}, "finish_reason": "\ud83d"}
    (call,) = read_answer(answer(said), ())
    assert (call.text, call.reasoning, call.finish) == ("a\ufffd", "\ufffd", "\ufffd")


def test_tokens_are_counted_where_the_server_counts_one_choice() -> None:
    body = answer({"text": "a b"}, {"text": "c"}, usage={"prompt_tokens": 9, "completion_tokens": 2})
    calls = read_answer(body, (), count=lambda text: len(text.split()))
    assert [c.usage for c in calls] == [Usage(9, 2), Usage(0, 1)]


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "text", "message", "content", "index", "usage", "prompt_tokens", "finish_reason"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.binary() | anything.map(lambda x: json.dumps(x).encode()))
def test_any_body_is_read_or_refused_and_what_is_read_can_be_written(body: bytes) -> None:
    try:
        calls = read_answer(body, ())
    except ValueError:
        return
    for call in calls:
        (call.text + call.finish + (call.reasoning or "")).encode()
        assert min(call.usage.prompt, call.usage.completion, call.usage.cached) >= 0
