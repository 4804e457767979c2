"""What answers beside the first clause, and what does not, with hand-made clauses and ties."""

from __future__ import annotations

from dataclasses import replace

from compliance_rag.answer.select import CITATION_LIMIT, Choice, choose
from compliance_rag.answer.terms import stem
from compliance_rag.retrieve.types import EvidenceItem, Ranking
from compliance_rag.store.rows import StoredClause
from schemas.objects import Role
from tests.answer.made import clause, ranking, version


def tie(one: StoredClause, origin: StoredClause, part: str, role: Role = "reference", about: str = "") -> EvidenceItem:
    """``one`` belongs to ``origin``."""
    return EvidenceItem(one, role, "made", 0.5, origin.clause_id, part, about)


def numbers(choice: Choice) -> list[str | None]:
    """The numbers cited, in reading order."""
    return [piece.clause.clause.number for piece in choice.pieces]


def of_kind(one: StoredClause, *kinds: str) -> StoredClause:
    """The clause with these kinds."""
    return replace(one, clause=replace(one.clause, kinds=kinds))


def level(found: Ranking) -> Ranking:
    """All candidates at one place."""
    return replace(found, candidates=tuple(replace(one, score=1.0) for one in found.candidates))


def test_a_definition_is_no_further_rule() -> None:
    """The question says the term and asks for the rule: what the term means is not asked."""
    rule = clause("5", "A keeper shall lock the reptile house at dusk.", seq=5)
    means = of_kind(
        clause("2", 'The "reptile house" is the building at the pond that a keeper shall lock.', seq=2), "definition"
    )
    question = "When must a keeper lock the reptile house?"
    assert numbers(choose(question, ranking(question, rule, means), [])) == ["5"]
    asks = "What counts as a reptile house?"
    assert "2" in numbers(choose(asks, ranking(asks, means, rule), []))


def test_a_rule_that_is_subject_to_a_thing_yields_to_no_clause() -> None:
    """ "Subject to a curfew" names no clause to which the rule would yield."""
    held = clause("7", "Notwithstanding clauses 3 and 4, a boat that is subject to a curfew stays in the harbour.", seq=7)
    rule = clause("4", "A boat shall leave the harbour within nine days.", seq=4)
    question = "Within how many days must a boat leave?"
    assert numbers(choose(question, ranking(question, rule), [tie(rule, held, "reference")])) == ["4"]


def test_a_clause_that_is_only_made_way_for_stands_alone() -> None:
    """A cap that leaves out another clause's cases is no rule of that clause unless it speaks of what is asked."""
    rule = clause("5", "The carrier tells the owner of a damaged crate within eight hours.", seq=5)
    cap = clause("9", "Except in the cases of clause 5, compensation never exceeds the yearly price.", seq=9)
    question = "How soon is the owner told of a damaged crate?"
    assert numbers(choose(question, ranking(question, rule), [tie(cap, rule, "rule")])) == ["5"]
    asks = "How soon is the owner told of a damaged crate, and how much compensation is paid at most?"
    assert "9" in numbers(choose(asks, ranking(asks, rule), [tie(cap, rule, "rule")]))


def test_the_duty_that_is_put_off_is_cited() -> None:
    """ "May postpone the survey required by clause 6" says nothing without clause 6; a mere mention draws nothing in."""
    duty = clause("6", "The master orders a survey of the hull every spring.", seq=6)
    late = clause("8", "In a storm the owner may postpone the survey required by clause 6 for ten days.", seq=8)
    question = "What may the owner do in a storm?"
    assert numbers(choose(question, ranking(question, late), [tie(duty, late, "reference")])) == ["8", "6"]
    seen = clause("8", "In a storm the owner may read the report made under clause 6.", seq=8)
    assert numbers(choose(question, ranking(question, seen), [tie(duty, seen, "reference")])) == ["8"]


