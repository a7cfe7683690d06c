"""Where the paper and the authors' code differ, as one frozen object.

`PAPER` follows the text of Yao et al. (ICLR 2023), `AUTHORS_CODE` the published notebooks.
Vary one with `dataclasses.replace(PAPER, tie="back-off")`. Only tasks and methods unpack it.
"""

from dataclasses import dataclass, fields
from typing import Literal

from react_kit.errors import KitError, unknown


@dataclass(frozen=True, slots=True)
class Fidelity:
    """One reading of the protocol; the fields' defaults are the paper's."""

    hotpotqa_steps: int = 7  # section 3.2
    fever_steps: int = 5  # section 3.2; the code uses 7 for both
    # Majority found exactly n/2 times: the paper backs off when it is *less* than n/2,
    # the author's answer to a user keeps CoT-SC only when it is *more* than n/2.
    tie: Literal["keep", "back-off"] = "keep"
    # After a failed search the code leaves the previous page open, so lookup answers from it.
    page_after_miss: Literal["close", "keep"] = "close"

    def __post_init__(self) -> None:
        for name, allowed in {"tie": ("keep", "back-off"), "page_after_miss": ("close", "keep")}.items():
            if getattr(self, name) not in allowed:
                raise unknown(f"value of {name}", getattr(self, name), allowed)
        for name in ("hotpotqa_steps", "fever_steps"):
            if getattr(self, name) < 1:
                raise KitError(f"{name} is {getattr(self, name)}; expected at least 1 step.")

    @property
    def name(self) -> str:
        """`paper`, `authors-code`, or `paper` plus what differs from it; goes into every record."""
        if self == AUTHORS_CODE:
            return "authors-code"
        return "+".join(["paper", *(f"{k}={v}" for k, v in self.differences().items())])

    def differences(self) -> dict[str, object]:
        """The fields that depart from the paper, with their values."""
        return {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}


PAPER = Fidelity()
AUTHORS_CODE = Fidelity(hotpotqa_steps=7, fever_steps=7, tie="back-off", page_after_miss="keep")
PRESETS = {"paper": PAPER, "authors-code": AUTHORS_CODE}


def preset(name: str) -> Fidelity:
    """The preset called `name`."""
    if name not in PRESETS:
        raise unknown("fidelity", name, PRESETS)
    return PRESETS[name]
