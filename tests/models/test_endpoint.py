"""The client against a real server on loopback, well-behaved and otherwise."""

import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from react_kit import Episode, open_model
from react_kit.errors import KitError, Unavailable
from react_kit.models import Cache
from react_kit.models.endpoint import CONTINUE, Endpoint
from react_kit.trajectory import Call


@pytest.fixture
def model(chat_server: Any, tmp_path: Path) -> Endpoint:
    """Without the cache in front."""
    endpoint = open_model("m", base_url=chat_server.url, cache=tmp_path / "c.sqlite", seed=100).model
    assert isinstance(endpoint, Endpoint)
    return endpoint


def texts(calls: list[Call]) -> list[str]:
    return [call.text for call in calls]


def test_a_completion_is_asked_for_as_text_to_continue(chat_server: Any, model: Endpoint) -> None:
    (call,) = model.sample("Q:", stop=("\n",), max_tokens=9)
    (path, body), (key,) = chat_server.requests[0], chat_server.keys
    assert path == "completions"
    assert body == {"model": "m", "prompt": "Q:", "stop": ["\n"], "temperature": 0.0, "max_tokens": 9}
    assert key == "Bearer test-key"
    assert (call.text, call.finish, call.sent) == (" reply 0", "stop", ())
    assert (call.usage.prompt, call.usage.completion) == (50, 7)


def test_several_samples_come_in_one_request_and_the_prompt_is_paid_once(
    chat_server: Any, model: Endpoint
) -> None:
    calls = model.sample("Q:", n=3, first=4, temperature=0.7)
    assert texts(calls) == [" reply 104", " reply 105", " reply 106"]
    assert len(chat_server.requests) == 1
    assert [c.usage.prompt for c in calls] == [50, 0, 0]
    assert [c.usage.completion for c in calls] == [7, 7, 7]


def test_a_server_with_chat_only_gets_the_prompt_as_a_message(chat_server: Any, model: Endpoint) -> None:
    chat_server.chat_only = True
    calls = model.sample("Q:") + model.sample("R:")
    assert [path for path, _ in chat_server.requests] == [
        "completions",
        "chat/completions",
        "chat/completions",
    ]
    assert chat_server.requests[1][1]["messages"] == [
        {"role": "system", "content": CONTINUE},
        {"role": "user", "content": "Q:"},
    ]
    assert [c.sent for c in calls] == [("chat",), ("chat",)]


def test_a_server_that_says_it_is_a_chat_model_is_taken_at_its_word(
    chat_server: Any, model: Endpoint
) -> None:
    whole = chat_server.respond

    def respond(number: int, path: str, body: dict[str, Any]) -> tuple[int, bytes]:
        if path == "completions":
            return 400, b'{"error": {"message": "This is a chat model. Use v1/chat/completions."}}'
        return whole(number, path, body)  # type: ignore[no-any-return]

    chat_server.respond = respond
    assert model.sample("Q:")[0].sent == ("chat",)


def test_messages_go_to_chat_and_nothing_is_said_to_differ(chat_server: Any, model: Endpoint) -> None:
    messages = [{"role": "user", "content": "hi"}]
    assert model.sample(messages)[0].sent == ()
    assert chat_server.requests[0][1]["messages"] == messages


@pytest.mark.parametrize("setting", ["stop", "temperature", "seed"])
def test_a_setting_that_is_refused_is_dropped_and_recorded(
    chat_server: Any, model: Endpoint, setting: str
) -> None:
    chat_server.refuses = {setting}
    for _ in range(2):
        assert model.sample("Q:", stop=("\n",), temperature=0.7)[0].sent == (f"dropped: {setting}",)
    assert [setting in body for _, body in chat_server.requests] == [True, False, False]


@pytest.mark.parametrize(
    "body",
    [
        b'{"error": {"message": "n must be 1", "param": null}}',
        b'{"error": "n must be 1"}',
        b'{"object": "error", "message": "n must be 1", "code": 400}',
        b'{"detail": [{"loc": ["body", "n"], "msg": "Extra inputs are not permitted"}]}',
        b"n must be 1",
    ],
)
def test_a_refusal_is_understood_in_every_shape_that_servers_give_it(
    chat_server: Any, model: Endpoint, body: bytes
) -> None:
    whole = chat_server.respond
    chat_server.respond = lambda i, path, sent: (400, body) if "n" in sent else whole(i, path, sent)
    assert {c.sent for c in model.sample("Q:", n=2, temperature=0.7)} == {("dropped: n",)}


