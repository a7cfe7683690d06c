"""A corpus in memory: from a file, by title, alias or meaning, and read-only."""

import hashlib
from pathlib import Path

import pytest

from react_kit.corpora import MemoryCorpus, open_wiki
from react_kit.corpora.memory import Article, read_corpus
from react_kit.corpora.page import Disambiguation, Page
from react_kit.errors import KitError

LINES = (
    b'{"title": "Zo\xc3\xab (moon)", "sentences": ["One.", "Two."], "aliases": ["Z 1", "Moon Z"]}\n'
    b'{"title": "Zo\xc3\xab", "meanings": ["Zo\xc3\xab (moon)", "Zo\xc3\xab Smith"]}\n'
    b'{"title": "Zo\xc3\xab Smith", "split": "train", "sentences": ["Smith."]}'
)


@pytest.fixture
def corpus(tmp_path: Path) -> MemoryCorpus:
    (tmp_path / "articles.jsonl").write_bytes(LINES)
    return read_corpus(tmp_path / "articles.jsonl", "zoe", "2026-01")


def test_a_file_is_read_whole_and_named_with_its_checksum(corpus: MemoryCorpus) -> None:
    assert (corpus.name, corpus.vintage) == ("zoe", "2026-01")
    assert corpus.sha256 == hashlib.sha256(LINES).hexdigest()
    assert list(corpus.articles) == ["Zoë (moon)", "Zoë", "Zoë Smith"]
    assert corpus.articles["Zoë Smith"].split == "train"


@pytest.mark.parametrize("asked", ["Zoë (moon)", "zoe (MOON)", "z 1", " Moon  Z "])
def test_an_article_is_found_by_title_and_alias(corpus: MemoryCorpus, asked: str) -> None:
    assert corpus.lookup_title(asked) == Page("Zoë (moon)", ("One.", "Two."))


def test_a_title_of_several_articles_says_which(corpus: MemoryCorpus) -> None:
    assert corpus.lookup_title("zoe") == Disambiguation("Zoë", ("Zoë (moon)", "Zoë Smith"))


def test_half_a_title_finds_no_page_only_similar_ones(corpus: MemoryCorpus) -> None:
    for asked in ("moon", "Smith", "", "Zoë (planet)"):
        assert corpus.lookup_title(asked) is None
    assert corpus.similar("smith")[0] == "Zoë Smith"
    assert len(corpus.similar("zoe", k=2)) == 2
    # An alias leads to its article's title, and each title is listed once.
    assert sorted(corpus.similar("moon z")) == ["Zoë", "Zoë (moon)", "Zoë Smith"]
    assert corpus.similar("moon z")[0] == "Zoë (moon)"


def test_an_empty_corpus_has_nothing_similar() -> None:
    assert MemoryCorpus([], "none", "").similar("x") == []


@pytest.mark.parametrize("line", [b"{", b"[]", b'{"sentences": ["x."]}', b'{"title": 1}', b"\xff"])
def test_a_broken_line_is_named_by_its_number(tmp_path: Path, line: bytes) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"title": "A", "sentences": ["A."]}\n' + line + b"\n")
    with pytest.raises(KitError, match=r"a\.jsonl line 2 is not an article"):
        read_corpus(tmp_path / "a.jsonl", "x", "")


def test_an_article_cannot_be_changed_and_the_shipped_one_is_read_once() -> None:
    wiki = open_wiki("tiny")
    assert wiki is open_wiki("tiny")
    assert isinstance(wiki, MemoryCorpus)
    with pytest.raises(AttributeError):
        Article("A").title = "B"  # type: ignore[misc]


def test_articles_of_ones_own_by_path(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text('{"title": "Alpha", "sentences": ["Alpha is a letter."]}\n')
    found = open_wiki(str(file))
    assert found.name == "mine"
    assert found.lookup_title("alpha") == Page("Alpha", ("Alpha is a letter.",))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "holds no articles"),
        ('{"title": "X", "text": "One."}', "line 1 is not an article"),
        ('{"title": " ", "sentences": ["One."]}', "line 1 is not an article"),
        ('{"title": "Ada", "sentences": ["A."]}\n{"title": "ada", "sentences": ["B."]}', "'Ada' 2 times"),
    ],
)
def test_a_file_that_would_mislead_is_refused(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "x.jsonl").write_text(text)
    with pytest.raises(KitError, match=says):
        open_wiki(str(tmp_path / "x.jsonl"))
