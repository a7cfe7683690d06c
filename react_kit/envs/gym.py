"""The one Gymnasium adapter: any environment of this kit as a `gymnasium.Env` with text in and text out.

An action is text such as `search[Danube]`; text that is no action gets an observation that says so.
"""

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium

from react_kit.envs.base import Env
from react_kit.parsing import parse_action
from react_kit.trajectory import Action, Instance


class AnyText(gymnasium.Space[str]):
    """Every string. (`gymnasium.spaces.Text` needs a finite alphabet and a longest length.)"""

    def __init__(self, examples: Sequence[str] = ("",)) -> None:
        super().__init__(None, str)
        self.examples = tuple(examples)

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """One of `examples`: random letters would tell nobody anything."""
        return self.examples[int(self.np_random.integers(len(self.examples)))]

    def contains(self, x: Any) -> bool:
        return isinstance(x, str)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AnyText) and other.examples == self.examples


class GymEnv(gymnasium.Env[str, str]):
    """`reset(seed=...)` draws one of `instances`, `reset(options={"index": i})` takes that one.

    `info` holds the instance's id, and after a step the outcome's code and notes. `limit`: steps before the
    episode is truncated.
    """

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012 - Gymnasium wants a plain dict here

    def __init__(
        self,
        env: Env,
        instances: Sequence[Instance],
        limit: int | None = None,
        parse: Callable[[str], Action | None] = lambda text: parse_action(text).action,
        render_mode: str | None = None,
    ) -> None:
        self.env, self.instances, self.limit, self.parse = env, instances, limit, parse
        self.render_mode = render_mode
        self.action_space = AnyText(("search[Danube]", "lookup[river]", "think[so far]", "finish[yes]"))
        self.observation_space = AnyText()
        self._taken, self._shown = 0, ""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        super().reset(seed=seed)
        chosen = (options or {}).get("index")
        at = int(self.np_random.integers(len(self.instances))) if chosen is None else chosen
        instance = self.instances[at]
        self._taken, self._shown = 0, self.env.reset(instance, seed or 0).text
        return self._shown, {"instance": instance.id}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        outcome = self.env.step(self.parse(action) or Action("", {}, action.strip()))
        self._taken += 1
        self._shown = outcome.observation.text
        truncated = self.limit is not None and self._taken >= self.limit and not outcome.done
        info = {"code": outcome.code, "notes": outcome.notes, "retry": outcome.retry}
        return self._shown, outcome.reward, outcome.done, truncated, info

    def render(self) -> str | None:
        """The last observation, in render mode `ansi`."""
        return self._shown if self.render_mode == "ansi" else None
