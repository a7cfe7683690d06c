"""Experiments: what is played, resuming, failing, stopping."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from react_kit import METHODS, Experiment, Run, load_task, open_model, read_trajectories
from react_kit.errors import KitError, Unavailable
from react_kit.methods import CONTROLS, resolve
from react_kit.models.cache import Cache
from react_kit.tasks import Instances
from react_kit.trajectory import Action, Call, Step, Usage


class Oracle:
    """A model that knows nothing but the format; counts its calls, can be slow, can fail from a call on."""

    name, identity = "oracle", {"endpoint": "test", "model": "oracle", "seed": 0}

    def __init__(self, fails_from: int = 10**9, seconds: float = 0.0) -> None:
        self.calls, self.fails_from, self.seconds = 0, fails_from, seconds
        self.samples: list[int] = []
        self._lock = threading.Lock()

    def sample(
        self, prompt: str, *, n: int = 1, first: int = 0, temperature: float = 0.0, **settings: Any
    ) -> list[Call]:
        with self._lock:
            self.calls += 1
            self.samples.append(n)
            if self.calls >= self.fails_from:
                raise Unavailable(f"the oracle fell silent at call {self.calls}")
        time.sleep(self.seconds)
        if "Let's think" in prompt[-60:]:
            texts = [f" Hm. Answer: {'ab'[k % 2] if k % 5 else 'c'}" for k in range(first, first + n)]
        elif prompt.rstrip().endswith("Answer:"):
            texts = [" a"] * n
        else:
            texts = [" Hm.\nAction 1: Finish[a]" if "Thought" in prompt[-12:] else " Finish[a]"] * n
        return [Call("", text, usage=Usage(10, 3)) for text in texts]


@pytest.fixture
def model(tmp_path: Path) -> Cache:
    return Cache(Oracle(), tmp_path / "cache.sqlite")


def oracle(model: Cache) -> Oracle:
    assert isinstance(model.model, Oracle)
    return model.model


def shas(run: Run) -> set[str]:
    return {t.sha for t in run}


def play(out: Path, model: Cache, **settings: Any) -> Run:
    settings = {"methods": ["react", "cot-sc"], "n": 3} | settings
    workers = settings.pop("workers", 1)
    return Experiment("hotpotqa", model=model, out=out, **settings).run(workers=workers, progress=False)


def test_a_pooled_method_brings_the_episodes_it_needs_and_none_is_stored(
    tmp_path: Path, model: Cache
) -> None:
    run = play(tmp_path / "run", model, methods=["cot-sc-then-react"], n=2)
    cells = [(t.cell.method, t.cell.temperature, t.cell.sample) for t in run]
    pool = [("cot", 0.7, k) for k in range(21)]
    assert sorted(cells) == sorted(2 * [*pool, ("react", 0.0, 0)])


def test_cot_and_its_pool_are_both_played_when_both_are_asked_for(tmp_path: Path, model: Cache) -> None:
    run = play(tmp_path / "run", model, methods=["cot", "cot-sc"], n=1, samples=5)
    assert sorted((t.cell.temperature, t.cell.sample) for t in run) == [
        (0.0, 0),
        *((0.7, k) for k in range(5)),
    ]


def test_a_pool_costs_one_request_a_question(tmp_path: Path, model: Cache) -> None:
    play(tmp_path / "run", model, methods=["cot-sc"], n=3)
    assert oracle(model).samples == [21, 21, 21]


def test_all_methods_on_both_tasks(tmp_path: Path, model: Cache) -> None:
    run = Experiment(["hotpotqa", "fever"], methods=list(METHODS), model=model, out=tmp_path, n=2).run(
        progress=False
    )
    assert len(run) == 2 * 2 * (4 + 21)
    assert {t.cell.task for t in run} == {"hotpotqa", "fever"}
    assert all("run" in t.meta and "seconds" in t.meta for t in run)
    assert run.manifest["tasks"] == {"hotpotqa": "tiny", "fever": "tiny"}


def test_running_again_plays_and_asks_nothing(tmp_path: Path, model: Cache) -> None:
    first = play(tmp_path / "run", model)
    calls, size = oracle(model).calls, first.store.path.stat().st_size
    assert shas(play(tmp_path / "run", model)) == shas(first)
    assert (oracle(model).calls, first.store.path.stat().st_size) == (calls, size)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.93])
def test_half_the_file_gone_in_mid_line_gives_the_same_set_in_the_end(tmp_path: Path, share: float) -> None:
    def experiment(out: str) -> Experiment:
        model = open_model("embedded", replay="tiny", replay_only=True, cache=tmp_path / "none.sqlite")
        methods = ["standard", "act", "react", "cot-sc"]
        return Experiment(["hotpotqa", "fever"], methods=methods, model=model, out=tmp_path / out, n=3)

    whole = experiment("whole").run(progress=False)
    cut = experiment("cut").run(progress=False)
    lines = cut.store.path.read_bytes()
    at = int(len(lines) * share)
    while lines[at - 1 : at] in (b"\n", b"}") or lines[at : at + 1] == b"\n":
        at += 1
    cut.store.path.write_bytes(lines[:at])
    resumed = experiment("cut").run(progress=False)
    assert shas(resumed) == shas(whole)
    assert len(resumed) == len(whole)
    assert shas(read_trajectories(tmp_path / "cut")) == shas(whole)


def test_workers_change_nothing_but_the_order(tmp_path: Path, model: Cache) -> None:
    one = play(tmp_path / "one", model, methods=list(METHODS), n=6)
    other = Cache(Oracle(seconds=0.002), tmp_path / "other.sqlite")
    assert shas(play(tmp_path / "four", other, methods=list(METHODS), n=6, workers=4)) == shas(one)


def test_stopping_early_saves_samples_and_changes_no_choice(tmp_path: Path, model: Cache) -> None:
    from react_kit.analysis.results import results

    full = play(tmp_path / "full", model, methods=["cot-sc", "react", "cot-sc-then-react"])
    early = play(
        tmp_path / "early",
        Cache(Oracle(), tmp_path / "c2"),
        methods=["cot-sc", "cot-sc-then-react"],
        early_stop=True,
    )
    assert len(early) <= len(full)
    columns = ["instance", "method", "answer", "score", "rule"]
    a, b = (results(run, n=21)[columns].query("method != 'cot'") for run in (full, early))
    assert a.reset_index(drop=True).equals(b.reset_index(drop=True))


def test_early_stop_asks_in_chunks(tmp_path: Path) -> None:
    class Sure(Oracle):
        def sample(self, prompt: str, *, n: int = 1, **settings: Any) -> list[Call]:
            self.samples.append(n)
            return [Call("", " So. Answer: a")] * n

    model = Cache(Sure(), tmp_path / "c")
    run = play(tmp_path / "run", model, methods=["cot-sc"], n=1, early_stop=True)
    assert (oracle(model).samples, len(run)) == ([7, 7], 14)
    play(tmp_path / "run", model, methods=["cot-sc"], n=1, early_stop=True)
    assert oracle(model).samples == [7, 7]


def test_a_server_that_dies_loses_nothing_and_is_nobodys_mistake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dying = Cache(Oracle(fails_from=5), tmp_path / "c")
    experiment = Experiment("hotpotqa", methods=["standard"], model=dying, out=tmp_path / "run", n=6)
    run = experiment.run(progress=False)
    assert len(run) == 4
    assert all(t.stop == "answered" for t in run)
    assert len(experiment.handle.failures) == 2
    assert "2 episodes could not be played" in capsys.readouterr().out
    healthy = Cache(Oracle(), tmp_path / "c")
    again = Experiment("hotpotqa", methods=["standard"], model=healthy, out=tmp_path / "run", n=6).run(
        progress=False
    )
    assert (len(again), oracle(healthy).calls) == (6, 2)


def test_after_three_failures_in_a_row_it_gives_up(tmp_path: Path) -> None:
    dead = Cache(Oracle(fails_from=1), tmp_path / "c")
    with pytest.raises(Unavailable, match="stopped after 3 failures in a row: the oracle fell silent"):
        play(tmp_path / "run", dead, methods=["standard"], n=10)
    assert oracle(dead).calls == 3


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"methods": ["standard"], "fidelity": "authors"}, "fidelity is 'paper', here it is 'authors-code'"),
        ({"split": "tiny-train"}, "tasks is"),
        ({"early_stop": True}, "early_stop is False, here it is True"),
    ],
)
def test_another_experiments_folder_is_refused(
    tmp_path: Path, model: Cache, change: dict[str, Any], says: str
) -> None:
    from react_kit import AUTHORS_CODE

    run = play(tmp_path / "run", model, methods=["standard"], n=1)
    before = run.store.path.read_bytes()
    if "fidelity" in change:
        change = change | {"fidelity": AUTHORS_CODE}
    with pytest.raises(KitError, match=says):
        play(tmp_path / "run", model, **change)
    assert run.store.path.read_bytes() == before


def test_a_folder_of_another_model_is_refused(tmp_path: Path, model: Cache) -> None:
    play(tmp_path / "run", model, n=1)
    stranger = Oracle()
    stranger.name, stranger.identity = "other", {"endpoint": "test", "model": "other"}
    with pytest.raises(KitError, match=r"model is .*oracle.*other"):
        play(tmp_path / "run", Cache(stranger, tmp_path / "c2"), n=1)


def test_more_methods_samples_or_tasks_extend_a_run(tmp_path: Path, model: Cache) -> None:
    play(tmp_path / "run", model, methods=["cot-sc"], n=2, samples=3)
    run = play(tmp_path / "run", model, methods=["standard", "cot-sc"], n=2, samples=5)
    assert len(run) == 2 * 6
    both = Experiment("fever", methods=["standard"], model=model, out=tmp_path / "run", n=1).run(
        progress=False
    )
    assert len(both) == 2 * 6 + 1
    assert both.manifest["methods"] == ["cot-sc", "standard"]


def test_start_returns_at_once_and_the_run_grows(tmp_path: Path) -> None:
    slow = Cache(Oracle(seconds=0.05), tmp_path / "c")
    experiment = Experiment("hotpotqa", methods=["standard"], model=slow, out=tmp_path / "run", n=10)
    handle = experiment.start(progress=False)
    assert not handle.done
    assert len(handle.wait()) == 10
    assert handle.done


def test_a_stopped_run_keeps_what_it_has_and_goes_on_later(tmp_path: Path) -> None:
    slow = Cache(Oracle(seconds=0.05), tmp_path / "c")
    experiment = Experiment("hotpotqa", methods=["standard"], model=slow, out=tmp_path / "run", n=20)
    handle = experiment.start(progress=False)
    while len(handle.run) < 2:
        time.sleep(0.01)
    handle.stop()
    some = len(handle.wait())
    assert 2 <= some < 20
    assert len(experiment.run(progress=False)) == 20
    assert oracle(slow).calls == 20


CHILD = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background hands it down as ignored
sys.path.insert(0, {tests!r})
from pathlib import Path
from test_experiment import Oracle
from react_kit import Experiment
from react_kit.models.cache import Cache
model = Cache(Oracle(seconds=0.05), Path({out!r}) / "c")
print("go", flush=True)
Experiment("hotpotqa", methods=["standard", "act"], model=model, out={out!r} + "/run").run(progress=False)
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_interrupted_or_killed_it_resumes(tmp_path: Path, how: signal.Signals) -> None:
    code = CHILD.format(tests=str(Path(__file__).parent), out=str(tmp_path))
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    file = tmp_path / "run" / "trajectories.jsonl"
    deadline = time.monotonic() + 60
    while not (file.exists() and len(file.read_bytes().splitlines()) > 2) and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(child.pid, how)
    out, _ = child.communicate(timeout=30)
    kept = len(Run(tmp_path / "run"))
    if how == signal.SIGINT:  # the episode in flight is waited for, and counted
        assert f"Stopped. {kept} trajectories are in {tmp_path / 'run'}; run the same again to resume." in out
    assert 2 < kept < 66
    model = Cache(Oracle(), tmp_path / "c")
    again = Experiment("hotpotqa", methods=["standard", "act"], model=model, out=tmp_path / "run").run(
        progress=False
    )
    assert len(again) == 2 * len(load_task("hotpotqa"))
    assert oracle(model).calls <= len(again) - kept


def test_interrupted_twice_it_leaves_the_episode_in_flight(tmp_path: Path) -> None:
    code = CHILD.format(tests=str(Path(__file__).parent), out=str(tmp_path)).replace("0.05", "300")
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout
    assert child.stdout.readline() == "go\n"
    while not (tmp_path / "run" / "run.json").exists():
        time.sleep(0.02)
    time.sleep(0.5)  # until it plays
    os.kill(child.pid, signal.SIGINT)
    assert "interrupt again" in child.stdout.readline()
    time.sleep(0.2)  # until it waits again
    os.kill(child.pid, signal.SIGINT)
    child.communicate(timeout=30)
    assert child.returncode != 0


def test_a_disk_that_fills_up_stops_the_run_with_one_sentence_and_keeps_the_rest(
    tmp_path: Path, model: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    import errno

    from react_kit import store

    write, written = store._write_all, []

    def until_full(file: Any, data: bytes) -> None:
        if len(written) == 2:
            write(file, data[:20])  # a part still fits
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written.append(data)
        write(file, data)

    with monkeypatch.context() as patch:
        patch.setattr(store, "_write_all", until_full)
        with pytest.raises(KitError, match=r"No space left on device.*run the same command again to resume"):
            play(tmp_path / "run", model, methods=["standard"], n=5)
    assert len(Run(tmp_path / "run")) == 2
    assert len(play(tmp_path / "run", model, methods=["standard"], n=5)) == 5
    assert oracle(model).calls == 5


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"methods": ["reakt"]}, "'reakt'.*expected one of.*react"),
        ({"split": "test"}, "'test'.*tiny"),
        ({"n": 0}, "n is 0"),
        ({"samples": 0}, "samples is 0"),
        ({"workers": 0}, "workers is 0"),
    ],
)
def test_a_wrong_setting_gets_one_sentence_before_anything_is_asked(
    tmp_path: Path, model: Cache, change: dict[str, Any], says: str
) -> None:
    with pytest.raises(KitError, match=says):
        play(tmp_path / "run", model, **change)
    assert oracle(model).calls == 0


def test_an_unknown_task_is_named_with_those_that_exist(tmp_path: Path, model: Cache) -> None:
    with pytest.raises(KitError, match=r"'triviaqa'.*fever, hotpotqa"):
        Experiment("triviaqa", model=model, out=tmp_path)


def react(ctx: Any) -> Any:
    """Somebody's own method with a name that is taken."""
    yield from ()


