"""The control is CoT with the gold sentences before its eyes, and gives no label away."""

import pytest

from react_kit import Episode, load_task, open_wiki
from react_kit.errors import KitError
from react_kit.prompts import load_prompts
from react_kit.trajectory import Instance, SentenceRef


def prompt_of(instance, scripted, corpus=None):  # type: ignore[no-untyped-def]
    model = scripted(" So it is.\nAnswer: x")
    t = Episode.start(instance, "cot-gold", model=model, corpus=corpus).run()
    assert (t.cell.method, t.answer) == ("cot-gold", "x")
    (prompt,) = model.prompts
    return prompt


@pytest.mark.parametrize("task", ["hotpotqa", "fever"])
def test_the_gold_sentences_stand_between_question_and_thought(task, scripted) -> None:  # type: ignore[no-untyped-def]
    instance = load_task(task)[0]
    articles = open_wiki("tiny").articles  # type: ignore[attr-defined]
    said = " ".join(articles[ref.title].sentences[ref.id] for ref in instance.evidence[0])
    start = load_prompts(task).start("cot", instance.question)
    assert prompt_of(instance, scripted) == f"{start}Facts: {said}\nThought: Let's think step by step."


def test_an_undecided_claim_gets_the_beginning_of_the_article_that_it_names(scripted, greek) -> None:  # type: ignore[no-untyped-def]
    claim = Instance("1", "fever", "Long ago the Greek letters were red.", "NOT ENOUGH INFO")
    assert "\nFacts: Alpha is first. Beta is second.\n" in prompt_of(claim, scripted, greek)
    nothing = Instance("1", "fever", "Nothing of the kind.", "NOT ENOUGH INFO")
    assert "\nFacts: \n" in prompt_of(nothing, scripted, greek)


def test_a_corpus_without_the_gold_sentence_is_refused(scripted, greek) -> None:  # type: ignore[no-untyped-def]
    question = Instance("1", "hotpotqa", "What?", "x", evidence=((SentenceRef("Greek letters", 9),),))
    with pytest.raises(KitError, match="lacks sentence 9 of 'Greek letters'"):
        prompt_of(question, scripted, greek)