def test_a_reply_to_a_request_without_the_setting_says_nothing_of_it(
    chat_server: Any, model: Endpoint
) -> None:
    """Else the record of a greedy call would depend on what was asked before it."""
    chat_server.refuses = {"seed", "n"}
    assert model.sample("Q:", n=2, temperature=0.7)[0].sent == ("dropped: seed", "dropped: n")
    assert model.sample("Q:", temperature=0.0)[0].sent == ()


def test_a_reasoning_model_gets_its_own_limit(chat_server: Any, model: Endpoint) -> None:
    chat_server.refuses = {"max_tokens"}
    assert model.sample("Q:")[0].sent == ("dropped: max_tokens",)
    assert chat_server.requests[-1][1]["max_completion_tokens"] == 4096


def test_a_server_that_refuses_n_is_asked_one_by_one_with_other_seeds(
    chat_server: Any, model: Endpoint
) -> None:
    chat_server.refuses = {"n"}
    calls = model.sample("Q:", n=3, temperature=0.7)
    assert texts(calls) == [" reply 100", " reply 101", " reply 102"]
    assert {c.sent for c in calls} == {("dropped: n",)}
    assert len(chat_server.requests) == 4


def test_a_server_that_refuses_everything_at_once_still_answers(chat_server: Any, model: Endpoint) -> None:
    chat_server.chat_only, chat_server.refuses = True, {"stop", "temperature", "seed", "max_tokens", "n"}
    calls = model.sample("Q:", n=2, stop=("\n",), temperature=0.7)
    assert len(calls) == 2
    assert calls[0].sent == (
        "chat",
        *(f"dropped: {s}" for s in ("stop", "temperature", "seed", "max_tokens", "n")),
    )


def test_a_server_that_gives_fewer_choices_is_asked_for_the_rest(chat_server: Any, model: Endpoint) -> None:
    chat_server.most = 2
    assert texts(model.sample("Q:", n=5, temperature=0.7)) == [f" reply {100 + k}" for k in range(5)]
    assert [body["n"] for _, body in chat_server.requests] == [5, 3, 1]


@pytest.mark.parametrize("honours", ["refuses", "ignores"])
def test_a_reply_is_cut_on_our_side(chat_server: Any, tmp_path: Path, honours: str, greek: Any) -> None:
    chat_server.refuses = {"stop"} if honours == "refuses" else set()
    chat_server.ignores_stop = True
    chat_server.answer = lambda prompt, k: " beta\nQuestion: another\nAnswer: gamma"
    model = open_model("m", base_url=chat_server.url, cache=tmp_path / "c.sqlite")
    from react_kit import load_task

    t = Episode.start(load_task("hotpotqa")[0], "standard", model=model, corpus=greek).run()
    assert t.answer == "beta"
    assert t.notes == ("ran_on",)
    assert t.steps[0].calls[0].text.endswith("gamma")  # the record keeps what was really sent


@pytest.mark.parametrize("status", [429, 500, 503, 408])
def test_a_failing_server_is_unavailable_and_named(chat_server: Any, model: Endpoint, status: int) -> None:
    chat_server.fails = lambda i: status
    with pytest.raises(Unavailable) as e:
        model.sample("Q:")
    assert chat_server.url in str(e.value)
    assert str(status) in str(e.value)
    assert "resume" in str(e.value)
    assert len(chat_server.requests) > 1  # it was tried again before giving up


def test_a_short_outage_is_not_noticed(chat_server: Any, model: Endpoint) -> None:
    chat_server.fails = lambda i: [None, 429, 500, 0, None][i] if i < 4 else None
    assert texts(model.sample("Q:")) == [" reply 0"]
    assert len(chat_server.requests) == 4


def test_a_server_that_hangs_up_is_unavailable(chat_server: Any, model: Endpoint) -> None:
    assert model.sample("Q:")
    chat_server.fails = lambda i: 0
    with pytest.raises(Unavailable, match=chat_server.url):
        model.sample("R:")