@pytest.mark.parametrize(
    ("method", "says"), [(react, "cannot be called 'react'"), (METHODS["cot-sc"], "by its name")]
)
def test_a_method_of_ones_own_has_a_name_of_its_own(
    tmp_path: Path, model: Cache, method: Any, says: str
) -> None:
    with pytest.raises(KitError, match=says):
        play(tmp_path / "run", model, methods=[method])


def test_a_changed_question_under_an_old_id_is_refused(tmp_path: Path, model: Cache) -> None:
    task = load_task("hotpotqa")
    play(tmp_path / "run", model, methods="standard", n=2)
    changed = Instances(task.task, task.split, [msgspec.structs.replace(task[0], answer="Lyon")])
    with pytest.raises(
        KitError, match=rf"another hotpotqa instance .*\(gold '{task[0].answer}'\).*\(gold 'Lyon'\)"
    ):
        Experiment(changed, methods="standard", model=model, out=tmp_path / "run").run(progress=False)


def own(answer: str) -> Any:
    """Two methods of one name and different source."""
    if answer == "Dijon":

        def guess(ctx: Any) -> Any:
            yield Step(None, Action("finish", {"answer": "Dijon"}, ""))
    else:

        def guess(ctx: Any) -> Any:
            yield Step(None, Action("finish", {"answer": "Lyon"}, ""))

    return guess


