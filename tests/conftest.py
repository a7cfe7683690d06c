"""Shared by all tests: a small world, a scripted model, and the rule that CI skips nothing by accident."""

import os
from collections.abc import Callable, Iterable

import pytest

from react_kit.corpora import MemoryCorpus
from react_kit.corpora.memory import Article
from react_kit.trajectory import Call, Usage

ALLOWED_SKIPS = ("needs ../shared/data",)  # public files that are not part of this repository


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: "pytest.CallInfo[None]"):  # type: ignore[no-untyped-def]
    """In CI a skipped test is a failed one: a missing install step must not go unseen."""
    report = yield
    if os.environ.get("CI") and report.skipped and not hasattr(report, "wasxfail"):
        reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
        if not reason.removeprefix("Skipped: ").startswith(ALLOWED_SKIPS):
            report.outcome, report.longrepr = "failed", f"skipped in CI: {reason}"
    return report


class ScriptedModel:
    """Answers with the given replies in order (then with nothing), and keeps what it was asked."""

    def __init__(self, *replies: str, name: str = "scripted") -> None:
        self.name, self.identity = name, {"endpoint": "test", "model": name}
        self.left = list(replies)
        self.asked: list[tuple[str, dict[str, object]]] = []

    def sample(self, prompt: str, *, n: int = 1, first: int = 0, **settings: object) -> list[Call]:
        self.asked.append((prompt, {"n": n, "first": first, **settings}))
        texts = [self.left.pop(0) if self.left else "" for _ in range(n)]
        return [Call(f"k{len(self.asked)}-{first + i}", t, usage=Usage(10, 2)) for i, t in enumerate(texts)]

    @property
    def prompts(self) -> list[str]:
        return [prompt for prompt, _ in self.asked]


@pytest.fixture
def scripted() -> type[ScriptedModel]:
    return ScriptedModel


@pytest.fixture
def corpus_of() -> Callable[[Iterable[Article]], MemoryCorpus]:
    return lambda articles: MemoryCorpus(list(articles), "test", "2026")


GREEK = Article("Greek letters", sentences=("Alpha is first.", "Beta is second.", "beta is third."))


@pytest.fixture
def greek(corpus_of: Callable[[Iterable[Article]], MemoryCorpus]) -> MemoryCorpus:
    """The page of the golden test, a longer page, a disambiguation title."""
    longer = Article(
        "Numbers", sentences=tuple(f"Number {i} is a number." for i in range(1, 9)), aliases=("Digits",)
    )
    return corpus_of([GREEK, longer, Article("Letters", meanings=("Greek letters", "Numbers"))])
