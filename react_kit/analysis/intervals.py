"""95 % intervals: Wilson for shares, bootstrap over questions for everything else. Pure and seeded."""

from collections.abc import Sequence
from math import nan, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from react_kit.errors import KitError

if TYPE_CHECKING:
    import numpy as np

RESAMPLES = 2000
QUANTILES = (0.025, 0.975)


class Interval(NamedTuple):
    """A mean over n questions and its interval; `low` and `high` are NaN where n is too small for one."""

    value: float
    low: float
    high: float
    n: int


def wilson(k: float, n: int, z: float = 1.96) -> Interval:
    """The share k/n with Wilson's interval, which stays inside 0..1 and has a width at k = 0 and k = n too."""
    if n < 0 or not 0 <= k <= n:
        raise KitError(f"a share of {k} in {n} is not possible; expected 0 <= k <= n.")
    if n == 0:
        return Interval(nan, nan, nan, 0)
    p, z2 = k / n, z * z
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = z * sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    # Exact ends, so that rounding never puts the share outside its own interval.
    return Interval(p, 0.0 if k == 0 else centre - half, 1.0 if k == n else centre + half, n)


def bootstrap_mean(values: Sequence[float], seed: int = 0, resamples: int = RESAMPLES) -> Interval:
    """The mean with a percentile bootstrap interval."""
    if not len(values):
        return Interval(nan, nan, nan, 0)
    means, low, high = bootstrap_band([[v] for v in values], seed, resamples)
    return Interval(float(means[0]), float(low[0]), float(high[0]), len(values))


def paired_difference(
    a: Sequence[float], b: Sequence[float], seed: int = 0, resamples: int = RESAMPLES
) -> Interval:
    """Mean of a - b over the same questions, in the same order, each question resampled with both its scores."""
    if len(a) != len(b):
        raise KitError(
            f"a paired difference needs the same questions on both sides; got {len(a)} and {len(b)} scores. "
            "Keep the questions that both methods answered."
        )
    return bootstrap_mean([x - y for x, y in zip(a, b, strict=True)], seed, resamples)


def bootstrap_band(
    matrix: "Sequence[Sequence[float]] | np.ndarray[Any, Any]", seed: int = 0, resamples: int = RESAMPLES
) -> "tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]":
    """Mean, low and high of each column; rows are questions and are resampled whole, so columns stay paired.

    The same seed and number of rows draw the same questions, which pairs several matrices as well.
    """
    import numpy as np

    scores = np.asarray(matrix, dtype=float)
    n = len(scores)
    if n < 2:  # resampling one question says nothing about others
        blank = np.full(scores.shape[1:], nan)
        return (scores[0] if n else blank), blank, blank
    # How often each question is drawn, instead of the draws themselves: far less memory.
    counts = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=resamples)
    low, high = np.quantile(counts @ scores / n, QUANTILES, axis=0)
    return scores.mean(axis=0), low, high