def test_a_method_of_ones_own_that_changed_is_refused(tmp_path: Path, model: Cache) -> None:
    play(tmp_path / "run", model, methods=own("Dijon"))
    assert len(play(tmp_path / "run", model, methods=[own("Dijon"), "standard"])) == 6
    with pytest.raises(KitError, match=r"another experiment: its own_methods"):
        play(tmp_path / "run", model, methods=own("Lyon"))
    with pytest.raises(KitError, match=r"two methods are called 'guess'"):
        play(tmp_path / "two", model, methods=[own("Dijon"), own("Lyon")])


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"model": "embedded"}, "model is 'embedded'; expected what open_model gives"),
        ({"corpus": "tiny"}, "corpus is 'tiny'; expected"),
        ({"task": [3]}, "a task is 3; expected"),
        ({"out": "x.jsonl"}, "run folder"),
        ({"out": "a\0b"}, "run folder"),
        ({"out": "caf\udcff"}, "run folder"),
        ({"out": None}, "run folder"),
        ({"n": 2.5}, "n is 2.5; expected a whole number"),
        ({"samples": 10**20}, "samples is 100000000000000000000; expected at least 1 and at most 1000"),
        ({"task": None}, "task is None; expected"),
        ({"methods": None}, "methods is None; expected"),
        ({"samples": "3"}, "samples is '3'; expected a whole number"),
    ],
)
def test_a_name_where_a_thing_belongs(tmp_path: Path, model: Cache, given: dict[str, Any], says: str) -> None:
    with pytest.raises(KitError, match=says):
        Experiment(**{"task": "hotpotqa", "model": model, "out": tmp_path / "run"} | given)


