"""Record and replay: every reply goes through a small SQLite file, one row per sample.

The key covers all that decides a reply: endpoint, model, weights, prompt, settings, sample number. A repeated or
resumed run makes no call twice; in replay-only mode a missing reply is a clear error instead of a call.
"""

import hashlib
import os
import sqlite3
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from filelock import FileLock

from react_kit.errors import KitError, ReplayMiss
from react_kit.models.base import Messages, Model
from react_kit.models.replay import Replay, Reply, base_key
from react_kit.trajectory import Call, digest

_T = TypeVar("_T")
_VERSION = 1  # of the tables
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS prompts (sha TEXT PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY, prompt TEXT NOT NULL REFERENCES prompts, request TEXT NOT NULL,
    sample INTEGER NOT NULL, call BLOB NOT NULL, sha TEXT NOT NULL, recorded TEXT DEFAULT CURRENT_TIMESTAMP
);
PRAGMA user_version = {_VERSION};
"""


def default_path() -> Path:
    """One file for all of a user's runs; the variable REACT_KIT_CACHE overrides it."""
    import platformdirs

    chosen = os.environ.get("REACT_KIT_CACHE")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("react-kit")) / "replies.sqlite"


class Cache:
    """A model whose replies are remembered. `replay` is asked first, `model` last and never if `replay_only`."""

    def __init__(
        self, model: Model, path: Path | None = None, replay: Replay | None = None, replay_only: bool = False
    ) -> None:
        self.name, self.identity, self.model = model.name, model.identity, model
        self.path = path or default_path()
        self.replay, self.replay_only = replay, replay_only
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None

    def sample(
        self,
        prompt: str | Messages,
        *,
        n: int = 1,
        first: int = 0,
        stop: tuple[str, ...] = (),
        temperature: float = 0.0,
        max_tokens: int = 100,
    ) -> list[Call]:
        settings = {"stop": stop, "temperature": temperature, "max_tokens": max_tokens}
        request = {**self.identity, "settings": settings}
        if temperature == 0:
            request.pop("seed", None)  # greedy replies are the same under every seed
        text = prompt if isinstance(prompt, str) else msgspec.json.encode(prompt).decode()
        base = base_key(request, text)
        keys = [f"{base}-{k}" for k in range(first, first + n)]
        known = [self.get(key) for key in keys]
        if None in known:
            gap = known.index(None)  # ask for everything from the first missing sample on
            if self.replay_only:
                raise ReplayMiss(self._miss(text, request, first + gap))
            new = self.model.sample(
                prompt,
                n=n - gap,
                first=first + gap,
                stop=stop,
                temperature=temperature,
                max_tokens=max_tokens,
            )
            named = [
                msgspec.structs.replace(call, key=key) for call, key in zip(new, keys[gap:], strict=True)
            ]
            self._put(text, request, first + gap, named)
            # Another process may have been quicker: what is in the cache is the reply, for everyone.
            known[gap:] = [self.get(key) for key in keys[gap:]]
        return [call for call in known if call is not None]

    def __repr__(self) -> str:
        replay = f", replay {self.replay.path.stem}" if self.replay else ""
        return f"<Model {self.name} at {self.identity.get('endpoint')}{replay}>"

    def get(self, key: str) -> Call | None:
        """The recorded reply of that key, or None."""
        if self.replay and (call := self.replay.get(key)):
            return call
        if self.replay_only and not self.path.exists():
            return None
        row = self._row("SELECT call, sha FROM replies WHERE key = ?", key)
        return self._call(key, *row) if row else None

    def replayed(self, key: str) -> bool:
        """Does this reply come from the replay file rather than from a call made on this machine?"""
        return self.replay is not None and key in self.replay.replies

    def prompt(self, key: str) -> str | None:
        """The exact prompt as sent that got the reply of that key."""
        if self.replay and key in self.replay.replies:
            return self.replay.replies[key].prompt
        found = list(self.export([key]))
        return found[0].prompt if found else None

    def export(self, keys: Iterable[str]) -> Iterable[Reply]:
        """The rows of these keys, with prompt and request."""
        sql = (
            "SELECT text, request, sample, call, replies.sha FROM replies JOIN prompts ON prompt = prompts.sha "
            "WHERE key = ?"
        )
        for key in keys:
            if row := self._row(sql, key):
                text, request, sample, call, sha = row
                asked = self._decode(request, dict)
                if key != f"{base_key(asked, text)}-{sample}":
                    raise self._damaged(f"the prompt of {key} is not as it was sent")
                yield Reply(text, asked, sample, self._call(key, call, sha))
            elif self.replay and key in self.replay.replies:
                yield self.replay.replies[key]

    def _put(self, prompt: str, request: dict[str, Any], first: int, calls: list[Call]) -> None:
        sha, asked = digest(prompt), msgspec.json.encode(request, order="deterministic").decode()
        encoded = [msgspec.json.encode(call) for call in calls]
        rows = [
            (call.key, sha, asked, first + k, code, _sha(code))
            for k, (call, code) in enumerate(zip(calls, encoded, strict=True))
        ]
        try:
            with self._lock, self._connection() as db:
                db.execute("INSERT OR IGNORE INTO prompts VALUES (?, ?)", (sha, prompt))
                columns = "(key, prompt, request, sample, call, sha)"
                db.executemany(f"INSERT OR IGNORE INTO replies {columns} VALUES (?, ?, ?, ?, ?, ?)", rows)
        except sqlite3.Error as e:
            raise KitError(
                f"could not write the reply cache {self.path}: {e}. Free some space or set REACT_KIT_CACHE to "
                "another place, then run the same command again to resume."
            ) from e

    def _row(self, sql: str, key: str) -> Any:
        """The one row of a query by key, or None."""
        try:
            with self._lock:
                return self._connection().execute(sql, (key,)).fetchone()
        except sqlite3.Error as e:
            raise self._damaged(e) from e

    def _call(self, key: str, code: bytes, sha: str) -> Call:
        if not isinstance(code, bytes) or _sha(code) != sha:
            raise self._damaged(f"the reply {key} is not as it was written")
        call = self._decode(code, Call)
        if call.key != key:
            raise self._damaged(f"the reply {key} is in the place of {call.key}")
        return call

    def _decode(self, text: bytes | str, type: type[_T]) -> _T:
        try:
            return msgspec.json.decode(text, type=type)
        except msgspec.DecodeError as e:
            raise self._damaged(e) from e

    def _damaged(self, why: object) -> KitError:
        return KitError(
            f"cannot use the reply cache {self.path}: {why}. Delete it if it is damaged, "
            "or set REACT_KIT_CACHE to another place."
        )

    def _connection(self) -> sqlite3.Connection:
        """One connection, used under the lock; file and folder are the owner's alone, since prompts may be private."""
        if self._db is None:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
                db = sqlite3.connect(self.path, timeout=60, check_same_thread=False)
                # SQLite does not wait where two processes turn a new file to WAL at once: one fails.
                with FileLock(f"{self.path}.lock", timeout=60):
                    db.execute("PRAGMA journal_mode=WAL")
                    db.execute("PRAGMA synchronous=NORMAL")
                    self._check_version(db)
                    db.executescript(_SCHEMA)
            except (OSError, sqlite3.Error) as e:
                raise self._damaged(e) from e
            self._db = db
        return self._db

    def _check_version(self, db: sqlite3.Connection) -> None:
        (version,) = db.execute("PRAGMA user_version").fetchone()
        (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if tables and version != _VERSION:
            raise KitError(
                f"the reply cache {self.path} has version {version}, this react-kit writes version {_VERSION}: "
                "delete it, or set REACT_KIT_CACHE to another place."
            )

    def _miss(self, prompt: str, request: dict[str, Any], sample: int) -> str:
        where = self.replay.path.name if self.replay else self.path.name
        return (
            f"no recorded reply in {where} for sample {sample} of the prompt that ends in {prompt[-80:]!r} "
            f"({self.name}, {request['settings']}). Prompts, data or settings differ from the recording: "
            "run without replay-only to record what is missing."
        )


def _sha(code: bytes) -> str:
    return hashlib.sha256(code).hexdigest()[:16]
