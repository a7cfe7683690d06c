"""The client against a real server on loopback, well-behaved and otherwise."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from react_kit import Episode, open_model
from react_kit.errors import KitError, Unavailable
from react_kit.models import Cache
from react_kit.models.endpoint import CONTINUE, Endpoint
from react_kit.trajectory import Call, Usage


@pytest.fixture
def model(chat_server: Any, tmp_path: Path) -> Endpoint:
    """Without the cache in front."""
    endpoint = open_model("m", base_url=chat_server.url, cache=tmp_path / "c.sqlite", seed=100).model
    assert isinstance(endpoint, Endpoint)
    return endpoint


def reply_of(*choices: dict[str, Any], **more: Any) -> bytes:
    return json.dumps({"choices": choices, **more}).encode()


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
    ((_, body),) = chat_server.requests
    assert body == {"model": "m", "prompt": "Q:", "n": 3, "temperature": 0.7, "max_tokens": 100, "seed": 104}
    assert [c.usage.prompt for c in calls] == [50, 0, 0]
    assert [c.usage.completion for c in calls] == [7, 7, 7]


def test_tokens_that_do_not_divide_evenly_are_all_counted(chat_server: Any, model: Endpoint) -> None:
    chat_server.body = reply_of(
        *({"index": i, "text": "x"} for i in range(3)),
        usage={"prompt_tokens": 9, "completion_tokens": 8, "prompt_tokens_details": {"cached_tokens": 4}},
    )
    calls = model.sample("Q:", n=3, temperature=0.7)
    assert [c.usage for c in calls] == [Usage(9, 3, 4), Usage(0, 3), Usage(0, 2)]


def test_choices_come_in_the_order_of_their_numbers(chat_server: Any, model: Endpoint) -> None:
    """Else a cached sample depends on which one the server had ready first."""
    chat_server.body = reply_of(*({"index": i, "text": f"{i}"} for i in (2, 0, 1)))
    assert texts(model.sample("Q:", n=3, temperature=0.7)) == ["0", "1", "2"]


def test_choices_without_numbers_stay_as_they_came(chat_server: Any, model: Endpoint) -> None:
    chat_server.body = reply_of({"text": "b"}, {"text": "a"})
    assert texts(model.sample("Q:", n=2, temperature=0.7)) == ["b", "a"]


def test_more_choices_than_asked_for_are_left_out(chat_server: Any, model: Endpoint) -> None:
    chat_server.body = reply_of(*({"index": i, "text": f"{i}"} for i in range(3)))
    assert texts(model.sample("Q:", n=2, temperature=0.7)) == ["0", "1"]


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


@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_server_without_completions_is_asked_for_chat(
    chat_server: Any, model: Endpoint, status: int
) -> None:
    whole = chat_server.respond
    chat_server.respond = lambda i, path, body: (
        (status, b'{"error": {"message": "nothing here"}}') if path == "completions" else whole(i, path, body)
    )
    assert model.sample("Q:")[0].sent == ("chat",)


@pytest.mark.parametrize("param", ["stop", None])
def test_a_model_that_has_chat_in_its_name_is_still_asked_for_completions(
    chat_server: Any, tmp_path: Path, param: str | None
) -> None:
    error = {"error": {"message": "'stop' is not supported with llama-2-7b-chat.", "param": param}}
    whole = chat_server.respond
    chat_server.respond = lambda i, path, body: (
        (400, json.dumps(error).encode()) if "stop" in body else whole(i, path, body)
    )
    model = open_model("llama-2-7b-chat", base_url=chat_server.url, cache=tmp_path / "c.sqlite")
    assert model.sample("Q:", stop=("\n",))[0].sent == ("dropped: stop",)


def test_messages_that_fail_leave_text_where_it_was(chat_server: Any, model: Endpoint) -> None:
    whole = chat_server.respond
    chat_server.respond = lambda i, path, body: (
        (404, b"{}") if path == "chat/completions" else whole(i, path, body)
    )
    with pytest.raises(KitError, match="HTTP 404"):
        model.sample([{"role": "user", "content": "hi"}])
    assert model.sample("Q:")[0].sent == ()
    assert [path for path, _ in chat_server.requests] == ["chat/completions", "completions"]


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
    for _ in range(2):
        assert model.sample("Q:")[0].sent == ("dropped: max_tokens",)
    bodies = [body for _, body in chat_server.requests]
    assert ["max_tokens" in body for body in bodies] == [True, False, False]
    assert [body.get("max_completion_tokens") for body in bodies] == [None, 4096, 4096]


def test_a_server_that_refuses_n_is_asked_one_by_one_with_other_seeds(
    chat_server: Any, model: Endpoint
) -> None:
    chat_server.refuses = {"n"}
    calls = model.sample("Q:", n=3, temperature=0.7)
    assert texts(calls) == [" reply 100", " reply 101", " reply 102"]
    assert {c.sent for c in calls} == {("dropped: n",)}
    assert len(chat_server.requests) == 4
    model.sample("R:", n=2, temperature=0.7)
    assert ["n" in body for _, body in chat_server.requests] == [True] + 5 * [False]  # remembered


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
    assert "'m'" in str(e.value)
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


@pytest.fixture
def cut_short() -> Iterator[Callable[[bytes], str]]:
    """The address of a server that sends these bytes, whatever it is asked, and closes the socket."""
    opened: list[tuple[socket.socket, threading.Thread]] = []

    def serve(said: bytes) -> str:
        listening = socket.create_server(("127.0.0.1", 0))

        def answer() -> None:
            with suppress(OSError):  # closed at the end
                while True:
                    client, _ = listening.accept()
                    with client:
                        asked = b""
                        while not asked.endswith(
                            b"}"
                        ):  # else the close is a reset, which may overtake the bytes
                            asked += client.recv(65536)
                        client.sendall(said)

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        opened.append((listening, thread))
        return f"http://127.0.0.1:{listening.getsockname()[1]}/v1"

    yield serve
    for listening, thread in opened:
        with suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)  # wakes `accept`
        listening.close()
        thread.join(5)


@pytest.mark.usefixtures("chat_server")  # no pauses
@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1f4\r\n",
        b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n",  # the end of the socket is the end
        b"HTTP/1.1 200",
    ],
    ids=["length", "chunked", "no length", "in the head"],
)
def test_a_server_that_hangs_up_within_its_reply_is_unavailable(
    cut_short: Callable[[bytes], str], tmp_path: Path, head: bytes
) -> None:
    url = cut_short(head + b'{"choices": [{"index": 0, "text": " be')
    with pytest.raises(Unavailable, match=rf"'m' at {url}.*resume"):
        open_model("m", base_url=url, cache=tmp_path / "c.sqlite").sample("Q:")


@pytest.mark.usefixtures("chat_server")  # no pauses
def test_a_server_that_drips_is_unavailable(
    cut_short: Callable[[bytes], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("react_kit.models.wire.PATIENCE", -1)  # the first bytes are too late
    url = cut_short(b"HTTP/1.0 200 OK\r\n\r\n{")
    with pytest.raises(Unavailable, match="not complete after"):
        open_model("m", base_url=url, cache=tmp_path / "c.sqlite").sample("Q:")


def test_a_reply_without_end_is_unavailable(
    chat_server: Any, model: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("react_kit.models.wire.LARGEST", 1_000_000)
    chat_server.body = b" " * 1_000_001
    with pytest.raises(Unavailable, match="larger than 1 MB"):
        model.sample("Q:")


@pytest.mark.parametrize("body", [b"<html>", b"", b'{"choices": [', b'{"choices": "\xff"}'])
def test_an_answer_that_is_not_json_is_unavailable(chat_server: Any, model: Endpoint, body: bytes) -> None:
    chat_server.body = body  # although its header says that it is
    with pytest.raises(Unavailable, match=rf"'m' at {chat_server.url}"):
        model.sample("Q:")


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
    chat_server.fails = lambda i: 404  # for completions and chat
    with pytest.raises(KitError, match=r"'m'.*[Cc]heck the model's name and base_url") as e:
        model.sample("Q:")
    assert not isinstance(e.value, Unavailable)
    assert [path for path, _ in chat_server.requests] == ["completions", "chat/completions"]


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


@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        b'{"error": "busy"}',
        b'{"choices": []}',
        b'{"choices": [null]}',
        b'{"choices": "x"}',
        b'"<html>"',
        b"[1]",
    ],
)
def test_an_answer_that_is_none_is_unavailable(chat_server: Any, model: Endpoint, body: bytes) -> None:
    chat_server.body = body
    with pytest.raises(Unavailable, match=r"no choice.*not working as it should|not in the OpenAI format"):
        model.sample("Q:")


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
@pytest.mark.parametrize("prompt", ["Q:", [{"role": "user", "content": "Q:"}]], ids=["text", "messages"])
def test_reasoning_is_kept_apart_from_the_reply(
    chat_server: Any, model: Endpoint, field: str, prompt: Any
) -> None:
    message = {"role": "assistant", "content": " beta", field: "hm"}
    said = reply_of({"index": 0, "finish_reason": "length", "message": message})
    chat_server.respond = lambda i, path, body: (404, b"{}") if path == "completions" else (200, said)
    (call,) = model.sample(prompt)
    assert (call.text, call.reasoning, call.finish) == (" beta", "hm", "length")
    assert call.usage == Usage()  # this server does not say


def test_a_reply_that_is_all_reasoning_is_an_empty_text(chat_server: Any, model: Endpoint) -> None:
    message = {"role": "assistant", "content": None, "reasoning_content": "hm"}
    chat_server.body = reply_of({"index": 0, "finish_reason": "length", "message": message})
    (call,) = model.sample([{"role": "user", "content": "Q:"}])
    assert (call.text, call.reasoning) == ("", "hm")


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


def test_a_reply_in_parts_is_put_together(chat_server: Any, model: Endpoint) -> None:
    parts = [{"type": "text", "text": " one"}, {"type": "text", "text": " two"}]
    message = {"role": "assistant", "content": parts}
    chat_server.body = json.dumps(
        {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    ).encode()
    assert model.sample([{"role": "user", "content": "Q:"}])[0].text == " one two"


@pytest.mark.usefixtures("chat_server")  # no pauses
@pytest.mark.parametrize(
    "said",
    [
        b"HTTP/1.1 400 Bad\r\nContent-Length: 500\r\n\r\n{",
        b"HTTP/1.1 400 Bad\r\nContent-Encoding: gzip\r\nContent-Length: 7\r\n\r\nnotgzip",
        b"HTTP/1.1 400 Bad\r\nContent-Type: text/html; charset=zlib\r\nContent-Length: 4\r\n\r\nnono",
    ],
    ids=["cut short", "no gzip", "no charset"],
)
def test_a_refusal_that_is_itself_broken_is_unavailable(
    cut_short: Callable[[bytes], str], tmp_path: Path, said: bytes
) -> None:
    with pytest.raises(Unavailable, match="'m' at "):
        open_model("m", base_url=cut_short(said), cache=tmp_path / "c.sqlite").sample("Q:")


@pytest.mark.usefixtures("chat_server")  # no pauses
def test_a_refusal_that_drips_is_unavailable(
    cut_short: Callable[[bytes], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("react_kit.models.wire.PATIENCE", -1)
    url = cut_short(b"HTTP/1.1 400 Bad\r\nContent-Length: 500\r\n\r\n{")
    with pytest.raises(Unavailable, match="not complete after"):
        open_model("m", base_url=url, cache=tmp_path / "c.sqlite").sample("Q:")