@pytest.mark.parametrize("text", ['{"tasks": []}', "[]", '{"methods": 7}', "\xff"])
def test_a_manifest_that_is_none_is_refused(tmp_path: Path, model: Cache, text: str) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(KitError, match=r"run\.json is not as this kit wrote it"):
        play(tmp_path / "run", model)
    assert [p.name for p in (tmp_path / "run").iterdir()] == ["run.json"]


@pytest.mark.parametrize("manifest", [None, "{}"])
def test_trajectories_that_nothing_describes_are_not_resumed(
    tmp_path: Path, model: Cache, manifest: str | None
) -> None:
    run = play(tmp_path / "run", model, methods="standard")
    file = run.path / "run.json"
    file.unlink() if manifest is None else file.write_text(manifest)
    with pytest.raises(KitError, match=r"holds 3 trajectories and no run\.json"):
        play(tmp_path / "run", model, methods="standard")


def made_with(answer: str) -> Any:
    def guess(ctx: Any) -> Any:
        yield Step(None, Action("finish", {"answer": answer}, ""))

    return guess


def test_a_method_made_with_another_value_is_another(tmp_path: Path, model: Cache) -> None:
    play(tmp_path / "run", model, methods=made_with("one"))
    assert play(tmp_path / "run", model, methods=made_with("one"))[0].answer == "one"
    with pytest.raises(KitError, match="its own_methods"):
        play(tmp_path / "run", model, methods=made_with("two"))


