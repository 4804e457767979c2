"""Processes that answer for the service: questions are worked out on all cores while the service itself stays at the door."""
