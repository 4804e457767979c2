"""One error family. Every refusal a user can see carries a stable code, one sentence and where it happened."""

from __future__ import annotations

EXIT_DONE = 0
EXIT_USAGE = 2
EXIT_REJECTED = 3
EXIT_INTEGRITY = 4


class ComplianceError(Exception):
    """Base of every error of ours.

    ``code`` is stable and documented; ``message`` is one sentence naming the thing, the place and the remedy;
    ``where`` names a file, a clause, a record or an option.
    """

    exit_code = EXIT_REJECTED

    def __init__(self, code: str, message: str, where: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.where = where

    def __reduce__(self) -> tuple[type[ComplianceError], tuple[str, str, str | None]]:
        return type(self), (self.code, self.message, self.where)

    def as_json(self) -> dict[str, dict[str, str | None]]:
        """The contract's error shape."""
        return {"error": {"code": self.code, "message": self.message, "where": self.where}}


class UsageError(ComplianceError):
    """The command was called wrongly, or asks for what this release does not do yet."""

    exit_code = EXIT_USAGE


class InputRejected(ComplianceError):
    """A file, a date, a label or a question cannot be taken."""


class NotFound(ComplianceError):
    """What was named does not exist."""


class IntegrityError(ComplianceError):
    """A store disagrees with the ledger, or stored bytes with their hash."""

    exit_code = EXIT_INTEGRITY
