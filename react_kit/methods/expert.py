"""The fable's scripted expert as a method: an upper bound to compare with, and a writer of correct trajectories."""

import random
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import msgspec

from react_kit.corpora.memory import Article, MemoryCorpus
from react_kit.envs.wikipedia import WikipediaEnv
from react_kit.errors import KitError
from react_kit.methods.base import Context, observed
from react_kit.prompts import Exemplar, ExemplarFile, ExemplarStep
from react_kit.trajectory import Action, Step
from react_kit.worlds.fable import Fable
from react_kit.worlds.fable.expert import Move, expert

SPARE, LONGEST = 3, 11  # exemplars beyond those of the prompts; steps


class Expert:
    """A method over one world's questions and claims. `slips`: the share of episodes with dead ends and recoveries."""

    def __init__(self, world: Fable, slips: float = 0.0, seed: int = 0) -> None:
        rows: list[dict[str, Any]] = [*world.hotpotqa, *world.fever]
        self._rows = {row.get("question") or row["claim"]: row for row in rows}
        self.slips, self.seed = slips, seed
        self.__name__ = "expert_with_slips" if slips else "expert"

    def __call__(self, ctx: Context) -> Iterator[Step]:
        row = self._rows.get(ctx.instance.question)
        if row is None:
            raise KitError(
                f"the expert's world does not hold {ctx.instance.question[:80]!r}; make it from the split's."
            )
        draw = random.Random(f"{self.seed} {ctx.instance.id}")
        moves = expert(row, ctx.limit, draw if draw.random() < self.slips else None)
        steps: list[Step] = []
        move = next(moves)
        while True:
            step, over = ctx.act(steps, move.thought, _action(move), (), ())
            steps.append(step)
            yield step
            if over:
                return
            move = moves.send(observed(step.observation))


def write_exemplars(world: Fable, file: ExemplarFile, seed: int = 0) -> ExemplarFile:
    """`file` with exemplars that the expert writes in `world`, as many as before, and three spare ones.

    They take turns: questions of one hop, of two, comparisons, yes or no; claims of each label.
    """
    claims = file.label == "Claim"
    rows = world.fever if claims else [r for r in world.hotpotqa if r["level"] not in ("3-hop", "4-hop")]
    draw, groups = random.Random(seed), dict[str, list[dict[str, Any]]]()
    for row in draw.sample(rows, len(rows)):
        groups.setdefault(row["label" if claims else "level"], []).append(row)
    turns = [row for some in zip_longest(*groups.values()) for row in some if row]
    corpus = MemoryCorpus(msgspec.convert(world.articles, list[Article]), "exemplars", "")
    n = len(file.exemplars)
    made = [_exemplar(row, corpus) for row in turns[: n + SPARE]]
    split = world.articles[0]["split"]
    return ExemplarFile(
        f"{file.label.lower()}s-fable-{split}-{seed}",
        file.label,
        file.instructions,
        tuple(made[:n]),
        tuple(made[n:]),
    )


def _exemplar(row: dict[str, Any], corpus: MemoryCorpus) -> Exemplar:
    env, moves, steps = WikipediaEnv(corpus), expert(row, LONGEST), list[ExemplarStep]()
    move: Move | None = next(moves)
    while move:
        action = _action(move)
        outcome = env.step(action)
        text = None if outcome.done else outcome.observation.text
        steps.append(ExemplarStep(move.thought, action.raw, text, move.role))
        move = None if outcome.done else moves.send(outcome.observation.text)
    return Exemplar(row.get("question") or row["claim"], row.get("answer") or row["label"], tuple(steps))


def _action(move: Move) -> Action:
    name = {"search": "entity", "lookup": "string", "finish": "answer"}[move.action]
    return Action(move.action, {name: move.argument}, f"{move.action.capitalize()}[{move.argument}]")
