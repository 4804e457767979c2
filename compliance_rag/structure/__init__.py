"""Terms, references, exceptions, kinds, dates and risks found in a clause tree."""
