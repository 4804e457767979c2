"""Bytes to extracted text to clause tree."""
