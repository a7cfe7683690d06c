"""What happened in the episodes, counted: how they stopped, what went wrong on the way, what they cost."""

from collections import Counter
from typing import TYPE_CHECKING, Any, get_args

from react_kit.analysis.records import Runs, gather, metric_of
from react_kit.analysis.results import place
from react_kit.trajectory import Stop, Trajectory

if TYPE_CHECKING:
    import pandas


def outcomes(runs: Runs) -> "pandas.DataFrame":
    """pandas, one row per task, method and temperature of the stored episodes.

    `n` and `right` count scored episodes, the stops all of them. A note's column counts the steps that carry it.
    `steps`, `calls` and the tokens are means per episode. Edited branches are left out: a person helped.
    """
    import pandas as pd

    records = gather(runs)
    groups: dict[tuple[str, str, float], list[Trajectory]] = {}
    for t in (t for t in records.every if t.parent is None):
        groups.setdefault((t.cell.task, t.cell.method, t.cell.temperature), []).append(t)
    order = sorted(groups, key=lambda key: (list(records.models).index(key[0]), place(key[1]), key[2]))
    notes = sorted({note for group in groups.values() for t in group for note in t.notes})
    rows = [_row(*key, groups[key], metric_of(key[0], records.every)[0], notes) for key in order]
    frame = pd.DataFrame(rows)
    frame.attrs = {"models": records.models, "notes": notes}
    return frame


def _row(
    task: str, method: str, temperature: float, group: list[Trajectory], metric: str, notes: list[str]
) -> dict[str, Any]:
    scored = [t for t in group if t.score]
    stops = Counter(t.stop for t in group)
    seen = Counter(note for t in group for note in t.notes)
    calls = [[call for step in t.steps for call in step.calls] for t in group]
    size = len(group)
    return {
        "task": task,
        "method": method,
        "temperature": temperature,
        "n": len(scored),
        "right": sum(t.score.get(metric) == 1 for t in scored),
        **{stop: stops[stop] for stop in get_args(Stop)},
        **{note: seen[note] for note in notes if note not in get_args(Stop)},
        "steps": sum(len(t.steps) for t in group) / size,
        "calls": sum(map(len, calls)) / size,
        "prompt_tokens": sum(c.usage.prompt for cs in calls for c in cs) / size,
        "completion_tokens": sum(c.usage.completion for cs in calls for c in cs) / size,
    }
