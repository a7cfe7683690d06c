"""Every score of every method with n and a 95 % interval: EM and F1, label accuracy."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from react_kit.analysis.intervals import Interval, bootstrap_mean, wilson
from react_kit.analysis.records import Runs, metric_of
from react_kit.analysis.results import results
from react_kit.fidelity import Fidelity

if TYPE_CHECKING:
    import pandas


def scores(runs: Runs, n: int | None = None, fidelity: Fidelity | None = None) -> "pandas.DataFrame":
    """pandas, one row per task, method and metric: value, low, high (shares, 0 to 1) and n. See `results`."""
    import pandas as pd

    found = results(runs, n, fidelity)
    rows = []
    for (task, method), here in found.groupby(["task", "method"], sort=False):
        for metric, column in ((metric_of(task)[0], "score"), ("f1", "f1")):
            values = list(here[column].dropna())
            if values:
                rows.append({"task": task, "method": method, "metric": metric, **summary(values)._asdict()})
    return pd.DataFrame(rows, columns=["task", "method", "metric", *Interval._fields])


def summary(values: Sequence[float]) -> Interval:
    """Mean and interval: Wilson's for right and wrong, the bootstrap's for partial scores."""
    if all(value in (0, 1) for value in values):
        return wilson(sum(values), len(values))
    return bootstrap_mean(values)
