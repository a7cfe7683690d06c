"""Corpora: where the Wikipedia environment finds its pages."""

import os
from pathlib import Path

from react_kit.corpora.memory import MemoryCorpus, read_corpus
from react_kit.corpora.page import Corpus, identity
from react_kit.errors import KitError, unknown
from react_kit.resources import share

__all__ = ["Corpus", "MemoryCorpus", "identity", "open_wiki"]

# name → vintage of the text
SHIPPED = {"tiny": "2026-11"}


def open_wiki(name: str | os.PathLike[str] = "tiny") -> Corpus:
    """The corpus called `name`; `tiny` is the encyclopedia written for this kit.

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


def _shipped(name: str) -> MemoryCorpus:
    if name not in _opened:
        _opened[name] = read_corpus(share("data", name, "articles.jsonl"), name, SHIPPED[name])
    return _opened[name]


_opened: dict[str, MemoryCorpus] = {}
