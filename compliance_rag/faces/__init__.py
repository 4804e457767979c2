"""The top room: the only places that read the environment, print, or exit."""
