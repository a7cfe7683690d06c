"""Answers without reasoning: what a benchmark gives away to whoever does not read. Each is a method like any other.

`Experiment("hotpotqa", methods=["title-overlap", "bm25", "most-linked"], ...)`: these three answer questions only.
`random-title` and `majority` know the labels of claims too.
"""

import math
import random
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from react_kit.corpora import MemoryCorpus
from react_kit.corpora.titles import base, fold
from react_kit.methods.base import Context, whole
from react_kit.trajectory import Action, Step

K1, B = 1.2, 0.75  # BM25's usual constants
SHOWN = 5  # first sentences, as a search shows them
AUXILIARIES = {"is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "can", "could", "will"}
LABELS = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")


def title_overlap(ctx: Context) -> Iterator[Step]:
    """The title that shares most words with the question, of those it does not name in full."""
    asked = _words(ctx.instance.question)
    titles = [a for a in whole(ctx).articles if fold(a) not in fold(ctx.instance.question)]
    yield _finish(max(titles, key=lambda title: len(_words(title) & asked) / len(_words(title) | asked)))


def bm25(ctx: Context) -> Iterator[Step]:
    """What the article whose first five sentences fit the question best offers to the question's first words.

    Yes to a yes/no question, the first of two things to compare, a year or number of the sentence that fits best,
    else the title, of those that the question does not name.
    """
    question = ctx.instance.question
    index, asked = _index(whole(ctx)), _words(question)
    named = [t for t in index.counts if fold(base(t)) in fold(question)]
    if question.split()[0].lower() in AUXILIARIES:
        answer = "yes"
    elif either := re.search(r"([^,?]+?) or [^,?]+\?$", question):
        answer = next((t for t in named if t in either[1]), either[1].strip())
    elif number := re.search(r"\b(year|when|how \w+)\b", question.lower()):
        pattern = r"\b\d{3,4}\b" if number[1] in ("year", "when") else r"\b\d[\d,.]*\b"
        ranked = sorted(index.counts, key=lambda t: index.score(t, asked), reverse=True)
        sentences = [s for t in ranked[:2] for s in index.shown[t] if re.search(pattern, s)]
        best = max(sentences, key=lambda s: len(_words(s) & asked), default="")
        answer = found[0] if (found := re.search(pattern, best)) else ""
    else:
        answer = max((t for t in index.counts if t not in named), key=lambda t: index.score(t, asked))
    yield _finish(answer)


def most_linked(ctx: Context) -> Iterator[Step]:
    """One answer to everything: the title that most other articles mention."""
    yield _finish(_most_linked(whole(ctx)))


def random_title(ctx: Context) -> Iterator[Step]:
    """A title by chance, or a label by chance for a claim."""
    draw = random.Random(ctx.instance.id)
    claim = ctx.prompts.label == "Claim"
    yield _finish(draw.choice(LABELS if claim else list(whole(ctx).articles)))


def majority(ctx: Context) -> Iterator[Step]:
    """The most common answer of HotpotQA's training set, or label of FEVER's (80,035 of 145,449 claims)."""
    yield _finish("SUPPORTS" if ctx.prompts.label == "Claim" else "yes")


class _Index:
    """BM25 over the articles' first sentences."""

    def __init__(self, corpus: MemoryCorpus) -> None:
        self.shown = {a.title: a.sentences[:SHOWN] for a in corpus.articles.values() if a.sentences}
        self.counts = {t: Counter(re.findall(r"\w+", fold(" ".join(s)))) for t, s in self.shown.items()}
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


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", fold(text)))


def _finish(title: str) -> Step:
    answer = base(title)
    return Step(None, Action("finish", {"answer": answer}, f"Finish[{answer}]"))
