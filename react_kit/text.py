"""Text from models, corpora and data sets, made safe to show."""

import re

# Control characters but tab and newline, and those that turn the direction of what follows.
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """Characters that would steer a terminal or reorder a line, as escapes such as `\\x1b`."""
    return _HIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def writable(text: str) -> bool:
    """Can it be written as UTF-8? Half a character, as from a badly encoded file name, cannot."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def one_line(text: str) -> str:
    """Without line breaks of any kind, so that it cannot open a line of its own in a prompt."""
    return " ".join(text.splitlines())
