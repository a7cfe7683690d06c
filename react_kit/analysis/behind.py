"""From a cell of a table or a point of a figure to the trajectories behind it."""

from react_kit.analysis.records import Runs, gather
from react_kit.errors import KitError
from react_kit.methods import METHODS, Pooled
from react_kit.trajectory import Trajectory


def behind(
    runs: Runs, method: str, task: str | None = None, instance: str | None = None, samples: int | None = None
) -> list[Trajectory]:
    """The scored trajectories of a method; of CoT-SC and the hybrids those that they were computed from.

    Narrowed down to a task, an instance's id, and the first `samples` of each pool. To read them:
    `Stepper(behind(run, "cot-sc-then-react", task="fever"))`.
    """
    records = gather(runs)
    known = METHODS.get(method)
    found: list[Trajectory] = []
    for name, questions in records.questions.items():
        for q in questions if task in (None, name) else ():
            if instance not in (None, q.instance.id):
                continue
            if isinstance(known, Pooled):
                found += [t for need in known.needs for t in q.recorded.get(need, [])[:samples]]
            elif method in q.greedy:
                found.append(q.greedy[method])
    if not found:
        some = sorted({t.cell.method for t in records.every})
        raise KitError(
            f"nothing was recorded for method {method!r}, task {task!r}, instance {instance!r}; the runs hold "
            f"{', '.join(records.questions)} with {', '.join(some)}."
        )
    return found
