"""Shared by all tests: a small world, a scripted model, and the rule that CI skips nothing by accident."""

import json
import os
import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from react_kit import METHODS, Experiment, Run, open_model
from react_kit.corpora import MemoryCorpus
from react_kit.corpora.memory import Article
from react_kit.methods import CONTROLS
from react_kit.methods.expert import write_exemplars
from react_kit.prompts import choose, from_exemplars, load_exemplars
from react_kit.tasks import TASKS
from react_kit.trajectory import (
    Action,
    Call,
    Cell,
    Instance,
    Observation,
    Step,
    Trajectory,
    Usage,
    trajectory_id,
)
from react_kit.worlds.fable import standard

ALLOWED_SKIPS = ("needs ../shared/data",)  # public files that are not part of this repository


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: "pytest.CallInfo[None]"):  # type: ignore[no-untyped-def]
    """In CI a skipped test is a failed one: a missing install step must not go unseen."""
    report = yield
    if os.environ.get("CI") and report.skipped and not hasattr(report, "wasxfail"):
        reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
        if not reason.removeprefix("Skipped: ").startswith(ALLOWED_SKIPS):
            report.outcome, report.longrepr = "failed", f"skipped in CI: {reason}"
    return report


class ScriptedModel:
    """Answers with the given replies in order (then with nothing), and keeps what it was asked."""

    def __init__(self, *replies: str, name: str = "scripted") -> None:
        self.name, self.identity = name, {"endpoint": "test", "model": name}
        self.left = list(replies)
        self.asked: list[tuple[str, dict[str, object]]] = []

    def sample(self, prompt: str, *, n: int = 1, first: int = 0, **settings: object) -> list[Call]:
        self.asked.append((prompt, {"n": n, "first": first, **settings}))
        texts = [self.left.pop(0) if self.left else "" for _ in range(n)]
        return [Call(f"k{len(self.asked)}-{first + i}", t, usage=Usage(10, 2)) for i, t in enumerate(texts)]

    @property
    def prompts(self) -> list[str]:
        return [prompt for prompt, _ in self.asked]


@pytest.fixture
def scripted() -> type[ScriptedModel]:
    return ScriptedModel


@pytest.fixture
def corpus_of() -> Callable[[Iterable[Article]], MemoryCorpus]:
    return lambda articles: MemoryCorpus(list(articles), "test", "2026")


GREEK = Article("Greek letters", sentences=("Alpha is first.", "Beta is second.", "beta is third."))


@pytest.fixture
def greek(corpus_of: Callable[[Iterable[Article]], MemoryCorpus]) -> MemoryCorpus:
    """The page of the golden test, a longer page, a disambiguation title."""
    longer = Article(
        "Numbers", sentences=tuple(f"Number {i} is a number." for i in range(1, 9)), aliases=("Digits",)
    )
    return corpus_of([GREEK, longer, Article("Letters", meanings=("Greek letters", "Numbers"))])


class ChatServer:
    """A real server on loopback that speaks the OpenAI format and can be told to misbehave.

    `answer(prompt, k)` makes the text of sample `k` (the request's seed plus the choice's place). `fails(i)` gives
    the HTTP status for request number `i` (from 1), 0 to hang up without a word, None to answer as usual.
    """

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, Any]]] = []  # path after /v1/, body
        self.keys: list[str | None] = []
        self.answer: Callable[[str, int], str] = lambda prompt, k: f" reply {k}"
        self.fails: Callable[[int], int | None] = lambda i: None
        self.chat_only = self.ignores_stop = False
        self.refuses: set[str] = set()  # settings answered with HTTP 400
        self.most = 10**6  # choices per request
        self.body: bytes | None = None  # sent instead of an answer, with status 200
        self.delay = 0.0  # seconds
        lock, chat = threading.Lock(), self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    chat.requests.append((self.path.removeprefix("/v1/"), body))
                    chat.keys.append(self.headers["Authorization"])
                    number = len(chat.requests)
                time.sleep(chat.delay)
                status, reply = chat.respond(number, *chat.requests[number - 1])
                if status:
                    self.send_response(status)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(reply)))
                    self.end_headers()
                    self.wfile.write(reply)

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def respond(self, number: int, path: str, body: dict[str, Any]) -> tuple[int, bytes]:
        status = self.fails(number)
        if status is not None:
            return status, _error(f"told to fail with {status}")
        if self.body is not None:
            return 200, self.body
        if path == "completions" and self.chat_only:
            return 404, b'{"detail": "Not Found"}'
        if refused := [name for name in body if name in self.refuses]:
            return 400, _error(f"Unsupported parameter: '{refused[0]}' is not supported.", refused[0])
        chat = path == "chat/completions"
        prompt = body["messages"][-1]["content"] if chat else body["prompt"]
        choices = []
        for i in range(min(body.get("n", 1), self.most)):
            text = self.answer(prompt, body.get("seed", 0) + i)
            if not self.ignores_stop:
                text = text[
                    : min((text.find(s) for s in body.get("stop", []) if s in text), default=len(text))
                ]
            said = {"message": {"role": "assistant", "content": text}} if chat else {"text": text}
            choices.append({"index": i, "finish_reason": "stop", "logprobs": None, **said})
        usage = {"prompt_tokens": 50, "completion_tokens": 7 * len(choices), "total_tokens": 0}
        kind = "chat.completion" if chat else "text_completion"
        reply = {
            "id": "x",
            "object": kind,
            "created": 0,
            "model": body["model"],
            "choices": choices,
            "usage": usage,
        }
        return 200, json.dumps(reply).encode()


