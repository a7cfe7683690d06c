"""Exact match and F1 as in hotpot_evaluate_v1, label accuracy as in the paper's FEVER table."""

from collections import Counter

from react_kit.answers import normalize_answer
from react_kit.trajectory import Instance

_CLOSED = {"yes", "no", "noanswer"}


def exact_match(answer: str, gold: str) -> float:
    return float(normalize_answer(answer) == normalize_answer(gold))


def f1(answer: str, gold: str) -> float:
    """Token F1; 0 if either side is yes/no and they differ. Two empty strings give 0, as officially."""
    a, g = normalize_answer(answer), normalize_answer(gold)
    if a != g and (a in _CLOSED or g in _CLOSED):
        return 0.0
    common = sum((Counter(a.split()) & Counter(g.split())).values())
    if common == 0:
        return 0.0
    precision, recall = common / len(a.split()), common / len(g.split())
    return 2 * precision * recall / (precision + recall)


def qa_score(instance: Instance, answer: str | None) -> dict[str, float]:
    """`em` and `f1`; no answer scores 0, also where the gold normalises to nothing (`The The`); without gold empty."""
    if instance.answer is None:
        return {}
    if answer is None:
        return {"em": 0.0, "f1": 0.0}
    return {"em": exact_match(answer, instance.answer), "f1": f1(answer, instance.answer)}


def label_score(instance: Instance, answer: str | None) -> dict[str, float]:
    """`accuracy` of the label; without gold empty."""
    if instance.answer is None:
        return {}
    if answer is None:
        return {"accuracy": 0.0}
    return {"accuracy": exact_match(answer, instance.answer)}
