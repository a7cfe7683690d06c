"""Corpora: where the Wikipedia environment finds its pages."""

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from react_kit.corpora.memory import Article, MemoryCorpus, read_corpus
from react_kit.corpora.page import Corpus, identity
from react_kit.errors import KitError, unknown
from react_kit.resources import share
from react_kit.trajectory import digest
from react_kit.worlds.fable import standard

__all__ = ["Corpus", "MemoryCorpus", "identity", "open_wiki", "recorded"]

# name → vintage of the text
SHIPPED = {"tiny": "2026-11", "fable": "2026-12", "fable-train": "2026-12"}


def open_wiki(name: str | os.PathLike[str] = "tiny") -> Corpus:
    """The corpus called `name`; `tiny` is the encyclopedia written for this kit, `fable` an invented world.

    Or articles of your own: the path of a `.jsonl` file with a title and sentences a line, like data/tiny's.
    """
    if str(name).endswith(".jsonl"):
        file = Path(name)
        if not file.is_file():
            raise KitError(
                f"no file at {str(name)!r}; expected articles, one JSON object a line. Check the path."
            )
        return read_corpus(file, file.stem, "")
    if name not in SHIPPED:
        raise unknown("corpus", name, SHIPPED, "Or pass the path of a .jsonl file of articles.")
    return _shipped(str(name))


def recorded(identity: Mapping[str, str]) -> Corpus:
    """The corpus that a record names, where the kit can open it."""
    name = identity.get("name", "tiny")
    try:
        return open_wiki(name)
    except KitError as e:
        raise KitError(f"the trajectory was recorded over the corpus {name!r}; pass it as corpus=.") from e


def _shipped(name: str) -> MemoryCorpus:
    if name not in _opened:
        if name.startswith("fable"):
            _opened[name] = _fable(name)
        else:
            _opened[name] = read_corpus(share("data", name, "articles.jsonl"), name, SHIPPED[name])
    return _opened[name]


def _fable(name: str) -> MemoryCorpus:
    rows = standard("train" if name == "fable-train" else "dev").articles
    return MemoryCorpus([msgspec.convert(row, Article) for row in rows], name, SHIPPED[name], digest(rows))


_opened: dict[str, MemoryCorpus] = {}
