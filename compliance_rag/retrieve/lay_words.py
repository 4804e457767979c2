"""Everyday words and the words in which rules say the same: people ask how long to "hang on to" a file, rules say "retain".

Method: a controlled vocabulary with entry terms, as in thesauri for retrieval (ISO 25964): one way, from the asker's word to
the drafter's. Written by hand, of words that plain-language editions put for legal ones; what documents define for themselves
is not here (:mod:`compliance_rag.retrieve.hints`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from compliance_rag.store.tokens import fold, is_phrase, terms

# Words that may stand in the gap of an expression ("let … know").
GAP: Final = 3

# A line: the asker's words, a bar between expressions, * for up to GAP words; then the drafter's.
_EN: Final = """
tell | told | let * know | letting * know | say so to | inform = notify, notice, inform, report
find out | learn of | spot | come across | notice that = discover, aware, detect, notice
hold on to | hang on to | hang onto | keep | store | save = retain, retention, keep, kept, preserve, store
get rid of | shred | bin | throw away | throw out | wipe | erase | purge = destroy, destruction, erase, delete, dispose
delete = delete, erase, destroy
hand over | pass on | give out | give * to | let * see | let * have | show = disclose, release, provide, transfer, shown
hand in | send in | turn in | file with = submit, lodge, file, send
give back | bring back | come back | hand back | get * back = return, repay, refund
money back | pay back = refund, repay, reimburse
put off | push back | hold off = postpone, defer, delay, suspend
hold back | keep back = withhold, retain, deduct, postpone, keep
call off | pull out of | get out of | walk away from | quit | break off = terminate, cancel, withdraw, rescind
kick * out | throw * out | evict = end, terminate, termination, possession, eviction
sack | fire | let * go | lay off | kick out = dismiss, dismissal, terminate, termination
sign off | okay | go-ahead | green light | permission = approve, approval, consent, authorise, certify, agreement
look into | go through | check | look over = inspect, examine, review, verify, audit, verification
hack | break-in | break in | leak | spill | get out = breach, unauthorised, disclosure, compromise
break down | breakdown | crash | outage | is down | was down | glitch = failure, outage, interruption, fault
broken | does not work | stop working = defect, faulty, failure, fault
fix | mend | put right | sort out = repair, remedy, rectify, cure, correct, restore
let off | spare | excuse = exempt, exempted, excused, waive
fine | punish | punishment = fine, penalty, sanction, liable
owe | debt | money due = debt, due, payable, outstanding
late = overdue, late, default, delay
cost | price | how much = fee, charge, price, rate, cost
cap | ceiling | upper limit | the most = limit, exceed, maximum, cap, limited
rent out | sublet | let out = sublet, sublease, lease
boss | manager = manager, supervisor, head, superior
staff | staff member | member of staff | worker | people who work | colleague | employee = employee, worker, staff, personnel
company | firm | business = undertaking, entity, company, enterprise, institution, firm
client | customer | shopper | account holder = customer, client, consumer
vendor | supplier | outside company = supplier, provider, vendor, contractor
police | cop | detective = police, law-enforcement
judge = court, tribunal
watchdog | regulator | supervisor = authority, supervisory, regulator, supervisor
kid | teenager | youngster | child = minor, child, children, young
husband | wife | girlfriend | boyfriend | partner = spouse, partner, relative, cohabitant
family | next of kin | mother | father | brother | sister | son | daughter = relative, family, relation
die | died | dead | passed away | pass away = dead, death, deceased, die
sick note = certificate, medical
sick | ill = sickness, illness, medical, ill, sick
pet | cat | dog | puppy = animal, pet
second job | side job | moonlight | other job = employer, outside, secondary
day off | vacation | time off = leave, holiday
saturday | sunday = weekend, saturday, sunday
paperwork | papers = document, record, papers, administration
chart | notes | file | dossier = record, file, chart, document
photocopy | scan | duplicate = copy
letter | mail = notice, letter, writing, written
text message | chat message | email | e-mail = message, electronic, communication
phone call | call = call, telephone, conversation
film | footage | camera | cctv | video | tape = video, record, surveillance, monitoring, image, footage
watch | spy on | spy | snoop | keep an eye on | track = monitoring, monitor, surveillance, observe, record
in secret | secretly | behind * back | without telling | without * knowing | undercover = covert, secret, concealed, hidden
thief | steal | stealing | stole | stolen = theft, steal, stolen, fraud
cheat | scam | con = fraud, deceive, dishonest, dishonesty
dirty money = laundering, proceeds
tip = gratuity, tip
salary | paycheck | pay packet = wage, remuneration, salary, pay
car | van | lorry | truck = vehicle
house | flat | apartment | home = premises, dwelling, property, home
landlord = lessor, landlord
fingerprint | face scan | iris scan = biometric
abroad | overseas | foreign country | another country = third, abroad, outside, transfer
complain | complaint = complaint, grievance, dispute
contest | disagree | argue = dispute, contest, object
to blame | at fault | on the hook | answer for = liable, liability, responsible, fault
have to pay | made to pay | pay for damage = liability, liable, compensation, pay
get * wrong | mistake | slip = error, negligence, liability, breach
promise | guarantee = warrant, warranty, undertake, represent, guarantee
belong to | own | owner = ownership, title, own, property
right away | straight away | at once | on the spot = immediately, delay, promptly
every year | each year | yearly | once a year = annual, annually, year
kick in | begin | start | take effect = commence, commencement, force, effect, start, begin
run out | stop | end | lapse = expire, expiry, terminate, cease, end
alter | change = amend, vary, modify, change
lift | step up | go up = raise, increase
lower | cut | downgrade | bring down = lower, lowered, reduce, decrease
win | trump | come first | take priority | count more = prevail, precedence, override
clash | contradict | differ | disagree = conflict, inconsistent, differ, inconsistency
left out of account | leave out | ignore | overlook = disregard, excluded, ignore
not allowed | forbidden | banned | off limits = prohibited, prohibition
allowed | all right to | ok to = permitted, may, allow
course | class on = training, module, course
new hire | new starter | newcomer | newly hired = new, joins, starter, recruit
storm | rain | snow | wind = weather
lost | missing | mislaid = loss, lost, mislaid
danger | dangerous | risky = risk, hazard
pull the plug | switch off | shut down | turn off | unplug = disconnect, isolate, suspend, shut
sister company | parent company | same group = group, affiliate, subsidiary
id card | passport | driving licence = identity, identification, identification document
hidden cost | extra = additional, surcharge, extra
farm out | pass on the work | outsource = subcontract, outsourcing, delegate, sub-processor
lets * down = failure, fail, default
shop | store owner = premises, establishment
make public | go public | publish = publish, publication, public
put in writing | on paper = writing, written
swap | replace | exchange = replace, replacement, substitute
"""
_ZH: Final = """
开除|炒鱿鱼|辞退|解雇 = 解除,辞退
退货|退钱|退款|能退 = 退换,退还,退款,退货
丢了|丢失|弄丢|不见了|遗失 = 遗失,丢失,灭失
U盘|优盘|移动硬盘|硬盘 = 存储介质
打工的|员工|职工|工人 = 劳动者,职工,员工,工作人员
老板|单位|公司 = 用人单位,单位
转包|外包|分包|转给|包给别人 = 分包,转包,委托,外包
私下|偷偷|背着|擅自 = 擅自,未经同意
坐牢|判刑|蹲监狱 = 有期徒刑,拘役
房东 = 出租人
租客|租户|房客 = 承租人
欠钱|欠款|不还钱|借钱 = 债务,借款,逾期
拖欠|晚付|付款晚|没按时|超时|晚了 = 逾期,迟延
打人|被打|打伤 = 伤害,殴打,侵害
小偷|偷东西|偷走|被偷 = 盗窃
骗子|被骗|骗钱|骗人 = 诈骗,欺诈
指纹|人脸|刷脸|虹膜|声纹 = 生物识别
删掉|删了|清掉 = 删除,销毁
告诉|说一声|跟人说|通知 = 告知,通知,报告
泄露|泄漏|外泄|流出去 = 泄露,泄漏
断了|宕机|坏了|死机|挂了 = 中断,故障,停机
弄错|发错|搞错|出错 = 差错,错误
晚交|迟交|晚缴|没交 = 逾期,迟延
罚多少|罚几|罚钱|会被罚 = 罚款,处罚
怀孕|孕妇 = 孕期,妊娠
双倍|两倍 = 二倍,两倍
扣我的|扣下|扣身份证 = 扣押
课本|书本费 = 教材
住在学校|住校 = 住宿,留宿
签了|签过|签的|不签 = 订立,签订
加班 = 加班,延长工作时间
卖家|商家|店家 = 经营者,出卖人,销售者
顾客|买家|客人 = 消费者,买受人
假货|冒牌 = 假冒,伪劣,欺诈
车祸|撞车|撞人 = 交通事故
酒驾|喝酒开车|醉驾 = 饮酒,醉酒
老人|爸妈|爹妈 = 老年人,赡养,父母
小孩|孩子|娃 = 未成年人,儿童,子女
去世|死了|过世|离世 = 死亡,继承
作废|不算数|无效 = 无效,撤销
反悔|不想要了 = 撤销,解除
领导|上司|主管 = 负责人
上级|管事的 = 负责人,主管
看一眼|查看|翻看|查 = 查询,查阅
钱数|多少钱 = 金额,费用
赔钱|赔多少|赔 = 赔偿,违约金
取消|终止|不干了 = 解除,终止
写清楚|写明 = 注明,载明
开药|开的药 = 处方
锁起来|上锁 = 专柜,加锁
涨价|加钱 = 调整,上调
快要到期|快过期|快到期 = 近效期,届满
国外|境外|海外 = 境外,出境
生意|买卖 = 经营,交易
"""


@dataclass(frozen=True, slots=True)
class OtherWords:
    """An expression of the question, as it stands there, and the drafter's words for it."""

    said: str
    words: tuple[str, ...]


