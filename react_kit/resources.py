"""Where prompts and data lie: in the repository's top level, or inside an installed wheel."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

from react_kit.errors import KitError

T = TypeVar("T")
R = TypeVar("R")


def share(*parts: str) -> Path:
    """The path of a shipped file or folder, e.g. `share("data", "tiny")`."""
    here = Path(__file__).parent
    root = here / "_share" if (here / "_share").is_dir() else here.parent
    path = root.joinpath(*parts)
    if not path.exists():
        raise KitError(
            f"{'/'.join(parts)!r} is missing from this installation ({root}); reinstall react-kit."
        )
    return path


def json_lines(path: Path, type: type[T], make: Callable[[T, int], R], expected: str) -> list[R]:
    """`make(row, number)` for every line of a JSON-lines file; a broken line is a `KitError` that names it."""
    decoder, made = msgspec.json.Decoder(type), []
    for number, line in enumerate(file_bytes(path).splitlines(), 1):
        if line.strip():
            try:
                made.append(make(decoder.decode(line), number))
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as e:
                raise KitError(f"{path} line {number} is not {expected}: {e}.") from e
    return made


def file_bytes(path: Path) -> bytes:
    """A file's bytes without the byte order mark that some editors put in front."""
    return path.read_bytes().removeprefix(b"\xef\xbb\xbf")
