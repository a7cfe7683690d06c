"""The limit on what a run may spend."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from react_kit.errors import KitError, Unavailable
from react_kit.models.budget import Budget, price_of
from react_kit.trajectory import Call, Usage

PRICE = (1.0, 10.0)  # dollars per million tokens: a call of 1,000 and 100 tokens costs 0.002


class Metered:
    """Uses 1,000 prompt tokens a call and 100 for each reply, unless told to fail."""

    name, identity = "m", {"endpoint": "test", "model": "m"}

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.fails, self.usage = False, True
        self.gate: threading.Event | None = None

    def sample(self, prompt: object, *, n: int = 1, **settings: Any) -> list[Call]:
        self.asked.append({"prompt": prompt, "n": n, **settings})
        if self.gate:
            self.gate.wait(10)
        if self.fails:
            raise Unavailable("away")
        used = [Usage(1000 if k == 0 else 0, 100) if self.usage else Usage() for k in range(n)]
        return [Call("", "x", usage=usage) for usage in used]


@pytest.fixture
def model() -> Metered:
    return Metered()


def test_what_was_used_is_what_is_counted(model: Metered) -> None:
    budget = Budget(model, 1.0, PRICE)
    budget.sample("x" * 3000, max_tokens=500)
    assert budget.spent == pytest.approx(0.002)
    budget.sample("x" * 3000, n=21, max_tokens=500)
    assert budget.spent == pytest.approx(0.002 + 0.022)


def test_settings_go_through_unchanged(model: Metered) -> None:
    Budget(model, 1.0, PRICE).sample("Q:", n=2, first=3, stop=("\n",), temperature=0.7, max_tokens=9)
    expected = {"n": 2, "first": 3, "stop": ("\n",), "temperature": 0.7, "max_tokens": 9}
    assert model.asked == [{"prompt": "Q:", **expected}]


def test_it_stops_before_the_call_that_could_pass_the_limit(model: Metered) -> None:
    budget = Budget(model, 0.0045, PRICE)  # room for two calls
    budget.sample("x" * 3000, max_tokens=100)
    budget.sample("x" * 3000, max_tokens=100)
    with pytest.raises(KitError) as e:
        budget.sample("x" * 3000, max_tokens=100)
    for part in ("$0.0040", "$0.0060", "$0.0045", "recorded", "max_cost"):
        assert part in str(e.value)
    assert len(model.asked) == 2
    assert budget.spent == pytest.approx(0.004)


@pytest.mark.parametrize("more", [{"n": 3}, {"max_tokens": 300}], ids=["n", "max_tokens"])
def test_the_longest_possible_reply_counts(model: Metered, more: dict[str, int]) -> None:
    with pytest.raises(KitError, match="limit"):
        Budget(model, 0.003, PRICE).sample("x" * 3000, **({"max_tokens": 100} | more))
    assert model.asked == []


def test_messages_are_counted_too(model: Metered) -> None:
    with pytest.raises(KitError, match="limit"):
        Budget(model, 0.001, PRICE).sample([{"role": "user", "content": "x" * 3000}], max_tokens=1)


def test_a_server_that_reports_no_usage_is_counted_at_the_ceiling(model: Metered) -> None:
    model.usage, budget = False, Budget(model, 0.0045, PRICE)  # room for two calls
    for _ in range(2):
        budget.sample("x" * 3000, max_tokens=100)
    assert budget.spent == pytest.approx(0.004)
    with pytest.raises(KitError, match="limit"):
        budget.sample("x" * 3000, max_tokens=100)


def test_a_failed_call_costs_nothing(model: Metered) -> None:
    model.fails, budget = True, Budget(model, 0.003, PRICE)
    for _ in range(3):
        with pytest.raises(Unavailable):
            budget.sample("x" * 3000, max_tokens=100)
    assert budget.spent == 0


def test_threads_cannot_pass_the_limit_together(model: Metered) -> None:
    """All four are in flight at once; the limit has room for two."""
    model.gate, budget, refused = threading.Event(), Budget(model, 0.0045, PRICE), []

    def ask(_: int) -> None:
        try:
            budget.sample("x" * 3000, max_tokens=100)
        except KitError:
            refused.append(1)
        if len(refused) == 2:
            model.gate.set()  # type: ignore[union-attr]

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(ask, range(4)))
    assert (len(model.asked), len(refused)) == (2, 2)


def test_a_price_is_known_or_asked_for() -> None:
    prompt, completion = price_of("gpt-4o-mini")
    assert 0 < prompt < completion
    with pytest.raises(KitError, match=r"'my-model'.*price=\(prompt, completion\).*gpt-4o-mini"):
        price_of("my-model")


@pytest.mark.parametrize(
    ("max_cost", "price"),
    [
        (float("nan"), PRICE),
        (-1.0, PRICE),
        (float("inf"), PRICE),
        (1.0, (-1.0, 1.0)),
        (1.0, (1.0, float("nan"))),
    ],
)
def test_dollars_that_are_none(model: Metered, max_cost: float, price: tuple[float, float]) -> None:
    with pytest.raises(KitError, match="expected dollars, 0 or more"):
        Budget(model, max_cost, price)
