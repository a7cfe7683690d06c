"""An invented world that no model can have read about: a seeded encyclopedia with questions and claims.

What a model answers from memory is made up, what it answers rightly it has found. Dev and train worlds are named
from two halves of the language that share no word, so that they share no entity. The neighbour to compare with is
PhantomWiki (Gong et al., 2025); here articles are prose with several phrasings a fact, and the format is HotpotQA's
and FEVER's.
"""

import random
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from react_kit.worlds.fable.articles import Article, write
from react_kit.worlds.fable.names import Half
from react_kit.worlds.fable.questions import Asked, claims, questions
from react_kit.worlds.fable.world import LARGEST, SMALLEST, Thing, people_the_world

__all__ = ["Fable", "fable", "standard"]

STANDARD_SIZE = 1000

_ESCAPES = {"(": "-LRB-", ")": "-RRB-", " ": "_"}  # FEVER's way to write a title


@dataclass(frozen=True)
class Fable:
    """Rows as in the files of data/tiny: `articles` (with disambiguation titles), `hotpotqa` and `fever`."""

    articles: list[dict[str, Any]]
    hotpotqa: list[dict[str, Any]]
    fever: list[dict[str, Any]]


def fable(
    seed: int = 0, size: int = 1000, half: Half = "dev", questions_: int = 200, claims_: int = 150
) -> Fable:
    """The same seed gives the same world. `size`: articles, beside disambiguation titles. Raises `ValueError`."""
    if not SMALLEST <= size <= LARGEST:
        raise ValueError(f"size is {size}; expected {SMALLEST} to {LARGEST} articles")
    if half not in ("dev", "train"):
        raise ValueError(f"half is {half!r}; expected 'dev' or 'train'")
    for what, count in (("questions", questions_), ("claims", claims_)):
        if not 0 <= count <= 2 * size:
            raise ValueError(f"{what} is {count}; expected 0 to {2 * size}, two for each article")
    draw = random.Random(f"{half} {seed}")
    articles = [write(draw, thing) for thing in people_the_world(draw, size, half)]
    by_title = {a.thing.title: a for a in articles}
    asked = list(islice(questions(draw, articles), questions_))
    said = list(islice(claims(draw, articles), claims_))
    return Fable(
        [*(_article(a, half) for a in articles), *_disambiguations(articles, half)],
        [_question(q, f"fable-{half}-{seed}-{k}", by_title) for k, q in enumerate(asked)],
        [_claim(c, k) for k, c in enumerate(said)],
    )


@lru_cache(maxsize=2)
def standard(half: Half = "dev") -> Fable:
    """The world that everybody can compare on: seed 0, 1,000 articles, 400 questions, 300 claims."""
    return fable(0, STANDARD_SIZE, half, 400, 300)


def _article(article: Article, half: Half) -> dict[str, Any]:
    thing = article.thing
    return {
        "title": thing.title,
        "split": half,
        "sentences": article.sentences,
        "aliases": list(thing.aliases),
        "links": [[name, o.title] for name in article.place if isinstance(o := thing.facts[name], Thing)],
    }


def _disambiguations(articles: list[Article], half: Half) -> list[dict[str, Any]]:
    """One title for every name that several people bear."""
    shared: dict[str, list[str]] = {}
    for thing in (a.thing for a in articles if a.thing.title != a.thing.name):
        shared.setdefault(thing.name, []).append(thing.title)
    return [{"title": name, "split": half, "meanings": titles} for name, titles in shared.items()]


def _question(asked: Asked, id: str, by_title: dict[str, Article]) -> dict[str, Any]:
    return {
        "_id": id,
        "question": asked.text,
        "answer": asked.answer,
        "type": "bridge" if asked.kind == "bridge" else "comparison",
        "level": f"{asked.hops}-hop" if asked.kind == "bridge" else asked.kind,
        "supporting_facts": [[f.title, f.number] for f in asked.facts],
        "context": [[t, by_title[t].sentences] for t in dict.fromkeys(f.title for f in asked.facts)],
        "chain": [[f.title, f.relation, f.object] for f in asked.facts],
    }


def _claim(asked: Asked, id: int) -> dict[str, Any]:
    evidence = [[None, None, _page(f.title), f.number] for f in asked.facts]
    return {
        "id": id,
        "verifiable": "VERIFIABLE" if evidence else "NOT VERIFIABLE",
        "label": asked.answer,
        "claim": asked.text,
        "evidence": [evidence] if evidence else [],
        "chain": [[f.title, f.relation, f.object] for f in asked.facts],
        "about": asked.about,
    }


def _page(title: str) -> str:
    for character, escape in _ESCAPES.items():
        title = title.replace(character, escape)
    return title
