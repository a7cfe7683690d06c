"""Figure 2's numbers: expected score against the number of CoT-SC samples, exact over all subsets and orders.

A draw of m samples is a random subset in random order. All draws are counted rather than enumerated: only how
often each answer occurs in the pool matters, so equal pools share one computation.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple

from react_kit.analysis.intervals import bootstrap_band, wilson
from react_kit.analysis.records import Question, Runs, gather, metric_of
from react_kit.fidelity import Fidelity
from react_kit.methods.pooled import backs_off, decided, tally
from react_kit.trajectory import Trajectory

if TYPE_CHECKING:
    import pandas

CURVES = ("cot-sc", "react-then-cot-sc", "cot-sc-then-react")
FLAT = ("cot", "react")


class Share(NamedTuple):
    """Among all draws of some size: the share in which an answer wins with exactly so many votes."""

    votes: int
    share: float


@lru_cache(maxsize=4096)
def wins(count: int, rivals: tuple[int, ...], blanks: int) -> tuple[tuple[Share, ...], ...]:
    """How often an answer that `count` samples of the pool gave wins, for draws of 1, 2, ... samples.

    `rivals`: how many samples gave each other answer; `blanks`: samples without an answer, drawn but voteless.
    In a tie the answer seen first wins; in a random order each of the tied is equally likely to be that one.
    """
    size = count + sum(rivals) + blanks
    table: list[list[Share]] = [[] for _ in range(size)]
    for votes in range(1, count + 1):
        for (others, tied), ways in _ways(rivals, blanks, votes).items():
            drawn = votes + others
            share = comb(count, votes) * ways / (tied + 1) / comb(size, drawn)
            table[drawn - 1].append(Share(votes, share))
    return tuple(map(tuple, table))


def _ways(rivals: tuple[int, ...], blanks: int, most: int) -> dict[tuple[int, int], int]:
    """Ways to draw from the others with no rival above `most` votes, by (samples drawn, rivals that tie)."""
    ways = {(k, 0): comb(blanks, k) for k in range(blanks + 1)}
    for rival in rivals:
        grown: dict[tuple[int, int], int] = {}
        for (drawn, tied), before in ways.items():
            for votes in range(min(rival, most) + 1):
                key = drawn + votes, tied + (votes == most)
                grown[key] = grown.get(key, 0) + before * comb(rival, votes)
        ways = grown
    return ways


def expected(
    pool: Sequence[Trajectory], react: Trajectory | None, metric: str, fidelity: Fidelity
) -> dict[str, list[float]]:
    """One question's expected score of CoT-SC and, given ReAct's episode, both hybrids, for 1, 2, ... samples."""
    groups = list(tally(pool).values())
    counts = [len(g) for g in groups]
    blanks, sizes = len(pool) - sum(counts), range(1, len(pool) + 1)
    majority = [0.0] * len(pool)
    kept = [0.0] * len(pool)  # score where CoT-SC is sure of itself
    trust = [0.0] * len(pool)  # how often it is
    for at, group in enumerate(groups):
        rivals = tuple(sorted(counts[:at] + counts[at + 1 :]))
        score = group[0].score.get(metric, 0.0)
        for m, shares in zip(sizes, wins(counts[at], rivals, blanks), strict=True):
            sure = sum(s.share for s in shares if not backs_off(s.votes, m, fidelity))
            majority[m - 1] += score * sum(s.share for s in shares)
            kept[m - 1] += score * sure
            trust[m - 1] += sure
    if react is None:
        return {"cot-sc": majority}
    other = react.score.get(metric, 0.0) if react.answer is not None else 0.0
    return {
        "cot-sc": majority,
        "react-then-cot-sc": majority if react.answer is None else [other] * len(pool),
        "cot-sc-then-react": [k + (1 - sure) * other for k, sure in zip(kept, trust, strict=True)],
    }


def sample_curves(runs: Runs, fidelity: Fidelity | None = None) -> "pandas.DataFrame":
    """pandas with task, method, samples, score, low, high, n; ReAct and greedy CoT as constant rows.

    Bands: 95 % bootstrap over questions (Wilson where all score alike). Questions with an unfinished pool are left
    out; where pools ended early because they were decided, all are cut to the shortest, since the rest would be a
    biased choice (`.attrs`).
    """
    import pandas as pd

    records = gather(runs)
    rows: list[dict[str, Any]] = []
    notes: dict[str, Any] = {"left_out": records.left_out, "short_pools": {}, "cut_to": {}}
    for task, questions in records.questions.items():
        rule = fidelity or records.fidelity(task)
        metric, _ = metric_of(task, records.every)
        pooled = [q for q in questions if q.pool]
        if not pooled:
            continue
        size, whole = _whole(pooled, rule)
        if len(whole) < len(pooled):
            notes["short_pools"][task] = len(pooled) - len(whole)
        if any(len(q.pool) > size for q in whole):
            notes["cut_to"][task] = size
        for method, scores in _scores(whole, questions, size, metric, rule).items():
            rows += _rows(task, method, scores)
    columns = ["task", "method", "samples", "score", "low", "high", "n"]
    frame = pd.DataFrame(rows, columns=columns)
    frame.attrs = notes | {"models": records.models}
    return frame


def _whole(pooled: list[Question], rule: Fidelity) -> tuple[int, list[Question]]:
    """The number of samples that the curve reaches, and the questions that have so many."""
    size = max(len(q.pool) for q in pooled)
    done = [q for q in pooled if decided(q.pool, size, rule)]
    return min(len(q.pool) for q in done), done


def _scores(
    whole: list[Question], questions: list[Question], size: int, metric: str, rule: Fidelity
) -> dict[str, list[list[float]]]:
    """By method, a matrix of questions and sample counts."""
    scores: dict[str, list[list[float]]] = {name: [] for name in (*CURVES, *FLAT)}
    for q in whole:
        for name, curve in expected(q.pool[:size], q.greedy.get("react"), metric, rule).items():
            scores[name].append(curve)
    for name in FLAT:
        found = [q.greedy[name] for q in questions if name in q.greedy]
        scores[name] = [[t.score.get(metric, 0.0)] * size for t in found]
    return {name: matrix for name, matrix in scores.items() if matrix}


def _rows(task: str, method: str, scores: list[list[float]]) -> Iterator[dict[str, Any]]:
    columns = zip(*bootstrap_band(scores), strict=True)
    for m, (score, low, high) in enumerate(columns, 1):
        if low == high:  # all questions alike: resampling them shows no width, which is not certainty
            low, high = wilson(float(score) * len(scores), len(scores))[1:3]
        yield {
            "task": task,
            "method": method,
            "samples": m,
            "score": float(score),
            "low": float(low),
            "high": float(high),
            "n": len(scores),
        }
