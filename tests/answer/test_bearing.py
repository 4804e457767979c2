"""How one clause bears on another, with hand-made clauses and ties: what is cited for it and what is left out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compliance_rag.answer.select import choose
from compliance_rag.retrieve.types import EvidenceItem
from compliance_rag.store.rows import StoredClause
from schemas.objects import Role
from tests.answer.made import clause, ranking, version
from tests.answer.test_further import level, numbers, of_kind

LATE = "Where the police ask that owners not be told of a flood, the desk may postpone the notice required by clause 6."


def tie(one: StoredClause, origin: StoredClause, part: str, role: Role = "reference") -> EvidenceItem:
    """``one`` belongs to ``origin``."""
    return EvidenceItem(one, role, "made", 0.5, origin.clause_id, part)


def test_a_duty_answers_before_what_only_puts_it_off() -> None:
    """Asked whether the owners are told, the clause that lets the notice wait holds the words too, and is no answer."""
    late = clause("7", LATE, seq=7)
    duty = clause("6", "The desk ensures that owners are told of a flood by noon.", seq=6)
    question = "There was a flood. Do the owners have to be told?"
    ties = [tie(duty, late, "reference")]
    assert numbers(choose(question, ranking(question, late, duty), ties)) == ["6"]
    asks = "Do the owners have to be told of a flood even if the police object?"
    assert "7" in numbers(choose(asks, ranking(asks, late, duty), ties))


def test_a_duty_in_the_words_of_what_puts_it_off_is_not_repeated() -> None:
    """ "… that owners not be told of a flood, the desk may postpone the notice" says itself which notice waits."""
    late = clause("7", LATE, seq=7)
    duty = clause("6", "The desk ensures that owners are told of a flood by noon.", seq=6)
    question = "May the police make the desk postpone a notice?"
    assert numbers(choose(question, ranking(question, late), [tie(duty, late, "reference")])) == ["7"]


def test_the_rule_that_is_broken_stands_beside_the_ground() -> None:
    """What may be ended for a sublease without consent is answered with the clause that asks for the consent."""
    ground = clause("9.2", "The landlord may end the lease if the tenant sublets without written consent.", seq=9)
    rule = clause("4", "The tenant shall not sublet without the landlord's consent.", seq=4)
    other = clause("5", "The tenant shall not keep hens.", seq=5)
    question = "May the landlord end the lease over a secret lodger?"
    found = ranking(question, ground, other, rule)
    assert set(numbers(choose(question, found, []))) == {"9.2", "4"}
    itself = clause("9.2", "The landlord will not enter without the tenant's consent.", seq=9)
    question = "Will the landlord enter?"
    assert numbers(choose(question, ranking(question, itself, rule), [])) == ["9.2"]


def test_a_ground_in_chinese_brings_the_rule_it_breaks() -> None:
    """擅自分包 is breach of the clause that asks for consent to 分包."""
    ground = clause("9.1", "乙方擅自分包的，甲方可以解除合同。", seq=9)
    rule = clause("6", "未经甲方书面同意，乙方不得将服务分包给第三方。", seq=6)
    question = "什么情况下甲方可以解除合同？"
    found = ranking(question, ground, rule)
    assert set(numbers(choose(question, found, []))) == {"9.1", "6"}


def test_a_clause_that_ranks_other_texts_is_left_out() -> None:
    """A clause on the law's place above a policy says nothing of which of two documents holds."""
    one = clause("4", "The desk tells the council of a flood within three days.", row=version("desk"))
    other = clause("6", "The desk tells the council of a flood within one day.", row=version("policy"))
    law = clause("1", "Where the law requires an earlier telling, the law prevails.", row=version("desk"))
    question = "How fast is the council told of a flood, and which document prevails?"
    found = level(ranking(question, one, other))
    assert "1" not in numbers(choose(question, found, [tie(law, one, "precedence")]))


@pytest.mark.parametrize(
    ("words", "cited"),
    [
        (
            "Clause 8 of the policy is deleted and replaced by the following: “The fee for a boat is ninety pounds a year.”",
            False,
        ),
        ("In clause 8 of the policy the fee for a boat is changed to ninety pounds.", True),
    ],
)
def test_the_old_text_is_read_with_an_amendment_that_leaves_words_of_it(words: str, cited: bool) -> None:
    """A clause that is replaced whole is not cited beside its replacement; one of which words change is."""
    amendment = clause("2", words, row=replace(version("amendment"), amends="policy"))
    old = clause("8", "Every mooring costs fifty pounds.", row=version("policy"))
    question = "What is the fee for a boat?"
    found = choose(question, ranking(question, amendment), [tie(old, amendment, "reference")])
    assert ("8" in numbers(found)) is cited


