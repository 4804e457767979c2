"""`eval`: measure on gold questions and print a report people can read."""

from __future__ import annotations

import argparse
from pathlib import Path

from compliance_rag.faces.environment import Context
from compliance_rag.faces.output import print_json
from compliance_rag.faces.progress import Stages
from schemas.errors import EXIT_DONE


def evaluate(context: Context, arguments: argparse.Namespace) -> int:
    """Run one suite or all on our own corpus or on ``--data DIR``."""
    from compliance_rag.faces.render_eval import show_eval
    from eval.suites import run_suites

    data = None if arguments.data is None else Path(arguments.data)
    with Stages(quiet=context.quiet) as stages:
        report = run_suites(arguments.suite, data, stages.update)
    if context.as_json:
        print_json(report)
    else:
        show_eval(report)
    return EXIT_DONE
