"""One row per question and method: the stored episodes, and CoT-SC and the hybrids computed from them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import nan
from typing import TYPE_CHECKING, Any

from react_kit.analysis.intervals import Interval, paired_difference
from react_kit.analysis.records import Question, Runs, gather, metric_of
from react_kit.errors import KitError
from react_kit.fidelity import Fidelity
from react_kit.methods import CONTROLS, METHODS, Pooled
from react_kit.methods.pooled import decided
from react_kit.trajectory import Trajectory

if TYPE_CHECKING:
    import pandas

COLUMNS = (
    "task", "instance", "method", "model", "question", "answer", "gold", "score", "f1", "stop",
    "rule", "votes", "unparsable", "samples", "replayed", "sources",
)  # fmt: skip


def results(runs: Runs, n: int | None = None, fidelity: Fidelity | None = None) -> "pandas.DataFrame":
    """pandas, one row per task, question and method, as far as the runs' data allow.

    `n`: samples of CoT-SC and the hybrids, by default as many as the largest pool has. `fidelity`: by default
    that of the runs. `score` is the task's metric. `replayed`: every reply came from a recorded replay.
    `.attrs` tells what was left out, and per task the model, the samples and the fidelity.
    """
    import pandas as pd

    if n is not None and n < 1:
        raise KitError(f"n is {n}; expected at least 1 CoT-SC sample.")
    records = gather(runs)
    rows: list[dict[str, Any]] = []
    short: Counter[str] = Counter()
    sizes, names = {}, {}
    for task, questions in records.questions.items():
        size = n or max(len(q.pool) for q in questions)
        rule = fidelity or records.fidelity(task)
        sizes[task], names[task] = size, rule.name
        metric, _ = metric_of(task, records.every)
        for q in questions:
            whole = bool(q.pool) and decided(q.pool, size, rule)
            short[task] += bool(q.pool) and not whole
            found = [*_stored(q, metric), *(_pooled(q, metric, size, rule) if whole else ())]
            rows += sorted(found, key=lambda row: place(row["method"]))
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    frame = frame.astype({"votes": "Int64", "unparsable": "Int64", "samples": "Int64", "replayed": "boolean"})
    frame.attrs = {
        "left_out": records.left_out,
        "short_pools": {task: k for task, k in short.items() if k},
        "models": records.models,
        "samples": sizes,
        "fidelity": names,
    }
    return frame


def compare(
    frame: "pandas.DataFrame", method: str, baseline: str, task: str | None = None, column: str = "score"
) -> Interval:
    """Mean difference of two methods on the questions that both have, with its paired 95 % interval."""
    if method == baseline:
        raise KitError(f"{method!r} cannot be compared with itself; expected two methods.")
    here = frame if task is None else frame[frame["task"] == task]
    for name in (method, baseline):
        if not (here["method"] == name).any():
            raise KitError(
                f"the results have no method {name!r}; they have: {', '.join(here['method'].unique())}."
            )
    wide = here.pivot(index=["task", "instance"], columns="method", values=column)[
        [method, baseline]
    ].dropna()
    return paired_difference(list(wide[method]), list(wide[baseline]))


def place(method: str) -> tuple[int, str]:
    """Sorts methods in the paper's order, controls and others after them."""
    names = [*METHODS, *CONTROLS]
    return (names.index(method) if method in names else len(names)), method


def _stored(q: Question, metric: str) -> Iterator[dict[str, Any]]:
    for method, t in q.greedy.items():
        yield _row(q, method, t, metric, [t]) | {
            "answer": t.answer,
            "stop": t.stop,
            "rule": None,
            "sources": (t.id,),
        }


def _pooled(q: Question, metric: str, n: int, fidelity: Fidelity) -> Iterator[dict[str, Any]]:
    recorded = q.recorded
    for name, method in METHODS.items():
        if not isinstance(method, Pooled) or not all(recorded.get(need) for need in method.needs):
            continue
        choice = method(recorded, n, fidelity)
        used = [t for need in method.needs for t in recorded[need][:n]]
        source = next((t for t in used if t.id in choice.sources), None)
        silent = recorded["react"][0].stop if choice.rule == "back-off:react" else "unparsable"
        yield _row(q, name, source, metric, used) | {
            "answer": choice.answer,
            "stop": silent if choice.answer is None else "answered",
            "rule": choice.rule,
            "votes": choice.votes,
            "unparsable": choice.unparsable,
            "samples": choice.n,
            "sources": choice.sources,
        }


def _row(
    q: Question, method: str, source: Trajectory | None, metric: str, used: Sequence[Trajectory]
) -> dict[str, Any]:
    """What all rows have. The score is that of a trajectory that gave the answer; without an answer it is 0."""
    scores = source.score if source else dict.fromkeys(used[0].score, 0.0)
    return {
        "task": used[0].cell.task,
        "instance": q.instance.id,
        "method": method,
        "model": used[0].cell.model,
        "question": q.instance.question,
        "gold": q.instance.answer,
        "score": scores.get(metric, nan),
        "f1": scores.get("f1", nan),
        "replayed": all(known) if (known := [r for r in map(replayed, used) if r is not None]) else None,
    }


def replayed(t: Trajectory) -> bool | None:
    """Did every reply of this trajectory come from a recorded replay? None where no model was asked."""
    calls = sum(len(step.calls) for step in t.steps)
    return calls <= int(t.meta.get("replayed", 0)) if calls else None
