"""A corpus held in memory, read from a JSON-lines file such as data/tiny/articles.jsonl."""

import hashlib
from collections import Counter
from pathlib import Path

import msgspec
from msgspec import Struct

from react_kit.corpora.page import Disambiguation, Page
from react_kit.corpora.titles import base, fold, most_similar
from react_kit.errors import KitError
from react_kit.resources import file_bytes, json_lines


class Article(Struct, frozen=True):
    """A line of the file: an article with its sentences, or a disambiguation title with its meanings.

    `links`: (relation, title) of the articles that it speaks of, such as ("director", "Orson Welles").
    """

    title: str
    split: str = "dev"
    sentences: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    meanings: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()


class MemoryCorpus:
    """Articles by folded title and alias. Read-only, so safe to share between threads."""

    def __init__(self, articles: list[Article], name: str, vintage: str, sha256: str = "") -> None:
        self.name, self.vintage, self.sha256 = name, vintage, sha256
        self.articles = {a.title: a for a in articles}
        self._by_key: dict[str, str] = {}
        for a in articles:
            for alias in a.aliases:
                self._by_key.setdefault(fold(alias), a.title)
        self._by_key |= {fold(a.title): a.title for a in articles}  # a title beats another's alias
        # For likeness a title also counts without its parenthetical.
        keys = dict.fromkeys([*self._by_key.items(), *((fold(base(a.title)), a.title) for a in articles)])
        self._keys, self._titles = [k for k, _ in keys], [t for _, t in keys]

    def __repr__(self) -> str:
        return f"<Corpus {self.name}: {len(self.articles)} articles>"

    def lookup_title(self, title: str) -> Page | Disambiguation | None:
        found = self._by_key.get(fold(title))
        if found is None:
            return None
        article = self.articles[found]
        if article.meanings:
            return Disambiguation(article.title, article.meanings)
        return Page(article.title, article.sentences)

    def similar(self, title: str, k: int = 5) -> list[str]:
        return most_similar(fold(title), self._keys, self._titles, k)


def _checked(article: Article, number: int) -> Article:
    if not fold(article.title) or not (article.sentences or article.meanings):
        raise msgspec.ValidationError("it lacks `title`, or both `sentences` and `meanings`")
    return article


def read_corpus(path: Path, name: str, vintage: str) -> MemoryCorpus:
    """The corpus in a JSON-lines file; a broken line is a `KitError` that names it."""
    shape = "an article (title and sentences, or title and meanings)"
    articles = json_lines(path, Article, _checked, shape)
    if not articles:
        raise KitError(f"{path} holds no articles; expected at least one, as JSON lines.")
    titles = Counter(fold(a.title) for a in articles)
    if twice := [a.title for a in articles if titles[fold(a.title)] > 1]:
        raise KitError(f"{path} has the title {twice[0]!r} {len(twice)} times; expected every title once.")
    return MemoryCorpus(articles, name, vintage, hashlib.sha256(file_bytes(path)).hexdigest())
