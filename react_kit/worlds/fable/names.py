"""Names that occur nowhere: built from syllables, and split in two halves that share no word."""

import random
import zlib
from typing import Literal

Half = Literal["dev", "train"]

_START = (
    "Al Ar Bel Bor Bra Cal Cor Dal Dor Dru El Er Fal Fen Gal Gor Hal Hel Il Ior Jar Kal Kel Kor Lan Lor Mal Mer Mor "
    "Nal Nor Ol Or Pel Por Quen Ral Ros Sel Sor Tal Tir Tor Ul Ur Val Ver Vor Wen Wor Yal Zan Zel"
).split()
_MIDDLE = "a an ad ath e en el er i ik il in is o ol on or u um un ur y ada edi ilo ora uvi".split()
_END = {
    "town": "burg dorn fell gate ham holm mere mouth port stad thwick ton vale wick worth".split(),
    "country": "adia avia enia eria esia idor ilia istan ora oria ovia uria".split(),
    "river": "ach and ara ebba eld enne ique issa one ova une uss".split(),
    "given": "a an bert do dra el en ia ias in ina is mund na o on ra ric sa us wen yn".split(),
    "family": "adi ansk ardt bane beck ell enko essen ett ian ides ingar ock ores osz ovar quist sen stra ulo vik".split(),
    "house": "adid ard ein eran ingid ovid uring".split(),
}


class Names:
    """Draws words of one half of the language, none of them twice but given names."""

    def __init__(self, draw: random.Random, half: Half) -> None:
        self._draw, self._half = draw, half
        self._used: set[str] = set()

    def word(self, kind: str, once: bool = True) -> str:
        """A new word of that kind, e.g. a town's."""
        tries = 0
        while True:
            middles = 1 + tries // 40  # longer words where the short ones are used up
            parts = [self._draw.choice(_START), *(self._draw.choice(_MIDDLE) for _ in range(middles))]
            found = "".join(parts) + self._draw.choice(_END[kind])
            tries += 1
            if half_of(found) == self._half and not (once and found in self._used):
                self._used.add(found)
                return found


def half_of(word: str) -> Half:
    """Which half of the language a word belongs to: by its checksum, so that no list has to be kept."""
    return "dev" if zlib.crc32(word.encode()) % 2 == 0 else "train"
