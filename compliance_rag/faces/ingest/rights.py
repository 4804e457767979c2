"""Who may bring documents in and who may publish them."""

from __future__ import annotations

from compliance_rag.faces.http.access import need
from compliance_rag.faces.http.errors import Refused
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.keys import Bearer


def may_ingest(handle: HomeHandle, bearer: Bearer) -> bool:
    """Whether ``bearer`` may send a batch."""
    publishes = handle.settings.publishing.second_person or bearer.may("publisher")
    return bearer.may("engineer") and bearer.docs is None and publishes


def need_ingest(handle: HomeHandle, bearer: Bearer) -> None:
    """Raises Refused 403 ``no_permission``: a batch is for engineers who may know of every document; where it is published at
    once, without a second person, for those who may publish."""
    need(bearer, "engineer", whole=True)
    if not may_ingest(handle, bearer):
        raise Refused(
            403, "no_permission",
            "Here a batch is published at once, and this key may not publish: ask for the role publisher, or for the setting "
            "[publishing] second_person = true.", "Authorization",
        )  # fmt: skip


def need_publish(bearer: Bearer) -> None:
    """Raises Refused 403 ``no_permission`` unless ``bearer`` may publish, whatever the document."""
    need(bearer, "publisher", whole=True)


def need_report(bearer: Bearer) -> None:
    """Raises Refused 403 ``no_permission``: a report names other documents, so it is for keys that may know of all."""
    need(bearer, "engineer", "publisher", "reviewer", "auditor", whole=True)