def test_the_rule_comes_with_what_does_not_fall_under_it() -> None:
    """ "… is not an event beyond its reasonable control" draws a line for the sentence before it."""
    rule = clause("10.1", "A tenant hindered by an event beyond reasonable control is excused.", seq=1)
    line = clause("10.2", "A lack of workers is not an event beyond reasonable control.", seq=2)
    other = clause("10.3", "A lack of workers is told to the office.", seq=3)
    question = "Does a lack of workers help the tenant?"
    assert {"10.1", "10.2"} <= set(numbers(choose(question, ranking(question, line, other, rule), [])))


def test_a_part_without_words_of_its_own_is_answered_by_its_quantity() -> None:
    """ "… and how soon?" is answered by the sentence on the same subject that gives a time."""
    duty = clause("10.1", "An operator shall report a failure of the pump to the council.", seq=1)
    time = clause("10.2", "The council receives the report on a failure within four hours.", seq=2)
    question = "Must an operator report a failure of the pump to the council, and how soon?"
    assert {"10.1", "10.2"} <= set(numbers(choose(question, ranking(question, duty, time), [])))


def test_the_exceptions_of_the_rule_answer_the_part_that_asks_for_them() -> None:
    """ "… and may some be kept longer?" is answered by what is excepted, not by another clause with these words."""
    rule = clause("6.1", "Torn nets of the northern fleet shall be burnt by the harbour master after sixty days.", seq=1)
    out = clause("6.2", "Clause 6.1 does not apply to a net that is needed as evidence.", seq=2)
    words = clause("3.2", "A label says that a line is kept longer.", seq=9)
    question = "When must torn nets of the northern fleet be burnt by the harbour master, and may some be kept longer?"
    choice = choose(question, ranking(question, rule, words), [tie(out, rule, "exception", "exception")])
    assert numbers(choice) == ["6.1", "6.2"]


def test_who_we_are_answers_no_question() -> None:
    """A clause that says who "we" and "you" are repeats the words of every question; it answers one that asks for it."""
    who = of_kind(clause("1", '"We" means the ferry company and "you" the passenger; we pay and you pay.', seq=1), "definition")
    rule = clause("8", "Our liability is limited to one hundred euro.", seq=8)
    question = "What is the most that we pay you?"
    assert numbers(choose(question, level(ranking(question, who, rule)), [])) == ["8"]
    both = of_kind(clause("2", '"You" means the passenger. A dog travels free of charge on the upper deck.'), "definition")
    asks = "On which deck does a dog travel free of charge?"
    assert numbers(choose(asks, ranking(asks, both), [])) == ["2"]


def test_the_contrary_of_what_is_asked_about_gives_way_to_every_other_case() -> None:
    """ "A spill that is not grave" falls under the rule on every other spill."""
    grave = clause("4.1", "A grave spill shall be reported within two hours.", seq=1)
    rest = clause("4.2", "Every other spill shall be reported by the end of the week.", seq=2)
    question = "By when must a spill that is not grave be reported?"
    assert numbers(choose(question, ranking(question, grave, rest), [])) == ["4.2"]
    asks = "By when must a grave spill be reported?"
    assert numbers(choose(asks, ranking(asks, grave, rest), []))[0] == "4.1"


def test_what_makes_a_thing_one_of_a_kind_stands_in_its_definition() -> None:
    """ "Before it counts as …" is answered by the definition, though a table holds more of the words."""
    table = clause("9", "The failure of a vital pump for two hours is entered in the log of pumps.", seq=9)
    means = of_kind(
        clause("3", '"vital pump" means a pump whose failure for five hours would flood the mine.', seq=3), "definition"
    )
    question = "How long must a failure last before a pump counts as a vital one?"
    assert numbers(choose(question, level(ranking(question, table, means)), []))[0] == "3"


