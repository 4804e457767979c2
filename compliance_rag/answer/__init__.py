"""Evidence to a validated answer."""