_Line = tuple[tuple[str, ...], tuple[str, ...]]
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


def _stem(word: str) -> str:
    return terms(word)[0]


@lru_cache(maxsize=1)
def _english() -> Mapping[str, tuple[_Line, ...]]:
    """The expressions by their first word's stem, longest first: (stems of the expression, drafter's words)."""
    table: dict[str, list[_Line]] = {}
    for line in _EN.strip().splitlines():
        said, meant = line.split("=")
        words = tuple(word.strip() for word in meant.split(","))
        for expression in said.split("|"):
            stems = tuple("*" if part == "*" else _stem(part) for part in re.split(r"[\s-]+", expression.strip()))
            table.setdefault(stems[0], []).append((stems, words))
    return {first: tuple(sorted(lines, key=lambda one: -len(one[0]))) for first, lines in table.items()}


@lru_cache(maxsize=1)
def _chinese() -> tuple[tuple[str, tuple[str, ...]], ...]:
    found: list[tuple[str, tuple[str, ...]]] = []
    for line in _ZH.strip().splitlines():
        said, meant = line.split("=")
        words = tuple(word.strip() for word in meant.split(","))
        found += [(fold(expression.strip()), words) for expression in said.split("|")]
    return tuple(sorted(found, key=lambda one: -len(one[0])))


