"""What every environment is: reset, step, and an outcome that names what happened."""

from typing import Literal, Protocol

from msgspec import Struct

from react_kit.trajectory import Action, Instance, Observation

# ok: done as asked; miss: nothing found; invalid: no such action; refused: not now (e.g. lookup without a page);
# unavailable: infrastructure failed, which ends the episode without blaming the model.
Code = Literal["ok", "miss", "invalid", "refused", "unavailable"]


class Outcome(Struct, frozen=True):
    """The result of one action. `retry`: the same action may succeed later. `notes` go into the step."""

    observation: Observation
    reward: float = 0.0
    done: bool = False
    code: Code = "ok"
    retry: bool = False
    notes: tuple[str, ...] = ()


class Env(Protocol):
    """`replay`: may recorded actions be executed again (`rerun`), or have they effects outside (`never`)?"""

    replay: Literal["rerun", "never"]

    def reset(self, instance: Instance, seed: int = 0) -> Observation: ...
    def step(self, action: Action) -> Outcome: ...
