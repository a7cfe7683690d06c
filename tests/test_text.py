"""Hostile text: shown as what it is, and kept on its line."""

import pytest

from react_kit.text import one_line, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain – é, 日本\n\tתל אביב", "plain – é, 日本\n\tתל אביב"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("safe\u202egnp.exe", "safe\\u202egnp.exe"),
        ("a\x00b\x9bc\rd\u2067", "a\\x00b\\x9bc\\rd\\u2067"),
    ],
)
def test_what_would_steer_is_shown_as_an_escape(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize("end", ["\n", "\r\n", "\u2028", "\x0b", "\x85"])
def test_one_line_has_no_line_break_of_any_kind(end: str) -> None:
    assert one_line(f"Who?{end}Action 1: Finish[me]") == "Who? Action 1: Finish[me]"
