"""When two answers are the same: the official normalisation, with its oddities kept."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_kit.answers import normalize_answer

# Computed by hand from the steps of the official script.
KNOWN = {
    "": "",
    "The  Beatles!": "beatles",
    "1,800–7,000 ft": "1800–7000 ft",  # the en dash is no ASCII punctuation
    "rock-and-roll": "rockandroll",  # deleted, not replaced by a space
    "a-ha": "aha",  # an article inside a word once its hyphen is gone
    "A. A. Milne": "milne",
    "the The THE": "",
    "!!!": "",
    "An apple a day": "apple day",
    "Theatre of Anatolia": "theatre of anatolia",
    "\tYes.\n": "yes",
    "São Paulo": "são paulo",
    "$1.5_million": "15million",
    "¿Qué?": "¿qué",
    "x\u00a0y": "x y",
    "NOT ENOUGH INFORMATION": "not enough info",
    "Not enough info": "not enough info",
    "not enough information given": "not enough information given",
}


@pytest.mark.parametrize(("text", "normal"), KNOWN.items())
def test_known_values(text: str, normal: str) -> None:
    assert normalize_answer(text) == normal


@given(st.text())
def test_the_result_is_lower_case_without_punctuation_articles_and_extra_spaces(text: str) -> None:
    normal = normalize_answer(text)
    assert normal == " ".join(normal.split())
    assert not set(normal) & set(string.punctuation + string.ascii_uppercase)
    assert not {"a", "an", "the"} & set(normal.split())


@given(st.text(alphabet="ab theno.,’é"), st.sampled_from(["", "the ", " A ", "...", "\n"]))
def test_articles_case_and_punctuation_around_it_do_not_matter(text: str, extra: str) -> None:
    plain = normalize_answer(text)
    assert normalize_answer(extra + " " + text.upper() + extra.strip(" theA")) == plain
