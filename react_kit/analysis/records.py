"""Trajectories of one or several runs, sorted by question, ready to be compared."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, Union

from react_kit.errors import KitError, expect
from react_kit.fidelity import PAPER, PRESETS, Fidelity
from react_kit.run import Run, read_trajectories
from react_kit.tasks import TASKS
from react_kit.trajectory import Cell, Instance, Trajectory

Runs: TypeAlias = Union[Run, str, "os.PathLike[str]", Trajectory, Iterable["Runs"]]

NOT_SCORED = ("unavailable", "unfinished")  # infrastructure or the user, not the model


@dataclass
class Question:
    """What was recorded of one instance: `greedy` by method, and the CoT `pool` in order of sample."""

    instance: Instance
    greedy: dict[str, Trajectory] = field(default_factory=dict)
    pool: list[Trajectory] = field(default_factory=list)

    @property
    def recorded(self) -> Mapping[str, list[Trajectory]]:
        """As the pooled methods take it."""
        return {"cot": self.pool, "react": [self.greedy["react"]] if "react" in self.greedy else []}


@dataclass
class Records:
    """Questions by task. `every`: all trajectories, each id once; `left_out`: why some are in no question."""

    every: list[Trajectory]
    questions: dict[str, list[Question]]
    left_out: dict[str, int]
    models: dict[str, str]

    def fidelity(self, task: str) -> Fidelity:
        """The fidelity that the task's trajectories were recorded under."""
        first = next(t for t in self.every if t.cell.task == task)
        if first.cell.fidelity in PRESETS:
            return PRESETS[first.cell.fidelity]
        try:
            return Fidelity(**first.provenance.get("fidelity", {}))
        except TypeError:  # written by a later version or another program
            return PAPER


def trajectories(runs: Runs) -> Iterator[Trajectory]:
    """All trajectories, run by run."""
    if isinstance(runs, Trajectory):
        yield runs
    elif isinstance(runs, str | os.PathLike):
        yield from read_trajectories(runs)
    else:
        expect("runs", runs, Iterable, "a run, its folder, trajectories, or a list of these")
        for part in runs:
            yield from trajectories(part)


def gather(runs: Runs) -> Records:
    """Sort by task and question. A trajectory that is in several runs counts once: that of the first run."""
    good: dict[str, Trajectory] = {}
    bad: dict[str, Trajectory] = {}
    corpora: dict[str, dict[str, None]] = {}  # ids do not tell corpora apart, so this looks at duplicates too
    for t in trajectories(runs):
        corpora.setdefault(t.cell.task, {})[_corpus(t)] = None
        (bad if t.stop in NOT_SCORED else good).setdefault(t.id, t)
    every = [*good.values(), *(t for id, t in bad.items() if id not in good)]
    if not every:
        raise KitError("the runs hold no trajectories yet; run an experiment first, or check the folders.")
    left_out: Counter[str] = Counter()
    kept = []
    for t in every:
        if reason := _why_left_out(t):
            left_out[reason] += 1
        else:
            kept.append(t)
    for task, names in corpora.items():
        _one_of("corpus", task, list(names))
    _check_one_of_each(kept)
    models = {t.cell.task: t.cell.model for t in every}
    return Records(every, _by_question(kept), dict(left_out), models)


def metric_of(task: str, seen: Iterable[Trajectory] = ()) -> tuple[str, str]:
    """The main score's name in `score` and on axes; of a task that is not in `TASKS`, its first score."""
    if task in TASKS:
        return TASKS[task].metric, TASKS[task].metric_title
    name = next((key for t in seen if t.cell.task == task for key in t.score), "score")
    return name, name


def title_of(task: str) -> str:
    """The task's name for readers."""
    return TASKS[task].title if task in TASKS else task


def _why_left_out(t: Trajectory) -> str | None:
    if t.stop in NOT_SCORED:
        return t.stop
    if t.parent is not None:
        return "edited"  # a person helped
    if not t.score:
        return "without gold answer"
    if not _is_pool(t) and (t.cell.temperature > 0 or t.cell.sample > 0):
        return "sampled"  # all but CoT-SC is greedy
    return None


def _is_pool(t: Trajectory) -> bool:
    return t.cell.method == "cot" and t.cell.temperature > 0


def _by_question(kept: list[Trajectory]) -> dict[str, list[Question]]:
    questions: dict[str, dict[str, Question]] = {task: {} for task in TASKS}
    for t in kept:
        here = questions.setdefault(t.cell.task, {})
        question = here.setdefault(t.cell.instance, Question(t.instance))
        if _is_pool(t):
            question.pool.append(t)
        else:
            question.greedy.setdefault(t.cell.method, t)
    for q in (q for here in questions.values() for q in here.values()):
        q.pool.sort(key=lambda t: t.cell.sample)
    return {task: list(here.values()) for task, here in questions.items() if here}


def _check_one_of_each(kept: list[Trajectory]) -> None:
    """Scores of different models, prompts or protocols must not be averaged unnoticed."""
    for task in dict.fromkeys(t.cell.task for t in kept):
        here = [t for t in kept if t.cell.task == task]
        _one_of("model", task, [t.cell.model for t in here])
        _one_of("prompt", task, [t.cell.prompt for t in here])
        _one_of("fidelity", task, [t.cell.fidelity for t in here])
        _one_of("temperature", task, [t.cell.temperature for t in here if _is_pool(t)])


def _corpus(t: Trajectory) -> str:
    corpus = t.provenance.get("corpus") or {}
    return f"{corpus.get('name', 'none')} {corpus.get('vintage', '')} {corpus.get('sha256', '')[:12]}".strip()


def _one_of(what: str, task: str, values: list[str] | list[float]) -> None:
    found = list(dict.fromkeys(values))
    if len(found) > 1:
        names = ", ".join(repr(v) for v in found)
        choose = ""
        if what in Cell.__struct_fields__:
            condition = f"t.cell.task == {task!r} and t.cell.{what} == {found[0]!r}"
            choose = f", or choose: [run.where(lambda t: {condition}) for run in runs]"
        raise KitError(
            f"the runs mix {len(found)} values of {what} for {task}: {names}; a table or figure needs one. "
            f"Pass only the runs of one{choose}."
        )
