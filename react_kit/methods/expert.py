"""The fable's scripted expert as a method: an upper bound to compare with, and a writer of correct trajectories."""

import random
from collections.abc import Iterator
from typing import Any

from react_kit.errors import KitError
from react_kit.methods.base import Context, observed
from react_kit.trajectory import Action, Step
from react_kit.worlds.fable import Fable
from react_kit.worlds.fable.expert import expert


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
            raw = f"{move.action.capitalize()}[{move.argument}]"
            name = {"search": "entity", "lookup": "string", "finish": "answer"}[move.action]
            step, over = ctx.act(steps, move.thought, Action(move.action, {name: move.argument}, raw), (), ())
            steps.append(step)
            yield step
            if over:
                return
            move = moves.send(observed(step.observation))
