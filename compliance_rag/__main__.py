"""`python -m compliance_rag`."""

from compliance_rag.faces.cli import main

main()
