"""Before the first question: the embedder, the stores and the code that a question needs are loaded while nobody waits."""

from __future__ import annotations

from compliance_rag.service.ask import work_out
from compliance_rag.service.asking import AskRequest
from compliance_rag.service.homes import HomeHandle

# Words that any rule may hold, so that searching, expanding and answering are all gone through once.
_WORDS = "What must be done within what time?"


def warm(handle: HomeHandle) -> None:
    """Ask a question and record nothing. Raises what asking raises."""
    work_out(handle, AskRequest(_WORDS, use_model=False))
