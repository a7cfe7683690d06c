"""Corpora: where the Wikipedia environment finds its pages."""

from react_kit.corpora.memory import MemoryCorpus, read_corpus
from react_kit.corpora.page import Corpus
from react_kit.errors import unknown
from react_kit.resources import share

__all__ = ["Corpus", "MemoryCorpus", "open_wiki"]

# name → vintage of the text
SHIPPED = {"tiny": "2026-11"}


def open_wiki(name: str = "tiny") -> Corpus:
    """The corpus called `name`; `tiny` is the encyclopedia written for this kit."""
    if name not in SHIPPED:
        raise unknown("corpus", name, SHIPPED)
    return _shipped(name)


def _shipped(name: str) -> MemoryCorpus:
    if name not in _opened:
        _opened[name] = read_corpus(share("data", name, "articles.jsonl"), name, SHIPPED[name])
    return _opened[name]


_opened: dict[str, MemoryCorpus] = {}