def test_a_permission_is_asked_for_by_may() -> None:
    """Of two sentences alike in words, the one that forbids answers whether something may be done."""
    told = clause("4.3", "Night fishing is told to the warden.", seq=1)
    banned = clause("4.1", "Night fishing is prohibited.", seq=2)
    question = "Can a guest go night fishing?"
    assert numbers(choose(question, level(ranking(question, told, banned)), []))[0] == "4.1"


def test_an_item_that_says_what_must_be_told_tells_nothing() -> None:
    """ "How long it is kept" in a list of what a notice states is no time."""
    item = clause("3.2.c", "how long a picture is kept.", seq=3)
    rule = clause("6.1", "A picture is kept for nine weeks.", seq=6)
    question = "How long is a picture kept?"
    assert numbers(choose(question, level(ranking(question, item, rule)), [])) == ["6.1"]


def test_another_document_without_the_party_named_is_left_out() -> None:
    """The question names a party of one contract; a like clause of a contract without that party answers nobody."""
    ours = clause("8", "The Haulier may be audited once a year on thirty days' notice.", row=version("haulage"))
    theirs = clause("7", "The Client may audit the premises once a year on fifteen days' notice.", row=version("cleaning"))
    question = "How often may Veloway be audited, and on how many days' notice?"
    found = level(ranking(question, ours, theirs))
    assert len(numbers(choose(question, found, []))) == 2
    assert numbers(choose(question, replace(found, hints=("Haulier",)), [])) == ["8"]


def test_the_clause_that_says_which_document_holds_stands_beside_both() -> None:
    """Two documents answer, and one of them says which prevails."""
    one = clause("4", "The desk tells the council of a flood within three days.", row=version("desk"))
    other = clause("6", "The desk tells the council of a flood within one day.", row=version("policy"))
    prevails = clause("1", "Where this manual and the policy differ, the policy prevails.", row=version("desk"))
    question = "How fast is the council told of a flood, and which document prevails?"
    found = level(ranking(question, one, other))
    assert "1" in numbers(choose(question, found, [tie(prevails, one, "precedence")]))
    alone = ranking(question, one)
    assert "1" not in numbers(choose(question, alone, [tie(prevails, one, "precedence")]))


def test_an_exception_is_never_cut_in_its_list() -> None:
    """The items of an exception are the rest of its sentence and go beyond the limit of citations."""
    rule = clause("2", "Hens are fed at dawn.", seq=1)
    out = clause("9", "Clause 2 does not apply to hens that are:", seq=2)
    items = [clause(f"9.{name}", f"hens in {place};", seq=3 + at) for at, (name, place) in enumerate(
        zip("abcdefg", ("quarantine", "moult", "transit", "cages", "sheds", "crates", "coops"), strict=True))]  # fmt: skip
    question = "When are hens fed, and is that always so?"
    found = choose(question, ranking(question, rule, *items), [tie(out, rule, "exception", "exception")])
    assert len(found.pieces) > CITATION_LIMIT


def test_nouns_and_verbs_of_one_root_meet() -> None:
    """The law says "termination", people say "terminate"."""
    for left, right in (("agree", "agreement"), ("own", "ownership"), ("terminate", "termination"), ("notify", "notification"),
                        ("require", "requirement"), ("delete", "deletion"), ("manage", "management")):  # fmt: skip
        assert stem(left) == stem(right), (left, right)
    assert stem("part") != stem("party")


def test_both_rules_of_a_joined_question_bring_their_exceptions() -> None:
    """Two things are asked; what is excepted from the second rule is cited like what is excepted from the first."""
    hens = clause("2", "Hens are fed at dawn.", seq=1)
    ducks = clause("3", "Ducks are fed at dusk.", seq=2)
    out = clause("9", "Clause 3 does not apply on the pond.", seq=9)
    question = "When are hens fed, and when are ducks fed?"
    found = choose(question, ranking(question, hens, ducks), [tie(out, ducks, "exception", "exception")])
    assert {"2", "3", "9"} <= set(numbers(found))
