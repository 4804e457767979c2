"""The scripted OpenAI-compatible server, under the name tests know it by."""

from eval.scripted_model import ModelServer, Script, evidence_of, model_server

__all__ = ["ModelServer", "Script", "evidence_of", "model_server"]
