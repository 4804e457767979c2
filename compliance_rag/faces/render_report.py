"""The ingest report on the terminal: counts, then what an editor should look at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from compliance_rag.faces.render import console, short

# The first few name the kind; the count is complete.
LINES_SHOWN = 4


def show_report(name: str, report: Mapping[str, Any], *, brief: bool = False) -> None:
    """Counts in one line, the balance of characters, each kind of finding with its first few; ``brief`` leaves out kinds that
    were not found."""
    out = console()
    counts = ", ".join(f"{count:,} {what}" for what, count in report["counts"].items() if count)
    out.print(Text(f"{name}: {counts}", style="dim"))
    balance = report["balance"]
    if balance:
        parts = f"{balance['clauses']:,} in clauses, {balance['furniture']:,} in furniture, {balance['remainder']:,} set aside"
        out.print(Text(f"  visible characters: {parts} under a flag", style="dim"))
    for title, finding in report["findings"].items():
        if (brief or title == "other") and not finding["count"]:
            continue
        out.print(Text(f"  {title}: {finding['count'] or 'none'}", style="yellow" if finding["count"] else "dim"))
        for line in finding["first"][:LINES_SHOWN]:
            out.print(Text(f"    {short(line, 140)}"))
