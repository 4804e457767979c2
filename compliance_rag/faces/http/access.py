"""Who calls: a bearer key, or the session that the page opened with one."""

from __future__ import annotations

import secrets
import threading
import time
from dataclasses import dataclass

from starlette.requests import Request

from compliance_rag.faces.http.errors import Refused
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.keys import Bearer, KeyEntry, Role, bearer_of, list_keys
from schemas.dates import today

COOKIE = "compliance_rag_session"
# A working day; the key itself stays with its owner.
SESSION_SECONDS = 12 * 60 * 60
# More people than this don't share one process; the oldest session goes first.
SESSIONS_KEPT = 1_000
# A key longer than ours is none.
KEY_LIMIT = 200


@dataclass(frozen=True, slots=True)
class _Session:
    key: str
    until: float


class Access:
    """The keys of a home, read anew when they change, and the page's sessions."""

    def __init__(self, handle: HomeHandle) -> None:
        self._handle = handle
        self._guard = threading.Lock()
        self._sessions: dict[str, _Session] = {}
        self._entries: list[KeyEntry] = []
        self._stamp: tuple[int, int, int] | None = None

    def _keys(self) -> list[KeyEntry]:
        """The keys as they are now; the file is read again when it is another one."""
        try:
            found = self._handle.home.api_keys.stat()
        except FileNotFoundError:
            return []
        stamp = (found.st_ino, found.st_mtime_ns, found.st_size)
        with self._guard:
            if stamp != self._stamp:
                self._entries, self._stamp = list_keys(self._handle), stamp
            return self._entries

    def bearer(self, key: str) -> Bearer | None:
        """Whose key this is today, in the home's time zone."""
        if not 0 < len(key) <= KEY_LIMIT:
            return None
        return bearer_of(self._keys(), key, today(self._handle.settings.time_zone))

    def sign_in(self, key: str) -> str | None:
        """A new session for a good key, None for another."""
        if self.bearer(key) is None:
            return None
        token, now = secrets.token_urlsafe(32), time.monotonic()
        with self._guard:
            self._sessions = {name: one for name, one in self._sessions.items() if one.until > now}
            while len(self._sessions) >= SESSIONS_KEPT:
                self._sessions.pop(next(iter(self._sessions)))
            self._sessions[token] = _Session(key, now + SESSION_SECONDS)
        return token

    def sign_out(self, token: str) -> None:
        """End a session."""
        with self._guard:
            self._sessions.pop(token, None)

    def of_session(self, token: str) -> Bearer | None:
        """Who holds this session; None when it is over, or its key was revoked or expired."""
        with self._guard:
            session = self._sessions.get(token)
        if session is None or session.until <= time.monotonic():
            return None
        return self.bearer(session.key)

    def of_request(self, request: Request) -> Bearer:
        """Whose key the call carries. Raises Refused 401 ``no_key``, ``unknown_key``."""
        scheme, _, key = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not key.strip():
            raise Refused(401, "no_key", "This call needs a key: Authorization: Bearer KEY.", "Authorization")
        found = self.bearer(key.strip())
        if found is None:
            raise Refused(401, "unknown_key", "This key is not known here; it may be revoked or expired.", "Authorization")
        return found


def need(bearer: Bearer, *roles: Role, whole: bool = False) -> None:
    """Raises Refused 403 ``no_permission`` when the bearer holds none of ``roles``, or, for what counts over all documents
    (``whole``), may not know of every document."""
    if not bearer.may(*roles) or (whole and bearer.docs is not None):
        wanted = " or ".join(roles)
        of_all = ", for every document" if whole else ""
        raise Refused(403, "no_permission", f"This call is for the role {wanted}{of_all}.", "Authorization")