def test_an_exception_to_both_texts_is_named_when_one_is_asked_to_win() -> None:
    """Which of two ceilings counts does not turn on what neither caps: it is named; asked for the ceiling, it is quoted."""
    old = clause("8", "The liability of the yard is limited to two thousand pounds a year.", row=version("lease"), seq=8)
    new = clause("2", "The liability of the yard is limited to three thousand pounds a year.", row=version("amendment"), seq=2)
    out = clause("9", "Nothing limits liability for fraud.", row=version("lease"), seq=9)
    ties = [tie(out, old, "exception", "exception")]
    question = "Which ceiling on the liability of the yard counts, the one in the lease or the one in the amendment?"
    choice = choose(question, level(ranking(question, new, old)), ties)
    assert "9" not in numbers(choice)
    assert [one.clause.number for one in choice.named] == ["9"]
    asks = "What is the ceiling on the liability of the yard in the lease?"
    assert "9" in numbers(choose(asks, ranking(asks, old), ties))


def test_beside_a_rule_a_definition_adds_something() -> None:
    """A definition that holds no more of the question than the rule is not cited beside it."""
    rule = clause("4", "Covert filming of keepers is forbidden at all times.", seq=4)
    means = of_kind(clause("2", '"Covert filming" means filming of which keepers were not told.', seq=2), "definition")
    question = "May keepers be filmed in secret at all times?"
    found = replace(level(ranking(question, rule, means)), hints=("covert filming",))
    assert numbers(choose(question, found, [])) == ["4"]


def test_a_permission_asked_for_is_not_answered_by_what_follows_from_it() -> None:
    """ "May a guest film?" is answered by what forbids it; that films are told of later adds no word and settles nothing."""
    rule = clause("4", "No guest may film in the hall.", seq=4)
    after = clause("5", "The guest is told of a film made in the hall within nine days.", seq=5)
    question = "May a guest film in the hall?"
    assert numbers(choose(question, level(ranking(question, rule, after)), [])) == ["4"]


def test_whom_an_exception_spares_is_cited_with_it() -> None:
    """Where the exception only points to who is spared, the clause that says so stands beside it; not beside one only named."""
    rule = clause("3", "A firm shall register each branch.", seq=3)
    out = clause("6", "Clause 3 does not apply in the cases to which section 8 applies.", seq=6)
    who = clause("8.1", "This section applies to a firm of fewer than ten persons.", seq=8)
    ties = [tie(out, rule, "exception", "exception"), replace(tie(who, rule, "delimits"), about=out.clause_id)]
    question = "Which firms must register a branch, and which are spared?"
    assert numbers(choose(question, ranking(question, rule), ties)) == ["3", "6", "8.1"]
    asks = "What must a firm register?"
    broad = [replace(ties[0], reach=9), ties[1]]
    assert numbers(choose(asks, ranking(asks, rule), broad)) == ["3"]


def test_the_graver_case_stands_beside_the_penalty() -> None:
    """Asked for the highest fine, the paragraph on serious cases is half of the answer."""
    fine = clause("12.1", "船员违反本规定排放废油的，由海事局处一千元以下罚款。", seq=1)
    grave = clause("12.2", "有前款规定的行为，情节严重的，处五万元以下罚款，并可以吊销船员证书。", seq=2)
    other = clause("12.3", "海事局应当公布处罚决定。", seq=3)
    question = "船员排放废油最高罚多少？"
    assert numbers(choose(question, ranking(question, fine, other, grave), [])) == ["12.1", "12.2"]
    question = "船员排放废油由谁处理？"
    assert "12.2" not in numbers(choose(question, ranking(question, fine, other, grave), []))


def test_the_graver_case_in_english() -> None:
    """ "If the breach is serious" continues the paragraph before it."""
    fine = clause("9.1", "A skipper who dumps oil is liable to a fine of not more than 900 euro.", seq=1)
    grave = clause("9.2", "If the breach is repeated within two years, the fine is not more than 40,000 euro.", seq=2)
    question = "What fine does a skipper pay who dumps oil?"
    assert numbers(choose(question, ranking(question, fine, grave), []))[:2] == ["9.1", "9.2"]


def test_the_duty_stands_beside_what_lets_it_off() -> None:
    """Who may stay silent is told with the paragraph that says who must be told."""
    duty = clause("4.1", "发生漏油的，船长应当立即通知港务局和邻船。", seq=1)
    off = clause("4.2", "船长采取措施能够避免漏油造成危害的，可以不通知邻船。", seq=2)
    apart = clause("8.1", "船长应当每日通知港务局天气。", seq=9)
    question = "漏油要通知谁？什么情况可以不通知邻船？"
    assert set(numbers(choose(question, ranking(question, off, apart, duty), []))) == {"4.2", "4.1"}
