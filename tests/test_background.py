"""A run in the background: threads, stopping, failing, what counts as recorded; also over a real server."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from react_kit import TASKS, Episode, Experiment, Run, load_task, open_model
from react_kit.background import Handle, Job, Known
from react_kit.errors import KitError, Unavailable
from react_kit.models.cache import Cache
from react_kit.tasks import Instances
from react_kit.trajectory import Call, Cell, Instance, Observation, Step, Trajectory, trajectory_id

Play = Callable[[Job, Known], Iterator[Trajectory]]


def told(job: Job, sample: int = 0, stop: str = "answered", note: str | None = None) -> Trajectory:
    """An episode of a job, without a model."""
    cell = Cell("hotpotqa", job.instance.id, job.name, "p", "m", 0.7 if job.samples else 0.0, sample=sample)
    steps = (Step(observation=Observation(note), notes=("unavailable",)),) if note else ()
    return Trajectory(trajectory_id(cell), cell, job.instance, steps, "a", stop, {"em": 1.0})  # type: ignore[arg-type]


def jobs(count: int, samples: int = 0) -> list[Job]:
    return [
        Job(Instance(f"q{i}", "hotpotqa", "?"), "react", lambda _: iter(()), samples) for i in range(count)
    ]


@pytest.fixture
def start(tmp_path: Path) -> Callable[..., Handle]:
    def make(plan: list[Job], play: Play, workers: int = 1, **settings: Any) -> Handle:
        enough = settings.get("enough", lambda job, known: len(known) >= max(job.samples, 1))
        return Handle(Run(tmp_path), plan, play, enough, lambda key: False, workers, False)

    return make


def test_stopping_lets_episodes_in_flight_finish_and_begins_no_other(start: Any) -> None:
    begun, go = threading.Semaphore(0), threading.Event()

    def play(job: Job, known: Known) -> Iterator[Trajectory]:
        begun.release()
        go.wait(10)
        yield told(job)

    handle = start(jobs(9), play, workers=2)
    for _ in range(2):
        assert begun.acquire(timeout=10)
    handle.stop()
    assert not handle.done
    go.set()
    assert len(handle.wait()) == 2
    assert handle.done


def test_stopping_within_a_pool_keeps_the_samples_so_far(start: Any) -> None:
    def play(job: Job, known: Known) -> Iterator[Trajectory]:
        for k in range(21):
            if k == 4:
                handle.stop()
            yield told(job, k)

    ready = threading.Event()

    def play_when_ready(job: Job, known: Known) -> Iterator[Trajectory]:
        ready.wait(10)
        yield from play(job, known)

    handle = start(jobs(1, 21), play_when_ready)
    ready.set()
    assert [t.cell.sample for t in handle.wait()] == [0, 1, 2, 3, 4]


def test_only_what_is_missing_is_begun_and_what_is_known_is_handed_over(start: Any) -> None:
    plan = jobs(2, 3)

    def first(job: Job, known: Known) -> Iterator[Trajectory]:
        yield from (told(job, k) for k in range(3 if job is plan[0] else 1))

    start(plan, first).wait()
    seen: list[tuple[str, list[int]]] = []

    def second(job: Job, known: Known) -> Iterator[Trajectory]:
        seen.append((job.instance.id, sorted(known)))
        return iter(())

    start(plan, second).wait()
    assert seen == [("q1", [0])]


def test_an_error_ends_the_run_and_is_raised_where_one_waits(start: Any) -> None:
    begun = []

    def play(job: Job, known: Known) -> Iterator[Trajectory]:
        begun.append(job.instance.id)
        if job.instance.id == "q1":
            raise KitError("a wrong setting")
        yield told(job)

    handle = start(jobs(50), play)
    with pytest.raises(KitError, match="a wrong setting"):
        handle.wait()
    assert len(begun) < 50
    assert {t.instance.id for t in handle.run} >= {"q0"}
    assert handle.failures == []


def test_a_world_that_cannot_be_reached_is_a_failure_and_no_record(
    start: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    def play(job: Job, known: Known) -> Iterator[Trajectory]:
        if job.instance.id == "q1":
            yield told(job, stop="unavailable", note="the encyclopedia is away")
        else:
            yield told(job)

    handle = start(jobs(3), play)
    assert [t.instance.id for t in handle.wait()] == ["q0", "q2"]
    assert handle.failures == ["the encyclopedia is away"]
    assert "not counted for or against the model: the encyclopedia is away" in capsys.readouterr().out


def test_failures_end_a_run_only_when_nothing_works_between_them(start: Any) -> None:
    def play(job: Job, known: Known) -> Iterator[Trajectory]:
        if int(job.instance.id[1:]) % 3 < 2:
            raise Unavailable("away")
        yield told(job)

    handle = start(jobs(12), play)
    assert len(handle.wait()) == 4
    assert len(handle.failures) == 8


def test_no_thread_is_left_behind(start: Any) -> None:
    before = set(threading.enumerate())

    def play(job: Job, known: Known) -> Iterator[Trajectory]:
        raise Unavailable("away")
        yield

    with pytest.raises(Unavailable):
        start(jobs(9), play, workers=3).wait()
    assert set(threading.enumerate()) <= before


def test_a_branch_in_the_folder_does_not_stand_for_the_episode(tmp_path: Path, scripted: Any) -> None:
    """An edited episode that somebody put into the run is not what the experiment asks for."""
    cache = Cache(scripted(*[" Hm.\nAction 1: Finish[a]"] * 9), tmp_path / "c.sqlite")
    task = load_task("hotpotqa")[:1]
    run = Run(tmp_path / "run")
    episode = Episode.start(task[0], model=cache)
    episode.run()
    run.append(episode.edit(1, action="Finish[b]").run())
    again = Experiment(task, model=cache, out=tmp_path / "run").run(progress=False)
    assert [(t.answer, t.parent is None) for t in again] == [("b", False), ("a", True)]


def test_the_same_id_in_two_tasks_is_two_instances(tmp_path: Path, scripted: Any) -> None:
    cache = Cache(scripted(*[" a"] * 9), tmp_path / "c.sqlite")
    for name in ("hotpotqa", "fever", "fever"):
        own = Instances(TASKS[name], "own", [Instance("1", name, f"{name}?", "a")])
        run = Experiment(own, methods=["standard"], model=cache, out=tmp_path / "run").run(progress=False)
    assert [t.cell.task for t in run] == ["hotpotqa", "fever"]


def test_a_method_of_ones_own_may_be_an_object(tmp_path: Path, scripted: Any) -> None:
    class Guess:
        def __call__(self, ctx: Any) -> Iterator[Step]:
            yield Step(None, calls=(ctx.ask("Guess:", stop=("\n",)).call,))

    cache = Cache(scripted("a"), tmp_path / "c.sqlite")
    run = Experiment("hotpotqa", methods=[Guess()], n=1, model=cache, out=tmp_path / "run").run(
        progress=False
    )
    assert [t.cell.method for t in run] == ["Guess"]
    assert run.manifest["methods"] == ["Guess"]


class Unsure:
    """Chains of thought whose majority is certain after some chunks, one instance later than the other."""

    name, identity = "unsure", {"endpoint": "test", "model": "unsure", "seed": 0}

    def __init__(self) -> None:
        self.rare: dict[str, int] = {}  # prompt → every how many samples the minority speaks

    def sample(self, prompt: str, *, n: int = 1, first: int = 0, **_: object) -> list[Call]:
        rare = self.rare.setdefault(prompt, 4 if self.rare else 6)
        return [Call("", f" Hm. Answer: {'b' if k % rare == 0 else 'a'}") for k in range(first, first + n)]


def test_a_pool_ended_early_and_cut_anywhere_grows_to_the_same(tmp_path: Path) -> None:
    cache = Cache(Unsure(), tmp_path / "c.sqlite")

    def run(out: str) -> Run:
        settings: dict[str, Any] = {"methods": ["cot-sc"], "n": 2, "early_stop": True}
        return Experiment("hotpotqa", model=cache, out=tmp_path / out, **settings).run(progress=False)

    whole = run("whole")
    lines = whole.store.path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 14 + 21
    for kept in range(len(lines)):
        folder = tmp_path / f"cut{kept}"
        folder.mkdir()
        (folder / "run.json").write_bytes((tmp_path / "whole" / "run.json").read_bytes())
        (folder / "trajectories.jsonl").write_bytes(b"".join(lines[:kept]))
        assert {t.sha for t in run(folder.name)} == {t.sha for t in whole}, kept


# Over a real server


def speak(prompt: str, k: int) -> str:
    """Knows the formats; sample `k` has an answer of its own."""
    end = prompt[-45:]
    if "step by step." in end:
        return f" Hm. Answer: {'ab'[k % 2]}"
    if end.endswith("Answer:"):
        return " a\nQuestion: next"
    if end.endswith("1:"):
        return " Look.\nAction 1: Search[Danube]" if "Thought" in end else " Search[Danube]"
    return " So.\nAction 2: Finish[a]" if "Thought" in end else " Finish[a]"


@pytest.fixture
def play(chat_server: Any, tmp_path: Path) -> Callable[..., Run]:
    """An experiment of eleven episodes a question over the server, with a cache and a folder by name."""
    chat_server.answer = speak

    def run(out: str, workers: int = 1, n: int = 4, cache: str | None = None) -> Run:
        model = open_model("m", base_url=chat_server.url, cache=tmp_path / f"{cache or out}.sqlite")
        methods = ["standard", "cot-sc", "act", "react"]
        settings: dict[str, Any] = {"methods": methods, "samples": 8, "n": n}
        return Experiment("hotpotqa", model=model, out=tmp_path / out, **settings).run(
            workers, progress=False
        )

    return run


def shas(run: Run) -> set[str]:
    return {t.sha for t in run}


@pytest.mark.parametrize(
    "manner",
    [{}, {"chat_only": True}, {"refuses": {"n", "stop", "seed"}}, {"ignores_stop": True}, {"most": 3}],
    ids=["plain", "chat only", "refuses", "ignores stop", "few choices"],
)
def test_workers_change_nothing_whatever_the_server_is_like(
    chat_server: Any, play: Any, manner: dict[str, Any]
) -> None:
    for name, value in manner.items():
        setattr(chat_server, name, value)
    one = play("one", workers=1)
    assert len(one) == 4 * 11
    assert all(t.stop == "answered" for t in one)
    assert shas(play("four", workers=4)) == shas(one)


def test_resuming_asks_the_server_for_nothing_twice(chat_server: Any, play: Any) -> None:
    whole = play("whole")
    asked = len(chat_server.requests)
    assert asked == 4 * (1 + 1 + 2 + 2)
    play("whole")
    before, file = shas(whole), whole.store.path
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2 - 9])
    assert shas(play("whole")) == before  # replies that were lost from the run are in the cache still
    assert len(chat_server.requests) == asked


def test_a_server_that_dies_in_the_middle(chat_server: Any, play: Any, tmp_path: Path) -> None:
    whole = play("whole")
    alive = len(chat_server.requests) + 7
    chat_server.fails = lambda i: 0 if i > alive else None
    with pytest.raises(Unavailable, match=f"stopped after 3 failures in a row.*{chat_server.url}"):
        play("dying")
    kept = shas(Run(tmp_path / "dying"))
    assert 0 < len(kept) < len(whole)
    assert kept < shas(whole)
    chat_server.fails = lambda i: None
    before = len(chat_server.requests)
    assert shas(play("dying")) == shas(whole)
    assert len(chat_server.requests) == before + 24 - 7


def test_a_refused_key_stops_at_once(chat_server: Any, play: Any, tmp_path: Path) -> None:
    chat_server.fails = lambda i: 401
    with pytest.raises(KitError, match="OPENAI_API_KEY"):
        play("run")
    assert len(chat_server.requests) == 1
    assert len(Run(tmp_path / "run")) == 0


def test_two_processes_worth_of_runs_may_share_a_cache(chat_server: Any, play: Any) -> None:
    runs: dict[str, Run] = {}
    chat_server.delay = 0.005
    threads = [
        threading.Thread(target=lambda name=name: runs.update({name: play(name, cache="shared")}))
        for name in ("a", "b")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert shas(runs["a"]) == shas(runs["b"])


def test_what_a_server_says_in_half_characters_is_recorded(chat_server: Any, play: Any) -> None:
    """A reply cut inside a character comes as half a surrogate pair, which no file can hold."""
    chat_server.answer = lambda prompt, k: (
        " Hm. Answer: caf\u00e9 \ud83d\ude00 \ud83d\nAction 1: Finish[\x00\u2028\ud83d]"
    )
    run = play("run", n=1)
    assert {t.answer for t in run} >= {"café 😀 \ufffd", "\x00\u2028\ufffd"}
    assert [msgspec.json.decode(line)["sha"] for line in run.store.path.read_bytes().splitlines()] == [
        t.sha for t in Run(run.path)
    ]


def test_start_shows_what_is_done_while_it_goes_on(chat_server: Any, tmp_path: Path) -> None:
    chat_server.answer, chat_server.delay = speak, 0.02
    model = open_model("m", base_url=chat_server.url, cache=tmp_path / "c.sqlite")
    experiment = Experiment("hotpotqa", methods=["standard"], n=12, model=model, out=tmp_path / "run")
    began = time.monotonic()
    handle = experiment.start(progress=False)
    assert time.monotonic() - began < 0.2
    sizes = set()
    while not handle.done:
        sizes.add(len(handle.run))
        assert all(t.answer == "a" for t in handle.run)  # readable at any time
        time.sleep(0.005)
    assert len(handle.wait()) == 12
    assert len(sizes) > 2
