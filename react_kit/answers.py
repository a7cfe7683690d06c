"""When two answers count as the same: the official HotpotQA (SQuAD) normalisation."""

import re
import string

_PUNCTUATION = str.maketrans("", "", string.punctuation)  # ASCII only, deleted rather than replaced
_ARTICLES = re.compile(r"\b(a|an|the)\b")

# The paper's FEVER prompt speaks of NOT ENOUGH INFORMATION, the data set's label is NOT ENOUGH INFO.
_SAME = {"not enough information": "not enough info"}


def normalize_answer(text: str) -> str:
    """Lower case, no ASCII punctuation, no articles, single spaces (hotpot_evaluate_v1)."""
    plain = _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION))
    plain = " ".join(plain.split())
    return _SAME.get(plain, plain)