def _error(message: str, param: str | None = None) -> bytes:
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": None}
    return json.dumps({"error": error}).encode()


@pytest.fixture
def chat_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """A `ChatServer`; the client's pauses before it tries again are taken out, and no key of the user's is sent."""
    monkeypatch.setattr("openai._base_client.BaseClient._calculate_retry_timeout", lambda *_: 0.0)
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")
    server = ChatServer()
    yield server
    server.close()


@pytest.fixture(autouse=True)
def _cache_of_its_own(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's reply cache."""
    monkeypatch.setenv("REACT_KIT_CACHE", str(tmp_path_factory.mktemp("cache") / "replies.sqlite"))


INSTANCES = {
    "hotpotqa": ("Which city lies on the Danube?", "Vienna"),
    "fever": ("The Danube flows through Vienna.", "SUPPORTS"),
}


def build_episode(
    task="hotpotqa",
    instance="q1",
    method="react",
    answer="Vienna",
    *,
    temperature=0.0,
    sample=0,
    model="tiny-model",
    prompt="six@1234",
    fidelity="paper",
    stop=None,
    notes=(),
    replayed=0,
    parent=None,
    judged=True,
):
    question, gold = INSTANCES[task]
    item = Instance(instance, task, question, gold if judged else None)
    cell = Cell(task, instance, method, prompt, model, temperature, fidelity, sample)
    action = Action("finish", {"answer": answer}, f"Finish[{answer}]") if answer is not None else None
    observation = Observation("Episode finished.") if method in ("act", "react") else None
    call = Call("k", "text", usage=Usage(100, 20))
    steps = (Step("I think.", action, observation, (call,), notes),)
    stop = stop or ("answered" if answer is not None else "step_limit" if observation else "unparsable")
    scored = stop not in ("unavailable", "unfinished")
    score = TASKS[task].score(item, answer) if scored else {}
    id = trajectory_id(cell, parent)
    return Trajectory(id, cell, item, steps, answer, stop, score, {}, parent, {"replayed": replayed})


@pytest.fixture
def episode():
    """Makes one finished episode of one step; every setting of the cell by keyword."""
    return build_episode


@pytest.fixture
def pool():
    """Makes the CoT pool of one instance from its answers, in order of sample."""

    def make(answers, **settings):
        return [
            build_episode(method="cot", answer=a, temperature=0.7, sample=k, **settings)
            for k, a in enumerate(answers)
        ]

    return make


@pytest.fixture
def study(episode, pool):
    """Makes all stored episodes of `n` made-up questions that differ in how hard they are, drawn by seed."""

    def make(n, task="hotpotqa", samples=5, seed=0):
        draw = random.Random(seed)
        gold = INSTANCES[task][1]
        found = []
        for k in range(n):
            settings = {"task": task, "instance": f"q{k}"}
            answers = [gold] * draw.choice([0, 1, 2, 6]) + ["Graz", "Linz", None]
            for method in ("standard", "cot", "act", "react"):
                found.append(episode(method=method, answer=draw.choice(answers), **settings))
            found += pool([draw.choice(answers) for _ in range(samples)], **settings)
        return found

    return make


N = 40  # questions and claims of each set that were recorded
READS_NOTHING = ["title-overlap", "bm25", "most-linked"]  # controls that answer with titles, so no claims


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Run]:
    """The run of every method and control on a split, from the recorded replies, played once."""

    @cache
    def play(split: str) -> Run:
        folder = tmp_path_factory.mktemp(f"recorded-{split}")
        model = open_model("embedded", replay=split, replay_only=True, cache=folder / "none.sqlite")
        some = {"split": split, "model": model, "n": N, "out": folder / "run"}
        methods = [*METHODS, *(c for c in CONTROLS if c not in READS_NOTHING)]
        Experiment(["hotpotqa", "fever"], methods=methods, **some).run(progress=False)
        return Experiment("hotpotqa", methods=READS_NOTHING, **some).run(progress=False)

    return play


@pytest.fixture(scope="session")
def axis(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[int, int | None], Run]:
    """ReAct on fable with other numbers and draws of exemplars, from the recorded replies."""
    folder = tmp_path_factory.mktemp("axis")
    model = open_model("embedded", replay="fable", replay_only=True, cache=folder / "none.sqlite")
    pool = write_exemplars(standard("train"), load_exemplars("hotpotqa"))
    runs = {}
    for n, seed in ((1, None), (3, 1), (3, 2), (6, None), (9, None)):
        prompts, out = from_exemplars(choose(pool, n, seed)), folder / f"{n}-{seed}"
        experiment = Experiment("hotpotqa", split="fable", model=model, prompts=prompts, n=N, out=out)
        runs[n, seed] = experiment.run(progress=False)
    return runs
