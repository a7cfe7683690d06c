"""Several samples in one request, handed out one by one."""

from typing import Any

import pytest

from react_kit.models.ahead import Ahead
from react_kit.trajectory import Call


class Numbered:
    name, identity = "m", {"endpoint": "test", "model": "m"}

    def __init__(self) -> None:
        self.asked: list[tuple[str, int, int, dict[str, Any]]] = []

    def sample(self, prompt: str, *, n: int = 1, first: int = 0, **settings: Any) -> list[Call]:
        self.asked.append((prompt, first, n, settings))
        return [Call("", f"{prompt}{k}") for k in range(first, first + n)]

    @property
    def requests(self) -> list[tuple[int, int]]:
        return [(first, n) for _, first, n, _ in self.asked]


def one_by_one(ahead: Ahead, numbers: range, prompt: str = "Q") -> list[str]:
    return [ahead.sample(prompt, first=k, temperature=0.7)[0].text for k in numbers]


@pytest.mark.parametrize(
    ("total", "chunk", "requests"),
    [
        (21, 21, [(0, 21)]),
        (21, 7, [(0, 7), (7, 7), (14, 7)]),
        (10, 7, [(0, 7), (7, 3)]),
        (3, 7, [(0, 3)]),
        (2, 1, [(0, 1), (1, 1)]),
    ],
)
def test_samples_come_in_chunks_and_in_order(total: int, chunk: int, requests: list[tuple[int, int]]) -> None:
    model = Numbered()
    assert one_by_one(Ahead(model, total, chunk), range(total)) == [f"Q{k}" for k in range(total)]
    assert model.requests == requests


def test_a_pool_that_is_half_done_asks_only_for_the_rest() -> None:
    model = Numbered()
    one_by_one(Ahead(model, 21, 21), range(16, 21))
    assert model.requests == [(16, 5)]


def test_prompts_are_not_mixed_up() -> None:
    model = Numbered()
    ahead = Ahead(model, 3, 3)
    assert one_by_one(ahead, range(2), "Q") + one_by_one(ahead, range(2), "R") == ["Q0", "Q1", "R0", "R1"]
    assert one_by_one(ahead, range(2, 3), "Q") == ["Q2"]
    assert [(p, first, n) for p, first, n, _ in model.asked] == [("Q", 0, 3), ("R", 0, 3)]


def test_settings_are_not_mixed_up() -> None:
    model = Numbered()
    ahead = Ahead(model, 2, 2)
    for settings in ({"temperature": 0.7}, {"temperature": 0.7, "stop": ("x",)}, {"temperature": 0.7}):
        ahead.sample("Q", **settings)
    assert [s for *_, s in model.asked] == [{"temperature": 0.7}, {"temperature": 0.7, "stop": ("x",)}]


def test_a_sample_beyond_the_total_is_still_given() -> None:
    model = Numbered()
    assert one_by_one(Ahead(model, 3, 3), range(5, 6)) == ["Q5"]
    assert model.requests == [(5, 1)]


def test_settings_and_larger_requests_go_through() -> None:
    model = Numbered()
    ahead = Ahead(model, 5, 5)
    assert [c.text for c in ahead.sample("Q", n=2, first=1, stop=("x",))] == ["Q1", "Q2"]
    assert model.asked == [("Q", 1, 2, {"stop": ("x",)})]
    assert (ahead.name, ahead.identity) == (model.name, model.identity)
