"""A limit in US dollars on what a run may spend; it stops before the call that would pass it."""

import math
import threading
from typing import Any

import msgspec

from react_kit.errors import KitError
from react_kit.models.base import Messages, Model
from react_kit.resources import share
from react_kit.trajectory import Call

CHARACTERS_PER_TOKEN = 3  # on the safe side for English, about 4


class Budget:
    """`price`: dollars per million prompt tokens and per million completion tokens."""

    def __init__(self, model: Model, max_cost: float, price: tuple[float, float]) -> None:
        for what, dollars in [("max_cost", max_cost), ("price", price[0]), ("price", price[1])]:
            if not 0 <= dollars < math.inf:  # false for NaN too
                raise KitError(f"{what} is {dollars}; expected dollars, 0 or more.")
        self.name, self.identity, self.model = model.name, model.identity, model
        self.max_cost, self.price, self.spent = max_cost, price, 0.0
        self._lock = threading.Lock()

    def sample(
        self, prompt: str | Messages, *, n: int = 1, max_tokens: int = 100, **settings: Any
    ) -> list[Call]:
        text = prompt if isinstance(prompt, str) else "".join(m["content"] for m in prompt)
        ceiling = self._dollars(len(text) / CHARACTERS_PER_TOKEN, n * max_tokens)
        # The ceiling is held while the call is in flight, so that threads cannot pass it together.
        with self._lock:
            if self.spent + ceiling > self.max_cost:
                raise KitError(
                    f"the next call could bring the cost from ${self.spent:.4f} to ${self.spent + ceiling:.4f}, over "
                    f"the limit of ${self.max_cost:g}. Everything so far is recorded; resume with a higher max_cost."
                )
            self.spent += ceiling
        paid = 0.0
        try:
            calls = self.model.sample(prompt, n=n, max_tokens=max_tokens, **settings)
            paid = self._dollars(sum(c.usage.prompt for c in calls), sum(c.usage.completion for c in calls))
            if calls and not any(c.usage.prompt or c.usage.completion for c in calls):
                paid = ceiling  # the server reports no usage: without this the limit would never be reached
        finally:
            with self._lock:
                self.spent += paid - ceiling
        return calls

    def _dollars(self, prompt_tokens: float, completion_tokens: float) -> float:
        return (prompt_tokens * self.price[0] + completion_tokens * self.price[1]) / 1e6


def price_of(model: str) -> tuple[float, float]:
    """Dollars per million tokens (prompt, completion) from data/prices.json."""
    table = msgspec.json.decode(share("data", "prices.json").read_bytes())
    if model not in table["usd_per_million_tokens"]:
        raise KitError(
            f"no price is known for {model!r}, so its cost cannot be limited; give price=(prompt, completion) in "
            f"dollars per million tokens. Known: {', '.join(table['usd_per_million_tokens'])}."
        )
    prompt, completion = table["usd_per_million_tokens"][model]
    return prompt, completion
