"""A grid of (task, method, sample) over instances → a run folder; resumable, in threads, in the background."""

import inspect
import os
import platform
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from types import NoneType
from typing import Any

import msgspec

from react_kit.background import Handle, Job
from react_kit.corpora import Corpus, identity, open_wiki
from react_kit.episode import Episode
from react_kit.errors import KitError, expect
from react_kit.fidelity import PAPER, Fidelity
from react_kit.methods import CONTROLS, METHODS, SAMPLES, TEMPERATURE, Method, Pooled, resolve
from react_kit.methods.pooled import decided
from react_kit.models.ahead import Ahead
from react_kit.models.cache import Cache
from react_kit.prompts import Prompts
from react_kit.run import Run
from react_kit.tasks import FABLES, Instances, load_task
from react_kit.text import writable
from react_kit.trajectory import Trajectory, digest

GROWS = ("tasks", "prompts", "own_methods")  # what a later experiment may add to a run
MOST_SAMPLES = 1000  # of a pool
CHUNK = 7  # samples asked for at once when stopping early


class Experiment:
    """`methods` are names or generators of your own; a pooled method's name brings the episodes it needs.

    `task`: a name, several, or what `load_task` gives (e.g. `load_task("hotpotqa")[:10]`). `n` takes that many
    instances: the first, or a draw by `seed`. `early_stop` ends a pool once no further sample can change the
    majority or the n/2 decision; leave it off where a figure needs whole pools.
    """

    def __init__(
        self,
        task: str | Instances | Sequence[str | Instances],
        *,
        model: Cache,
        out: str | os.PathLike[str],
        methods: str | Method | Sequence[str | Method] = ("react",),
        split: str = "tiny",
        corpus: Corpus | None = None,
        prompts: Prompts | None = None,
        fidelity: Fidelity = PAPER,
        samples: int = SAMPLES,
        early_stop: bool = False,
        n: int | None = None,
        seed: int | None = None,
    ) -> None:
        expect("model", model, Cache, 'what open_model gives, e.g. open_model("embedded")')
        expect("corpus", corpus, (Corpus, NoneType), 'a corpus, e.g. open_wiki("tiny")')
        expect("prompts", prompts, (Prompts, NoneType), 'prompts, e.g. load_prompts("hotpotqa")')
        expect("fidelity", fidelity, Fidelity, "PAPER, AUTHORS_CODE or a Fidelity of your own")
        expect("samples", samples, int, "a whole number")
        expect("task", task, Iterable, "a name, instances, or several of these")
        given = [task] if isinstance(task, str | Instances) else list(task)
        if isinstance(methods, str) or callable(methods):
            methods = [methods]
        expect("methods", methods, Iterable, "a name, a function, or several of these")
        methods = list(methods)
        sets = [load_task(t, split) if isinstance(t, str) else t for t in given]
        if not sets or not methods:
            raise KitError(
                f"an experiment needs at least one task and one method; got {list(given)} and {list(methods)}."
            )
        for s in sets:
            expect("a task", s, Instances, 'a name, or instances such as load_task("hotpotqa")[:10]')
        if len({s.task.name for s in sets}) < len(sets):
            raise KitError(
                f"a task is given twice: {sets}; run its splits one by one, into folders of their own."
            )
        if prompts and len(sets) > 1:
            raise KitError("prompts are for one task and several tasks were given; run them one by one.")
        strange = not str(out) or "\0" in str(out) or not writable(str(out))
        if strange or not isinstance(out, str | os.PathLike) or Path(out).suffix == ".jsonl":
            raise KitError(f"out is {str(out)!r}; expected the path of a run folder, e.g. runs/demo.")
        if not 1 <= samples <= MOST_SAMPLES:
            raise KitError(f"samples is {samples}; expected at least 1 and at most {MOST_SAMPLES}.")
        self.instances = [s.draw(n, seed) for s in sets]
        self.methods, self.model, self.path = methods, model, Path(out)
        self.corpus, self.fidelity = corpus or _corpus_of(self.instances), fidelity
        self.prompts = {s.task.name: prompts or s.task.prompts() for s in sets}
        self.samples, self.early_stop = samples, early_stop
        self._manifest = {
            "tasks": {s.task.name: s.split for s in self.instances},
            "model": model.identity,
            "prompts": {name: p.name for name, p in self.prompts.items()},
            "corpus": identity(self.corpus),
            "fidelity": fidelity.name,
            "early_stop": early_stop,
            "own_methods": _sources(self.methods),
        }
        self._plan = [job for s in self.instances for job in _jobs(s, self.methods, samples)]

    def run(self, workers: int = 1, progress: bool = True) -> Run:
        """Play what is missing and return the run. Ctrl-C lets episodes in flight finish; run again to resume."""
        handle = self.start(workers, progress)
        try:
            return handle.wait()
        except KeyboardInterrupt:
            handle.stop()
            print("Finishing the episodes in flight; interrupt again to leave them.", flush=True)
            handle.settle()
            print(
                f"Stopped. {len(handle.run)} trajectories are in {self.path}; run the same again to resume."
            )
            raise

    def start(self, workers: int = 1, progress: bool = True) -> Handle:
        """Play in the background; the notebook stays usable and `handle.run` grows."""
        if workers < 1:
            raise KitError(f"workers is {workers}; expected at least 1.")
        run = self._open()
        replayed = self.model.replayed
        self.handle = Handle(run, self._plan, self._play, self._enough, replayed, workers, progress)
        return self.handle

    def _open(self) -> Run:
        run = Run(self.path)
        before: dict[str, Any] = {**run.manifest}
        if not before and any(t.parent is None for t in run):  # edited branches alone are nobody's experiment
            raise KitError(
                f"{self.path} holds {len(run)} trajectories and no run.json that says what they are of. "
                "Restore it, or choose another folder for out."
            )
        for key, value in self._manifest.items():
            extends = key in GROWS and _compatible(before.get(key, {}), value)
            if before and before.get(key) != value and not extends:
                raise KitError(
                    f"{self.path} holds another experiment: its {key} is {before.get(key)!r}, here it is {value!r}. "
                    "Choose another folder for out, or repeat the earlier settings to resume."
                )
        merged = {**self._manifest, **{k: before.get(k, {}) | self._manifest[k] for k in GROWS}}
        names = [resolve(m)[0] for m in self.methods]
        merged["methods"] = list(dict.fromkeys([*before.get("methods", []), *names]))
        merged["samples"] = max(self.samples, before.get("samples", 0))
        merged["versions"] = _versions()
        _write_manifest(self.path, merged)
        return run

    def _play(self, job: Job, known: dict[int, Trajectory]) -> Iterator[Trajectory]:
        """The job's episodes that are not yet recorded; `known`: those of its pool that are, by sample."""
        start: dict[str, Any] = {"corpus": self.corpus, "fidelity": self.fidelity}
        start |= {"task": self._task_of(job), "prompts": self.prompts[job.instance.task]}
        if not job.samples:
            yield Episode.start(job.instance, job.method, model=self.model, **start).run()
            return
        chunk = CHUNK if self.early_stop else job.samples
        model, pool = Ahead(self.model, job.samples, chunk), dict(known)
        for k in range(job.samples):
            done = [pool[i] for i in range(k)]
            if self.early_stop and k % CHUNK == 0 and decided(done, job.samples, self.fidelity):
                return
            if k not in pool:
                episode = Episode.start(
                    job.instance, job.method, model=model, temperature=TEMPERATURE, sample=k, **start
                )
                pool[k] = episode.run()
                yield pool[k]

    def _enough(self, job: Job, known: dict[int, Trajectory]) -> bool:
        """Is nothing of this job missing?"""
        for t in known.values():
            if t.instance != job.instance:
                raise KitError(
                    f"{self.path} holds another {job.instance.task} instance {job.instance.id!r}: there it asks "
                    f"{t.instance.question[:60]!r} (gold {t.instance.answer!r}), here {job.instance.question[:60]!r} "
                    f"(gold {job.instance.answer!r}). The data changed; choose another folder for out."
                )
        if not job.samples:
            return 0 in known
        pool = [known[k] for k in takewhile(known.__contains__, range(job.samples))]
        # A pool that was interrupted goes on to where it would have ended: after a whole chunk.
        chunks = pool[: len(pool) // CHUNK * CHUNK]
        settled = self.early_stop and bool(chunks) and decided(chunks, job.samples, self.fidelity)
        return len(pool) == job.samples or settled

    def _task_of(self, job: Job) -> Any:
        return next(s.task for s in self.instances if s.task.name == job.instance.task)


def _corpus_of(sets: Sequence[Instances]) -> Corpus:
    """Where the splits' answers are: the invented world's own articles, else the tiny encyclopedia."""
    names = list(dict.fromkeys(FABLES.get(s.split, "tiny") for s in sets))
    if len(names) > 1:
        raise KitError(
            f"the tasks need different corpora ({', '.join(names)}); run them one by one, or pass corpus=."
        )
    return open_wiki(names[0])


def _jobs(instances: Instances, methods: Sequence[str | Method], samples: int) -> Iterator[Job]:
    """Method by method, so that a method's long prompt stays in the server's prefix cache."""
    wanted: dict[tuple[str, int], Method] = {}
    for method in methods:
        name, found = resolve(method)
        if not isinstance(found, Pooled):
            wanted[name, 0] = found
            continue
        for need in found.needs:
            wanted[need, samples if need == "cot" else 0] = METHODS[need]  # type: ignore[assignment]
    for (name, count), play in wanted.items():
        for instance in instances:
            yield Job(instance, name, play, count)


def _sources(methods: Sequence[str | Method]) -> dict[str, str]:
    """Own methods by name, with a checksum of their source: a run must not mix two versions of one."""
    found: dict[str, Method] = {}
    for method in methods:
        name, play = resolve(method)
        if name not in METHODS | CONTROLS and found.setdefault(name, play) is not play:  # type: ignore[arg-type]
            raise KitError(
                f"two methods are called {name!r}; rename one, since records tell them apart by name."
            )
    return {name: _source(play) for name, play in found.items()}


def _source(method: Method) -> str:
    """A checksum of the function's text and of the plain values that it was made with."""
    code: Any = getattr(method, "__code__", None)
    try:
        text = inspect.getsource(method if code else type(method))
    except (OSError, TypeError):  # typed at a prompt, or compiled: its byte code, as far as there is one
        text = f"{code.co_code.hex()} {code.co_consts}" if code else ""
    held = [*(getattr(method, "__defaults__", None) or ())]
    held += [cell.cell_contents for cell in getattr(method, "__closure__", None) or ()]
    held += getattr(method, "__dict__", {}).values()
    return digest([text, *(v for v in held if v is None or isinstance(v, str | int | float))])[:16]


def _compatible(before: Any, now: Any) -> bool:
    """May a run be extended: does every task that both name have the same value?"""
    return all(before.get(task, value) == value for task, value in now.items())


def _versions() -> dict[str, str]:
    import react_kit

    return {
        "react_kit": react_kit.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
    }


def _write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    part = folder / f"run.json.{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        part.write_bytes(msgspec.json.format(msgspec.json.encode(manifest)) + b"\n")
        part.replace(folder / "run.json")
    except OSError as e:
        raise KitError(f"cannot write to {folder}: {e.strerror}. Choose another folder for out.") from e
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
