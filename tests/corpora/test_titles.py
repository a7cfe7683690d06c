"""Finding titles: redirects, and similar titles for what a model is likely to get wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_kit.corpora import MemoryCorpus, open_wiki
from react_kit.corpora.memory import Article
from react_kit.corpora.titles import base, fold
from react_kit.errors import KitError

TITLES = (
    "Danube", "Mercury (planet)", "Mercury (element)", "Ludwig van Beethoven", "The Magic Flute", "São Paulo",
    "Łódź", "Statue of Liberty", "Jean-François Champollion", "Gustave Eiffel", "Eiffel Tower", "Citizen Kane",
    "L. L. Zamenhof", "Wolfgang Amadeus Mozart", "Sherlock Holmes", "Arthur Conan Doyle", "Mount Etna",
    "Juan Sebastian Elcano", "Sicily", "Budapest", "Uranus", "William Herschel", "Caroline Herschel",
)  # fmt: skip


@pytest.fixture(scope="module")
def corpus() -> MemoryCorpus:
    return MemoryCorpus([Article(t, sentences=(f"{t} is a title.",)) for t in TITLES], "titles", "2026")


@pytest.mark.parametrize(
    "asked", ["danube", "DANUBE", " Danube ", "Sao Paulo", "são paulo", "Lodz", "mount  etna"]
)
def test_case_accents_and_spaces_do_not_matter(corpus: MemoryCorpus, asked: str) -> None:
    assert corpus.lookup_title(asked) is not None


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ("Danub", "Danube"),
        ("Denube", "Danube"),
        ("Beethoven", "Ludwig van Beethoven"),
        ("Ludwig Beethoven", "Ludwig van Beethoven"),
        ("Magic Flute", "The Magic Flute"),
        ("Conan Doyle Arthur", "Arthur Conan Doyle"),
        ("Sir Arthur Conan Doyle", "Arthur Conan Doyle"),
        ("Champollion", "Jean-François Champollion"),
        ("Jean Francois Champolion", "Jean-François Champollion"),
        ("Mozart", "Wolfgang Amadeus Mozart"),
        ("Liberty Statue", "Statue of Liberty"),
        ("Tower Eiffel", "Eiffel Tower"),
        ("Zamenhof", "L. L. Zamenhof"),
        ("Citizen Kane (film)", "Citizen Kane"),
        ("Budapest, Hungary", "Budapest"),
        ("Sherlock Holms", "Sherlock Holmes"),
    ],
)
def test_the_title_that_was_meant_comes_first(corpus: MemoryCorpus, asked: str, wanted: str) -> None:
    assert corpus.similar(asked)[0] == wanted


def test_both_meanings_and_both_siblings_are_offered(corpus: MemoryCorpus) -> None:
    assert set(corpus.similar("Mercury")[:2]) == {"Mercury (planet)", "Mercury (element)"}
    assert set(corpus.similar("Herschel")[:2]) == {"William Herschel", "Caroline Herschel"}


@given(st.text(max_size=40))
def test_any_query_gets_at_most_five_different_titles(query: str) -> None:
    corpus = MemoryCorpus([Article(t) for t in TITLES], "titles", "2026")
    found = corpus.similar(query)
    assert len(found) == len(set(found)) <= 5
    assert set(found) <= set(TITLES)
    assert corpus.similar(query) == found


@given(st.text(max_size=60))
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_a_parenthetical_is_not_part_of_the_base() -> None:
    assert base("Mercury (planet)") == "Mercury"
    assert base("Love (Me) Do") == "Love (Me) Do"


def test_a_title_beats_the_alias_of_another_article() -> None:
    rows = [Article("A", sentences=("a.",), aliases=("B",)), Article("B", sentences=("b.",))]
    page = MemoryCorpus(rows, "x", "").lookup_title("b")
    assert page is not None
    assert page.title == "B"


def test_an_unknown_corpus_is_named_with_those_that_exist() -> None:
    with pytest.raises(KitError, match=r"'wiki'.*tiny"):
        open_wiki("wiki")
