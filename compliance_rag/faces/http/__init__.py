"""The HTTP service: the contract's calls behind bearer keys, and the page on top of them."""
