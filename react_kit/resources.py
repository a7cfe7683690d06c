"""Where prompts and data lie: in the repository's top level, or inside an installed wheel."""

from pathlib import Path

from react_kit.errors import KitError


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


def file_bytes(path: Path) -> bytes:
    """A file's bytes without the byte order mark that some editors put in front."""
    return path.read_bytes().removeprefix(b"\xef\xbb\xbf")
