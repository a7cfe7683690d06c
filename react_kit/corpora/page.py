"""The small interface every corpus offers, so that the environment means the same over each of them."""

from typing import Protocol, runtime_checkable

from msgspec import Struct


class Page(Struct, frozen=True):
    """An article as sentences; sentence ids are the positions, from 0."""

    title: str
    sentences: tuple[str, ...]


class Disambiguation(Struct, frozen=True):
    """A title that stands for several articles."""

    title: str
    meanings: tuple[str, ...]


@runtime_checkable
class Corpus(Protocol):
    """`name` and `vintage` go into the record of every trajectory, `sha256` too where the text is at hand."""

    name: str
    vintage: str
    sha256: str

    def lookup_title(self, title: str) -> Page | Disambiguation | None:
        """The page of that title or redirect, without regard to case, accents and spacing; None if none."""
        ...

    def similar(self, title: str, k: int = 5) -> list[str]:
        """Up to `k` titles that resemble `title`, best first."""
        ...


def identity(corpus: Corpus) -> dict[str, str]:
    """What records say of a corpus."""
    return {"name": corpus.name, "vintage": corpus.vintage, "sha256": corpus.sha256}
