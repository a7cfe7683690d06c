from html.parser import HTMLParser

import msgspec
import pytest

from react_kit.errors import KitError
from react_kit.report.card import card, side_by_side
from react_kit.trajectory import Action, Call, Instance, Observation, Parent, Step

VOID = {"br", "hr", "img", "meta"}


class Page(HTMLParser):
    """Tags that are open at the end, all tags, and the text outside <style>."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.text, self.attributes = [], [], "", []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attributes]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text += data


HOSTILE = (
    "</p></div><script>alert(1)</script><img src=x onerror=alert(2)><style>*{display:none}</style>\"'&amp;"
)


def hostile(episode):
    """The same text in every place that a model, a corpus or a data set fills."""
    call = Call("k", HOSTILE, reasoning=HOSTILE, finish=HOSTILE, sent=(HOSTILE,))
    step = Step(HOSTILE, Action("search", {"x": HOSTILE}, HOSTILE), Observation(HOSTILE), (call,), (HOSTILE,))
    made = episode(model=HOSTILE, method=HOSTILE, parent=Parent(HOSTILE, 1, {"thought": HOSTILE}))
    return msgspec.structs.replace(
        made,
        id=HOSTILE,
        instance=Instance(HOSTILE, "hotpotqa", HOSTILE, HOSTILE),
        steps=(step,),
        answer=HOSTILE,
        score={HOSTILE: 0.5},
    )


@pytest.mark.parametrize("render", [card, lambda t: side_by_side([t, t])])
def test_hostile_text_shows_as_text_everywhere(episode, render):
    page = Page(render(hostile(episode)))
    assert page.open == []
    assert page.tags.count("style") == 1
    assert not {"script", "img"} & set(page.tags)
    assert "onerror" not in page.attributes
    # Thought, action, observation, answer, reply, reasoning, finish, sent, question, gold and more.
    assert page.text.count("<script>alert(1)</script>") >= 12


def test_a_card_shows_what_happened(episode):
    text = Page(card(episode(notes=("search_miss", "follow_up"), answer="Graz"))).text
    for part in (
        "Which city lies on the Danube?",
        "Vienna",
        "Graz",
        "ReAct",
        "tiny-model",
        "HotpotQA",
        "answered",
    ):
        assert part in text
    for part in (
        "Thought 1",
        "Action 1",
        "Finish[Graz]",
        "Observation 1",
        "search miss",
        "follow up",
        "em\u00a00",
    ):
        assert part in text


def test_right_and_wrong_answers_look_different(episode):
    assert 'class="rk-right"' in card(episode())
    assert 'class="rk-wrong"' in card(episode(answer="Graz"))


def test_an_unscored_episode_is_neither_right_nor_wrong(episode):
    shown = card(episode(answer=None, stop="unavailable"))
    assert 'class="rk-none"' in shown
    assert "server unavailable" in shown


def test_standard_and_cot_answer_rather_than_act(episode):
    text = Page(card(episode(method="cot"))).text
    assert "Action 1" not in text
    assert "Answer" in text


def test_the_raw_reply_is_folded_away(episode):
    assert "details" in Page(card(episode())).tags
    assert "open" not in Page(card(episode())).attributes


def test_a_branch_names_its_parent(episode):
    assert "of 0123, step 2 edited" in card(episode(parent=Parent("0123", 2, {"thought": "x"})))


def test_the_style_touches_nothing_outside_the_card(episode):
    html = card(episode())
    style = html[html.index("<style>") + 7 : html.index("</style>")]
    selectors = [line for line in style.splitlines() if line.rstrip().endswith("{") or "{ " in line]
    for line in selectors:
        for selector in line.split("{")[0].split(","):
            assert ".rk-cards" in selector or selector.strip().startswith("@media"), line


def test_a_card_loads_nothing(episode):
    html = card(episode())
    assert not [word for word in ("http:", "https:", "url(", "@import", "src=", "href=") if word in html]


def test_columns_of_one_question_show_it_once(episode):
    page = Page(side_by_side([episode(method=m) for m in ("standard", "cot", "react")]))
    assert page.text.count("Which city lies on the Danube?") == 1
    for title in ("(1) Standard", "(2) CoT", "(3) ReAct"):
        assert title in page.text
    assert page.tags.count("article") == 3
    assert page.tags.count("style") == 1


def test_a_single_card_shows_its_question_once(episode):
    assert Page(card(episode())).text.count("Which city lies on the Danube?") == 1


def test_columns_of_different_questions_show_each(episode):
    text = Page(side_by_side([episode(), episode("fever", answer="SUPPORTS")])).text
    assert "Which city lies on the Danube?" in text
    assert "The Danube flows through Vienna." in text


def test_nothing_side_by_side_is_an_error():
    with pytest.raises(KitError, match="no trajectories"):
        side_by_side([])


def test_what_turns_or_hides_text_is_shown(episode):
    page = card(episode(answer="safe\u202egnp\x1b[2J"))
    assert "safe\\u202egnp\\x1b[2J" in page
    assert "\u202e" not in page
