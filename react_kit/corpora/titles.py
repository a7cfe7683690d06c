"""Titles as keys, and the titles that resemble a misspelt, shortened or over-specified one."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

# Letters that Unicode does not decompose, and typographic marks.
_FOLD = str.maketrans(
    {
        "ł": "l", "Ł": "l", "ø": "o", "Ø": "o", "ß": "ss", "æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe",
        "đ": "d", "Đ": "d", "ð": "d", "Ð": "d", "þ": "th", "Þ": "th", "ı": "i",
        "‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "_": " ",
    }
)  # fmt: skip
_PARENTHETICAL = re.compile(r"\s*\([^()]*\)\s*$")


def fold(text: str) -> str:
    """Text without case, accents and runs of spaces; for comparing, never for display."""
    plain = unicodedata.normalize("NFKD", text.translate(_FOLD))
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    return " ".join(plain.casefold().split())


def base(title: str) -> str:
    """`Mercury (planet)` → `Mercury`."""
    return _PARENTHETICAL.sub("", title)


def most_similar(query: str, keys: Sequence[str], titles: Sequence[str], k: int) -> list[str]:
    """The `k` titles whose folded keys are nearest to `query`; `keys[i]` belongs to `titles[i]`.

    Two measures, since each alone fails: whole-string similarity finds typos, shared words find titles with
    words missing, added or in another order. Each measure's best has a place; the rest go by score.
    """
    from rapidfuzz import fuzz, process

    def best(measure: object) -> Iterable[tuple[str, float, int]]:
        return process.extract(query, keys, scorer=measure, limit=4 * k)  # type: ignore[no-any-return,call-overload]

    score: dict[str, float] = {}
    leaders: list[str] = []
    for measure in (fuzz.ratio, fuzz.token_set_ratio):
        found = [(titles[at], value) for _, value, at in best(measure)]
        leaders += [found[0][0]] if found else []
        for title, value in found:
            score[title] = max(score.get(title, 0.0), value)
    ranked = sorted(score, key=lambda t: (-score[t], t))
    chosen = list(dict.fromkeys([*leaders, *ranked]))[:k]
    return sorted(chosen, key=ranked.index)