def test_two_splits_of_one_task_do_not_share_a_run(tmp_path: Path, model: Cache) -> None:
    with pytest.raises(KitError, match="a task is given twice"):
        Experiment(
            [load_task("hotpotqa"), load_task("hotpotqa", "tiny-train")], model=model, out=tmp_path / "run"
        )


def test_a_split_brings_its_own_articles(tmp_path: Path, model: Cache) -> None:
    for split, name in (("fable", "fable"), ("tiny", "tiny"), ("tiny-train", "tiny")):
        made = Experiment(["hotpotqa", "fever"], split=split, model=model, out=tmp_path / split)
        assert made.corpus.name == name
    mixed = [load_task("hotpotqa", "fable"), load_task("fever", "tiny")]
    with pytest.raises(KitError, match="different corpora"):
        Experiment(mixed, model=model, out=tmp_path / "mixed")


def test_controls_go_by_their_names_and_not_by_their_functions(tmp_path: Path, model: Cache) -> None:
    run = play(tmp_path / "run", model, methods=["cot-gold", "random-title", "oracle"], n=2)
    assert {t.cell.method for t in run} == {"cot-gold", "random-title", "oracle"}
    assert run.manifest["own_methods"] == {}
    assert resolve(CONTROLS["cot-gold"]) == ("cot-gold", CONTROLS["cot-gold"])
