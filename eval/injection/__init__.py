"""Documents are data: attacks over every channel a text file has, and a server that obeys whatever it reads."""