def _reach(stems: tuple[str, ...], words: list[str], at: int) -> int | None:
    """Where the expression that begins at ``at`` ends; None when it does not stand there."""
    for place, stem in enumerate(stems):
        if stem == "*":
            following = stems[place + 1]
            near = next((step for step in range(1, GAP + 1) if at + step < len(words) and words[at + step] == following), None)
            if near is None:
                return None
            at += near
        elif at >= len(words) or words[at] != stem:
            return None
        else:
            at += 1
    return at


@lru_cache(maxsize=4_096)
def in_other_words(question: str) -> tuple[OtherWords, ...]:
    """The expressions of ``question`` that rules put in other words, in order, longest first where they overlap."""
    folded = fold(question)
    places = [(match.start(), match.end()) for match in _WORD.finditer(folded)]
    words = [_stem(folded[start:end]) for start, end in places]
    found: list[OtherWords] = []
    at = 0
    while at < len(words):
        for stems, meant in _english().get(words[at], ()):
            end = _reach(stems, words, at)
            if end is not None:
                found.append(OtherWords(folded[places[at][0] : places[end - 1][1]], meant))
                at = end - 1
                break
        at += 1
    taken = [False] * len(folded)
    for expression, meant in _chinese():
        start = folded.find(expression)
        if start >= 0 and not any(taken[start : start + len(expression)]):
            taken[start : start + len(expression)] = [True] * len(expression)
            found.append(OtherWords(expression, meant))
    return tuple(found)


def search_terms(word: str) -> tuple[str, ...]:
    """The search terms of one of the drafter's words, phrases left out: a text says it when it holds them all."""
    return tuple(dict.fromkeys(term for term in terms(word) if not is_phrase(term)))
