"""CoT-SC and the two hybrids (section 3.2): chosen from recorded episodes, with no further model call.

A pool is the CoT trajectories of one instance at temperature 0.7, samples 0, 1, 2, ... in order.
"""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from react_kit.answers import normalize_answer
from react_kit.errors import KitError
from react_kit.fidelity import Fidelity
from react_kit.trajectory import Trajectory

Recorded = Mapping[str, Sequence[Trajectory]]  # "cot": the pool, "react": the one greedy episode


class Choice(Struct, frozen=True):
    """The pooled answer, the trajectories that gave it, and how it was come by.

    `rule`: majority, react, or back-off:<the method fallen back on>. `votes` of `n` samples went to the majority;
    `unparsable` of them held no answer: they count in `n` but vote for nothing.
    """

    answer: str | None
    sources: tuple[str, ...]
    rule: str
    n: int
    votes: int = 0
    unparsable: int = 0

    def score(self, recorded: Recorded, metric: str) -> float:
        """The score of the answer: that of any trajectory that gave it (scores depend on the normalised answer)."""
        for t in (t for pool in recorded.values() for t in pool):
            if t.id in self.sources:
                return t.score[metric]
        return 0.0


class Pooled(Struct, frozen=True):
    """A method computed from other methods' trajectories; `needs` names them."""

    needs: tuple[str, ...]
    choose: Callable[[Recorded, int, Fidelity], Choice]

    def __call__(self, recorded: Recorded, n: int, fidelity: Fidelity) -> Choice:
        if missing := [name for name in self.needs if not recorded.get(name)]:
            raise KitError(
                f"a pooled method needs trajectories of {', '.join(missing)} for this instance; run them first."
            )
        return self.choose(recorded, n, fidelity)


def tally(pool: Sequence[Trajectory]) -> dict[str, list[Trajectory]]:
    """Trajectories by normalised answer, in order of first appearance; those without an answer are left out."""
    groups: dict[str, list[Trajectory]] = {}
    for t in pool:
        if t.answer is not None:
            groups.setdefault(normalize_answer(t.answer), []).append(t)
    return groups


def backs_off(votes: int, n: int, fidelity: Fidelity) -> bool:
    """Is the majority too thin: fewer than n/2 votes (paper), or no more than n/2 (author's later answer)?"""
    return 2 * votes < n or (2 * votes == n and fidelity.tie == "back-off")


def decided(pool: Sequence[Trajectory], n: int, fidelity: Fidelity) -> bool:
    """Can none of the samples still missing change the majority or the n/2 decision?"""
    left = n - len(pool)
    if left <= 0:
        return True
    sizes = [len(g) for g in tally(pool).values()]  # in order of first appearance
    first = max(sizes, default=0)
    lead = sizes.index(first) if sizes else 0
    # A rival that draws level wins only if it appeared before the leader; a new answer appears after it.
    majority_safe = left <= first and all(
        at == lead or size + left < first + (at > lead) for at, size in enumerate(sizes)
    )
    return majority_safe and backs_off(first, n, fidelity) == backs_off(first + left, n, fidelity)


def cot_sc(recorded: Recorded, n: int, fidelity: Fidelity) -> Choice:
    """The majority answer of n sampled chains of thought; ties go to the answer seen first."""
    pool = recorded["cot"][:n]
    if len(pool) < n and not decided(pool, n, fidelity):
        raise KitError(
            f"CoT-SC with n={n} needs {n} samples and this instance has {len(pool)}; run with samples={n}."
        )
    groups = tally(pool)
    unparsable = sum(t.answer is None for t in pool)
    if not groups:
        return Choice(None, (), "majority", n, 0, unparsable)
    winner = max(groups.values(), key=len)  # max keeps the first of equals
    return Choice(winner[0].answer, tuple(t.id for t in winner), "majority", n, len(winner), unparsable)


def react_then_cot_sc(recorded: Recorded, n: int, fidelity: Fidelity) -> Choice:
    """ReAct's answer; CoT-SC's when ReAct gave none within its step limit."""
    choice, react = cot_sc(recorded, n, fidelity), recorded["react"][0]
    if react.answer is not None:
        return Choice(react.answer, (react.id,), "react", n, choice.votes, choice.unparsable)
    return Choice(choice.answer, choice.sources, "back-off:cot-sc", n, choice.votes, choice.unparsable)


def cot_sc_then_react(recorded: Recorded, n: int, fidelity: Fidelity) -> Choice:
    """CoT-SC's answer; ReAct's when the majority has fewer than n/2 votes (internal knowledge unsure)."""
    choice, react = cot_sc(recorded, n, fidelity), recorded["react"][0]
    if not backs_off(choice.votes, n, fidelity):
        return choice
    sources = (react.id,) if react.answer is not None else ()
    return Choice(react.answer, sources, "back-off:react", n, choice.votes, choice.unparsable)
