"""Showing the very words: a page as a picture with boxes highlighted, a clause in its context with its words marked."""
