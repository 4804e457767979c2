"""`make bench`: prints the figures of the README."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from compliance_rag.faces.progress import Stages
from eval.bench import measure
from eval.suites import own_corpus


def main() -> None:
    """Measure on the folder given, else on the sample corpus."""
    data = Path(sys.argv[1]) if len(sys.argv) > 1 else own_corpus()
    with Stages(quiet=False) as stages:
        report = measure(data, stages.update)
    print(json.dumps(report, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
