"""Caches of access tokens: in memory, or in a file that several processes share."""
import os
import tempfile
import threading
import time
from typing import Callable, Dict, Optional, Protocol, Tuple

#: Requests a token. Returns it with the seconds of its use.
Fetch = Callable[[], Tuple[str, float]]


class TokenCache(Protocol):
    def remember(self, key: str, refused: Optional[str], fetch: Fetch) -> str:
        """Returns the token of `key`. Calls `fetch` if it is absent, too old, or the one that the gateway refused."""
        ...


class MemoryTokens:
    """Keeps tokens in this process. Concurrent threads share one token request."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tokens: Dict[str, Tuple[str, float]] = {}

    def remember(self, key: str, refused: Optional[str], fetch: Fetch) -> str:
        with self._lock:
            token, until = self._tokens.get(key, ('', 0.0))
            if not token or token == refused or until <= time.time():
                token, seconds = fetch()
                self._tokens[key] = (token, time.time() + seconds)
            return token


class FileTokens:
    """Keeps tokens in files that only this user reads. The file's lock makes one process request a token."""

    def __init__(self, folder: Optional[str] = None) -> None:
        self._folder = folder or tempfile.gettempdir()

    def remember(self, key: str, refused: Optional[str], fetch: Fetch) -> str:
        import fcntl  # Windows has no such module. `MemoryTokens` works there.

        # Other users cannot guess the name, because the key is a hash of the client secret.
        path = os.path.join(self._folder, f'balcao-{key}')
        flags = os.O_RDWR | os.O_CREAT | getattr(os, 'O_NOFOLLOW', 0)
        with os.fdopen(os.open(path, flags, 0o600), 'r+') as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            token, _, until = file.read().partition(' ')
            if not token or token == refused or float(until or 0) <= time.time():
                token, seconds = fetch()
                file.seek(0)
                file.truncate()
                file.write(f'{token} {time.time() + seconds}')
                file.flush()
            return token