@pytest.mark.usefixtures("chat_server")  # no pauses
def test_nobody_there(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(Unavailable, match=rf"{url}.*[Cc]heck that it runs"):
        open_model("m", base_url=url, cache=tmp_path / "c.sqlite").sample("Q:")


def test_a_password_in_the_address_is_never_shown(chat_server: Any, tmp_path: Path) -> None:
    url = chat_server.url.replace("://", "://user:secret-word@")
    model = open_model("m", base_url=url, cache=tmp_path / "c.sqlite")
    assert "secret-word" not in str(model.identity)
    for status in (500, 0):
        chat_server.fails = lambda i, status=status: status
        with pytest.raises(Unavailable) as e:
            model.sample("Q:")
        assert "secret-word" not in str(e.value)
        assert chat_server.url in str(e.value)


@pytest.mark.parametrize("status", [401, 403])
def test_a_wrong_key_is_the_users_to_put_right(chat_server: Any, model: Endpoint, status: int) -> None:
    chat_server.fails = lambda i: status
    with pytest.raises(KitError, match="OPENAI_API_KEY") as e:
        model.sample("Q:")
    assert not isinstance(e.value, Unavailable)
    assert "test-key" not in str(e.value)
    assert len(chat_server.requests) == 1


def test_an_unknown_model_is_the_users_to_put_right(chat_server: Any, model: Endpoint) -> None:
    chat_server.fails = lambda i: 404
    with pytest.raises(KitError, match=r"'m'.*[Cc]heck the model's name and base_url") as e:
        model.sample("Q:")
    assert not isinstance(e.value, Unavailable)


def test_a_refusal_that_names_no_setting_is_not_repeated_for_ever(chat_server: Any, model: Endpoint) -> None:
    chat_server.respond = lambda *_: (400, b'{"detail": ["a line\\n next to nonsense"]}')
    with pytest.raises(KitError, match="nonsense"):
        model.sample("Q:", n=2)  # `n` is a letter of the message, not its subject
    assert len(chat_server.requests) == 1


def test_a_prompt_that_is_too_long_does_not_unlearn_max_tokens(chat_server: Any, model: Endpoint) -> None:
    said = "Prompt and max_tokens exceed the maximum context length of 4096 tokens."
    chat_server.respond = lambda *_: (
        400,
        json.dumps({"error": {"message": said, "param": "max_tokens"}}).encode(),
    )
    with pytest.raises(Unavailable, match="maximum context length"):
        model.sample("Q:")
    assert len(chat_server.requests) == 1


@pytest.mark.parametrize("body", [b"{}", b'{"error": "busy"}', b'{"choices": []}', b'"<html>"'])
def test_an_answer_that_is_none_is_unavailable(chat_server: Any, model: Endpoint, body: bytes) -> None:
    chat_server.body = body
    with pytest.raises(Unavailable, match=r"no choice.*not working as it should"):
        model.sample("Q:")


def test_reasoning_is_kept_apart_from_the_reply(chat_server: Any, model: Endpoint) -> None:
    chat_server.body = (
        b'{"choices": [{"index": 0, "finish_reason": "stop", "message": '
        b'{"role": "assistant", "content": " beta", "reasoning_content": "hm"}}]}'
    )
    (call,) = model.sample([{"role": "user", "content": "Q:"}])
    assert (call.text, call.reasoning) == (" beta", "hm")
    assert call.usage.prompt == 0  # this server does not say


def test_threads_that_meet_the_same_refusal_all_get_through(chat_server: Any, model: Endpoint) -> None:
    chat_server.chat_only, chat_server.refuses, chat_server.delay = True, {"stop", "temperature"}, 0.02
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda i: model.sample(f"Q{i}:", stop=("\n",))[0], range(6)))
    assert {c.sent for c in found} == {("chat", "dropped: stop", "dropped: temperature")}


def test_no_thread_is_left_behind(chat_server: Any, model: Endpoint) -> None:
    before = {t.ident for t in threading.enumerate()}
    model.sample("Q:")
    chat_server.fails = lambda i: 0
    with pytest.raises(Unavailable):
        model.sample("Q:")
    left = [t for t in threading.enumerate() if t.ident not in before and "process_request" not in t.name]
    assert left == []


def test_the_cache_is_what_open_model_gives(chat_server: Any, tmp_path: Path) -> None:
    model = open_model("m", base_url=chat_server.url, cache=tmp_path / "c.sqlite")
    assert isinstance(model, Cache)
    assert model.sample("Q:") == model.sample("Q:")
    assert len(chat_server.requests) == 1
