"""Answers from the rules in force on a day, with the clause, the words, and the proof."""

__version__ = "0.1.0"
