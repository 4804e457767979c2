"""Who may be asked about the layout of a document: the home's endpoint, where the settings say so."""

from __future__ import annotations

from compliance_rag.answer.layout import LayoutModel
from compliance_rag.answer.model import Endpoint
from schemas.errors import InputRejected
from schemas.settings import Settings


def layout_model(settings: Settings, api_key: str | None = None) -> LayoutModel | None:
    """The model of ``[model]`` when ``[reading] layout_model`` is on, else None. Raises InputRejected ``no_model`` when it is
    on and no endpoint is named."""
    if not settings.reading.layout_model:
        return None
    model = settings.model
    if not model.base_url or not model.name:
        raise InputRejected("no_model", "reading.layout_model is on and [model] names no base_url and name; set both.", "model")
    return LayoutModel(Endpoint(model.base_url, model.name, api_key, model.timeout))
