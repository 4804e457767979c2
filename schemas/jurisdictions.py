"""Jurisdiction codes: ISO 3166-1 alpha-2, ISO 3166-2, ``EU`` and ``INT``; read here and nowhere else."""

from __future__ import annotations

import re

from schemas.errors import InputRejected


def _codes(text: str) -> frozenset[str]:
    return frozenset(text.split())


COUNTRIES = _codes("""
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC
    CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD
    GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH
    KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW
    MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC
    SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY
    UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
""")
BEYOND = frozenset({"EU", "INT"})
# Subdivisions of the countries whose lists are closed and short enough to keep; elsewhere the form decides.
SUBDIVISIONS = {
    "US": _codes("""
        AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR
        PA RI SC SD TN TX UT VT VA WA WV WI WY DC AS GU MP PR UM VI
    """),
    "CA": _codes("AB BC MB NB NL NS NT NU ON PE QC SK YT"),
    "AU": _codes("NSW QLD SA TAS VIC WA ACT NT"),
    "CN": _codes("AH BJ CQ FJ GD GS GX GZ HA HB HE HI HK HL HN JL JS JX LN MO NM NX QH SC SD SH SN SX TJ TW XJ XZ YN ZJ"),
    "DE": _codes("BB BE BW BY HB HE HH MV NI NW RP SH SL SN ST TH"),
}
_SUBDIVISION = re.compile(r"([A-Z]{2})-([A-Z0-9]{1,3})\Z", re.ASCII)


def jurisdiction(code: str, where: str = "jurisdiction") -> str:
    """The code in upper case. Raises InputRejected ``unknown_jurisdiction`` for anything that is not one."""
    text = code.strip().upper()
    if text in COUNTRIES or text in BEYOND:
        return text
    found = _SUBDIVISION.match(text)
    if found and found[1] in COUNTRIES and (found[1] not in SUBDIVISIONS or found[2] in SUBDIVISIONS[found[1]]):
        return text
    raise InputRejected(
        "unknown_jurisdiction",
        f"{where}: {code!r} is no jurisdiction; write ISO 3166 codes such as GB or US-DC, EU, or INT.",
        where,
    )


def with_ancestors(code: str) -> frozenset[str]:
    """The code and what it lies in: ``US-DC`` gives ``US-DC`` and ``US``."""
    text = jurisdiction(code)
    return frozenset({text, text.partition("-")[0]})
