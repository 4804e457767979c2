"""The ledger: writer, tree, head, checkpoints, proofs, and a verifier that trusts nobody."""
