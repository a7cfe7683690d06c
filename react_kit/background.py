"""Playing the jobs of an experiment in threads behind the notebook, recording each episode as it ends."""

import platform
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import msgspec
from msgspec import Struct

from react_kit.errors import Unavailable
from react_kit.methods import Method
from react_kit.progress import Progress
from react_kit.run import Run
from react_kit.trajectory import Instance, Trajectory

PATIENCE = 3  # failures in a row of the model's server or the corpus, after which the run stops
Known: TypeAlias = dict[int, Trajectory]  # what is recorded of a job, by sample


class Job(Struct, frozen=True):
    """One instance under one method: a greedy episode, or a pool of `samples` episodes."""

    instance: Instance
    name: str
    method: Method
    samples: int = 0  # 0: greedy


class Handle:
    """A run in the background. `run` grows; `stop()` ends it after the episodes in flight; `wait()` gives the run."""

    def __init__(
        self,
        run: Run,
        plan: Sequence[Job],
        play: Callable[[Job, Known], Iterator[Trajectory]],
        enough: Callable[[Job, Known], bool],
        replayed: Callable[[str], bool],
        workers: int,
        progress: bool,
    ) -> None:
        self.run, self._play, self._replayed = run, play, replayed
        self.failures: list[str] = []
        self._stop = threading.Event()
        self._in_a_row = 0
        self._lock = threading.Lock()
        self._error: BaseException | None = None
        self._known = self._recorded()
        jobs = [job for job in plan if not enough(job, self._known_of(job))]
        episodes = sum(max(job.samples, 1) - len(self._known_of(job)) for job in jobs)
        self._progress = Progress(len(jobs), len(plan), episodes, progress)
        self._finished = threading.Event()
        threading.Thread(target=self._work, args=(jobs, workers), daemon=True).start()

    @property
    def done(self) -> bool:
        return self._finished.is_set()

    def stop(self) -> None:
        """Start no further episode."""
        self._stop.set()

    def settle(self) -> None:
        """Wait for the episodes in flight."""
        # Not by joining the thread: where Ctrl-C falls into `join`, Python takes the thread for ended.
        while not self._finished.wait(0.2):  # with a timeout, so that Ctrl-C gets through on every system
            pass

    def wait(self) -> Run:
        """The finished run; raises what stopped it. Failed episodes are in `failures` and not in the run."""
        self.settle()
        if self._error:
            raise self._error
        if self.failures:
            print(
                f"{len(self.failures)} episodes could not be played, not counted for or against the model: "
                f"{self.failures[-1]}\nRun the same again to play only these."
            )
        return self.run

    def _work(self, jobs: Sequence[Job], workers: int) -> None:
        # Daemons, not a `ThreadPoolExecutor`: that one keeps Python from ending until the last episode has.
        left = iter(jobs)
        players = [
            threading.Thread(target=self._player, args=(left,), daemon=True)
            for _ in range(min(workers, len(jobs)))
        ]
        try:
            for player in players:
                player.start()
            for player in players:
                player.join()
        finally:
            self._progress.close()
            self._finished.set()

    def _player(self, left: Iterator[Job]) -> None:
        while not self._stop.is_set():
            with self._lock:
                job = next(left, None)
            if job is None:
                return
            try:
                self._do(job)
            except BaseException as e:
                self._error = self._error or e
                self._stop.set()

    def _do(self, job: Job) -> None:
        try:
            for trajectory in self._play(job, self._known_of(job)):
                if trajectory.stop == "unavailable":
                    raise Unavailable(trajectory.steps[-1].observation.text)  # type: ignore[union-attr]
                self._record(job, trajectory)
                if self._stop.is_set():
                    return
            self._in_a_row = 0
        except Unavailable as e:
            self._fail(e)

    def _record(self, job: Job, t: Trajectory) -> None:
        calls = [call.key for step in t.steps for call in step.calls]
        replayed = sum(map(self._replayed, calls))
        meta = {**t.meta, "run": self.run.path.name, "host": platform.node(), "replayed": replayed}
        with self._lock:
            self.run.append(msgspec.structs.replace(t, meta=meta))
        self._progress.episode(job.name, t)

    def _fail(self, error: Unavailable) -> None:
        self.failures.append(str(error))
        self._in_a_row += 1
        if self._in_a_row >= PATIENCE and not self._stop.is_set():
            self._stop.set()
            raise Unavailable(f"stopped after {PATIENCE} failures in a row: {error}") from error

    def _recorded(self) -> dict[tuple[str, str, str, bool], Known]:
        known: dict[tuple[str, str, str, bool], Known] = {}
        for t in self.run:
            if t.parent is None:  # an edited branch is no episode of the experiment's
                at = t.cell.task, t.cell.instance, t.cell.method, t.cell.temperature > 0
                known.setdefault(at, {})[t.cell.sample] = t
        return known

    def _known_of(self, job: Job) -> Known:
        return self._known.get((job.instance.task, job.instance.id, job.name, job.samples > 0), {})
