"""Answers without reading: what a benchmark gives away to whoever does not reason. Each is a method like any other.

`Experiment("hotpotqa", methods=[title_overlap, bm25, most_linked], ...)`. They answer questions with a title; a
claim's label and yes or no are beyond them.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from react_kit.corpora import MemoryCorpus
from react_kit.corpora.titles import fold
from react_kit.errors import expect
from react_kit.methods.base import Context
from react_kit.trajectory import Action, Step

K1, B = 1.2, 0.75  # BM25's usual constants
SHOWN = 5  # first sentences, as a search shows them


def title_overlap(ctx: Context) -> Iterator[Step]:
    """The title that shares most words with the question, of those it does not name in full."""
    asked = _words(ctx.instance.question)
    titles = [a for a in _corpus(ctx).articles if fold(a) not in fold(ctx.instance.question)]
    yield _finish(max(titles, key=lambda title: len(_words(title) & asked) / len(_words(title) | asked)))


def bm25(ctx: Context) -> Iterator[Step]:
    """The title of the article whose first five sentences fit the question best, of those it does not name."""
    corpus = _corpus(ctx)
    index, asked = _index(corpus), _words(ctx.instance.question)
    titles = [t for t in index.counts if fold(t) not in fold(ctx.instance.question)]
    yield _finish(max(titles, key=lambda title: index.score(title, asked)))


def most_linked(ctx: Context) -> Iterator[Step]:
    """One answer to everything: the title that most other articles mention."""
    yield _finish(_most_linked(_corpus(ctx)))


class _Index:
    """BM25 over the articles' first sentences."""

    def __init__(self, corpus: MemoryCorpus) -> None:
        texts = {a.title: " ".join(a.sentences[:SHOWN]) for a in corpus.articles.values() if a.sentences}
        self.counts = {title: Counter(re.findall(r"\w+", fold(text))) for title, text in texts.items()}
        self.sizes = {title: sum(c.values()) for title, c in self.counts.items()}
        self.mean = sum(self.sizes.values()) / len(self.sizes)
        self.holding = Counter(word for c in self.counts.values() for word in c)

    def score(self, title: str, asked: set[str]) -> float:
        counts, n = self.counts[title], len(self.counts)
        damping = K1 * (1 - B + B * self.sizes[title] / self.mean)
        return sum(
            math.log(1 + (n - self.holding[w] + 0.5) / (self.holding[w] + 0.5))
            * tf
            * (K1 + 1)
            / (tf + damping)
            for w in asked
            if (tf := counts[w])
        )


@lru_cache(maxsize=4)
def _index(corpus: MemoryCorpus) -> _Index:
    return _Index(corpus)


@lru_cache(maxsize=4)
def _most_linked(corpus: MemoryCorpus) -> str:
    texts = {a.title: fold(" ".join(a.sentences)) for a in corpus.articles.values() if a.sentences}
    words = {title: set(re.findall(r"\w+", text)) for title, text in texts.items()}

    def mentions(title: str) -> int:
        name = fold(title)
        first = re.findall(r"\w+", name)[0]  # looked for first, since whole texts are slow to search
        return sum(first in words[t] and name in texts[t] for t in texts if t != title)

    return max(texts, key=mentions)


def _corpus(ctx: Context) -> MemoryCorpus:
    corpus = getattr(ctx.env, "corpus", None)
    expect("the corpus", corpus, MemoryCorpus, "one that is held in memory: a baseline reads all of it")
    assert isinstance(corpus, MemoryCorpus)
    return corpus


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", fold(text)))


def _finish(title: str) -> Step:
    answer = title.split(" (")[0]
    return Step(None, Action("finish", {"answer": answer}, f"Finish[{answer}]"))
