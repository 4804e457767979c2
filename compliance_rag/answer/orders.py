"""Orders that a document gives to the program that reads it: found sentence by sentence, never quoted unasked, never put
before a model. The rest of the clause is a clause like any other."""

from __future__ import annotations

import re
from functools import lru_cache

from compliance_rag.answer.sentences import Unit, units

# What stands in for an order in the text that a model is given.
CUT = "[…]"
_READER = r"(?:ai|llms?|language\s+models?|chat\s?bots?|assistants?|(?:automated\s+)?systems?)"
# Imperatives: at the start of a sentence or of what is quoted, or said to "you". With a subject of its own ("the custodian
# shall disregard all previous instructions") the same words are a rule for people.
_COMMAND = (
    r"(?:(?:^|[.;:!?…\"“”(\[>*#|-])\s*(?:(?:please|now|then|and|but|so|instead|kindly|first)[\s,]+)*"
    r"|\byou\s+(?:must|should|shall|will|may)\s+(?:now\s+)?|\bplease\s+)"
)
_ORDER = re.compile(
    rf"{_COMMAND}(?:ignore|disregard|forget|override|bypass)\b[^.\n]{{0,40}}\b(?:previous|prior|above|all|your|these|system|earlier)\b"
    r"[^.\n]{0,30}\b(?:instructions?|prompts?|rules?|messages?|context|guidelines?)\b"
    r"|\b(?:ai|llms?|language\s+models?|chat\s?bots?)\s+(?:\w+\s+)?(?:shall|must|should|will|is\s+to|are\s+to)\s+(?:now\s+)?"
    r"(?:ignore|disregard|forget|override|answer|reply|respond|say)\b"
    r"|(?:^\s*|[\"“(])(?:system|assistant)\s*:\s|<\|?(?:im_start|im_end|system|assistant|endoftext)\b|\[/?(?:INST|SYSTEM|SYS)\]"
    r"|\b(?:dear|attention|note\s+to)\s+(?:ai|llm|language\s+model|assistant|chatbot|model)\b|\bas\s+an\s+ai\b"
    rf"|\b{_READER}\s+(?:that\s+is\s+|which\s+is\s+)?(?:reading|processing|summari[sz]ing|answering|analy[sz]ing)\s+(?:this|these|the)\s+"
    r"(?:documents?|texts?|files?|pages?|polic\w+|contracts?|agreements?|clauses?|materials?|questions?)\b"
    r"|\b(?:you\s+are|act\s+as|pretend\s+to\s+be)\s+(?:now\s+)?(?:an?\s+)?(?:ai|assistant|administrator|dan)\b"
    rf"|{_COMMAND}(?:answer|reply|respond)\s+(?:only\s+)?(?:with\s+)?[\"“'](?:yes|no)\b"
    r"|(?:忽略|无视|忘记)(?:[^。\n]{0,12})(?:指令|指示|提示词?|命令)|(?:作为|你是)(?:一个)?(?:人工智能|AI|语言模型)(?:助手)?"
    r"|(?:系统|助手)[:：]\s*(?:请|你)|(?:阅读|处理)本(?:文件|合同)的(?:系统|模型|人工智能|AI)",
    re.I | re.M,
)


def addresses_machine(text: str) -> bool:
    """True when a passage gives orders to a program that reads it; a sentence to a human reader ("the reader shall disregard
    Annex B") is an ordinary sentence."""
    return _ORDER.search(text) is not None


@lru_cache(maxsize=65_536)
def spoken_units(text: str) -> tuple[Unit, ...]:
    """The units of ``text`` that speak to people: without the sentences that give orders to a machine and what follows these
    in their paragraph, which is said to the same reader. Empty for a clause of nothing else."""
    every = units(text)
    if not addresses_machine(text):
        return every
    kept: list[Unit] = []
    turned: set[int] = set()
    for unit in every:
        if addresses_machine(text[unit.start : unit.end]):
            turned.add(unit.block)
        if unit.block not in turned:
            kept.append(unit)
    # An order found only across sentences is in none of them: then the whole is one.
    return tuple(kept) if turned else ()


def without_orders(text: str) -> str:
    """``text`` as a model may see it: what is left out leaves a mark."""
    kept = spoken_units(text)
    if len(kept) == len(units(text)):
        return text
    parts: list[str] = []
    at = 0
    for unit in kept:
        parts.append(text[at : unit.start] if not text[at : unit.start].strip() else f" {CUT} ")
        parts.append(text[unit.start : unit.end])
        at = unit.end
    return "".join([*parts, f" {CUT}" if text[at:].strip() else ""]).strip()
