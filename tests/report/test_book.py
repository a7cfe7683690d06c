"""Trajectories as one HTML text: nothing in it runs, loads or breaks out, and everything is shown."""

import html
from html.parser import HTMLParser
from typing import Any

import pytest

from react_kit import Episode, load_task
from react_kit.report.book import book, page

HOSTILE = [
    "<script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    "<svg onload=alert(1)>",
    "</details></div><h1>out",
    "[link](javascript:alert(1))",
    "{{ 7 * 7 }} {% raw %}",
    "\x1b[31mred\u202eback\x00",
]


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(scripted: Any, text: str) -> None:
    t = Episode.start(load_task("hotpotqa")[0], model=scripted(f" {text}\nAction 1: Finish[{text}]")).run()
    parsed = Tags()
    parsed.feed(page([t], f"All {text}"))
    assert {tag for tag, _ in parsed.seen} <= {
        "html", "head", "meta", "title", "style", "body", "h1", "div", "p", "details", "summary", "article", "header",
        "span", "dl", "dt", "dd", "ol", "li", "b", "pre",
    }  # fmt: skip
    for _, attributes in parsed.seen:
        assert not any(name.startswith("on") or name in ("src", "href") for name in attributes)
    shown = text.encode("unicode_escape").decode() if "\x1b" in text else text
    assert shown in html.unescape(parsed.text)
    assert "http" not in page([t], "x").replace("http-equiv", "")


def test_it_says_how_many_there_are_and_opens_the_first(scripted: Any) -> None:
    ts = [
        Episode.start(i, model=scripted(" So.\nAction 1: Finish[no]")).run()
        for i in load_task("hotpotqa")[:3]
    ]
    text = book(ts, of=10_000, twin="abc")
    assert "3 of 10000 trajectories:" in text
    assert 'data-rk-twin="abc"' in text
    parsed = Tags()
    parsed.feed(text)
    opened = ["open" in a for tag, a in parsed.seen if tag == "details" and "open" in a]
    assert opened == [True]
    assert all(i.question in html.unescape(parsed.text) for i in load_task("hotpotqa")[:3])
    assert "0 of 0 trajectories." in book([])
