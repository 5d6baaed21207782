"""Subjects by which machines are known that set no header of their own: absence notes, receipts, reports.

Each must stand where the machine writes it, at the beginning, and no command begins so. Whoever answers such a
mail writes `Re:` before it. Words that a person may write there too count only as the Subject of an answer, which
no person's is without `Re:`.
"""

import re
from typing import Final, Literal

_MOST: Final = 400
"""Characters of a Subject that are looked at."""

_AUTOMATIC: Final = """
    Automatic (?:reply|response)|Auto[-\\s]?(?:reply|response|responder)
    |Vacation (?:reply|response|message|notice)
    |(?:Your )?Out[-\\s]of[-\\s]office (?:auto[-\\s]?)?(?:reply|response|message)
    |Away from (?:my )?(?:mail|e-?mail)|Automatische Antwort|Auto[-\\s]?Antwort
    |Abwesenheits(?:notiz|nachricht|benachrichtigung|meldung|assistent)|R[ée]ponse automatique
    |Message automatique|Absence du bureau|Respuesta autom[áa]tica|Resposta autom[áa]tica
    |Risposta automatica|Automatisch (?:antwoord|bericht)|Afwezigheids(?:bericht|assistent)|Autosvar
    |Automatiskt? svar|Frav[æa]rs(?:besked|melding)|Automaattinen vastaus|Poissaolo(?:viesti|ilmoitus)
    |Odpowied[źz] automatyczna|Automatyczna odpowied[źz]|Autoodpowied[źz]|Автоматический ответ|Автоответ
    |Автоматична відповідь|Automatick[áa] odpov[ěe][ďd]|Automatikus v[áa]lasz|R[ăa]spuns automat
    |Otomatik (?:yan[ıi]t|cevap)|Αυτόματη απάντηση|自動返信|自動応答|自動回覆|自動回复|自动回复|自动答复
    |不在通知|자동 ?회신|자동 ?응답|부재 ?중 ?자동 ?회신
"""
_AWAY_FROM: Final = """
    (?:Your )?Out[-\\s]of[-\\s](?:the[-\\s])?office|Auto|OOO|Abwesenheit|Absent\\(e\\) du bureau
    |Fuera de(?: la)? oficina|Aus[êe]ncia tempor[áa]ria|Fuori sede|Fuori ufficio|Afwezig|Niet aanwezig
    |Fr[åa]nvaro|Frav[æa]r|Poissaolo|Nieobecno[śs][ćc]|Нет на работе|Mimo kancel[áa][řr]|不在届|부재 중
"""
_ON_LEAVE: Final = """
    (?:(?:Ich )?bin )?(?:(?:derzeit|zur Zeit|momentan) )?(?:abwesend|nicht im B[üu]ro|im Urlaub)|Urlaub
    |Urlaubs(?:meldung|notiz|abwesenheit)|Not in the office|On (?:vacation|leave|holiday)|Absence|Absent|Away
    |Absent\\(e\\)|Absente|Hors du bureau|Pas au bureau|En (?:vacances|cong[ée]s?)|Ausente|De vacaciones
    |Fuera del? despacho|Fora do escrit[óo]rio|Aus[êe]ncia|De f[ée]rias|Assente|Assenza|In ferie|Non in ufficio
    |Op vakantie|Met vakantie|Afwezigheid|Buiten kantoor|P[åa] semester|Semester|Ej p[åa] plats|Inte p[åa] kontoret
    |P[åa] ferie|Frav[æa]rende|Ikke (?:p[åa] kontoret|til stede)|Ude af kontoret|Ikke på kontoret|Lomalla
    |Poissa(?: toimistolta)?|En ole paikalla|Na urlopie|Poza biurem|Nieobecny|Nieobecna|Dovolen[áa]
    |Nep[řr][íi]tomen|Nep[řr][íi]tomnost|Jsem mimo kancel[áa][řr]|В отпуске|Отпуск|Отсутствую|Меня нет в офисе
    |Вне офиса|Szabads[áa]gon|H[áa]zon k[íi]v[üu]l|休暇中|外出中|不在|休假|外出|부재중
"""
_REPORTS: Final = """
    Delivery Status Notification|Delivery (?:has )?fail(?:ure|ed)|Mail delivery (?:failed|failure|system)
    |Undelivered Mail|Undeliverable(?: (?:mail|message))?|Undeliverable mail|Returned mail|Failure notice
    |Mail System Error|Message undeliverable|Message delivery (?:failure|delayed)|Delayed Mail
    |Warning: (?:could not send|message)|Unzustellbar|Nicht zustellbar|Zustellung fehlgeschlagen
    |Non remis|[ÉE]chec de (?:la )?(?:remise|distribution|livraison)|Non distribuable
    |No se puede entregar|No se pudo entregar|No entregado|Non recapitabile|Mancato recapito|Impossibile recapitare
    |Onbestelbaar|Kan niet worden bezorgd|Niet bezorgd|G[åa]r inte att leverera|Kunde inte levereras|Olevererbart
    |Kan ikke leveres|Ikke leveret|Ikke levert|Ikke leverbar|Ei voida toimittaa|Toimittaminen ep[äa]onnistui
    |Nie mo[żz]na dor[ęe]czy[ćc]|Nie mo[żz]na dostarczy[ćc]|Niedostarczalne|Nedoru[čc]iteln[ée]|Nelze doru[čc]it
    |Не удается доставить|Недоставлено|Не доставлено|N[ãa]o foi poss[íi]vel entregar|N[ãa]o entregue
    |Return Receipt|Read Receipt|Disposition Notification|Lesebest[äa]tigung|Empfangsbest[äa]tigung
    |(?:Accus[ée]|Confirmation) de (?:lecture|r[ée]ception)|Confirmaci[óo]n de lectura|Conferma di lettura
    |Leesbevestiging|L[äa]skvitto|L[æa]sekvittering|Lesebekreftelse|Lukukuittaus
    |Potwierdzenie (?:odczytu|przeczytania)
    |Potvrzen[íi] o p[řr]e[čc]ten[íi]|Confirma[çc][ãa]o de leitura|Уведомление о прочтении|开封确认|開封確認
"""
_RECEIPTS: Final = """
    (?:Not )?Read|Delivered|Relayed|(?:Nicht )?Zugestellt|Expanded|Recall|Message Recall|Gelesen
    |Nicht gelesen|Ungelesen gel[öo]scht
    |R[üu]ckruf|(?:Non )?Lu|Rappel|Remis|Le[íi]do|No le[íi]do|Entregado|Recuperar|(?:Non )?Letto|Recapitato
    |Richiamo|(?:Niet )?Gelezen|Bezorgd|Intrekken|L[äa]st|Ol[äa]st|Levererat|[ÅA]terkalla|L[æa]st|Ikke l[æa]st
    |Tilbagekald|Lest|Ikke lest|Tilbakekall|Luettu|Lukematta|Palauta|Przeczytan[eoy]|Nieprzeczytane|Odwo[łl]anie
    |P[řr]e[čc]teno|Nep[řr]e[čc]teno|Odvol[áa]n[íi]|Прочтено|Прочитано|Не прочитано|Отзыв|Доставлено
    |Lid[ao]|N[ãa]o lid[ao]|Entregue|Revoga[çc][ãa]o|Olvasott|Elolvasva|Okundu|開封済み?|已读|已讀|읽음
"""


def _any_of(words: str) -> str:
    return "(?:" + "|".join(" ".join(word.split()) for word in words.split("|")) + ")"


def _pattern(expression: str) -> re.Pattern[str]:
    return re.compile(expression.replace(" ", r"[ \u00a0]"), re.IGNORECASE)


_COLON: Final = " ?[:\uff1a]"
_OPENING: Final = r" {0,3}(?:\[[^\]]{1,40}\] ?(?=\S))?"
"""A tag may stand in front, `[EXTERNAL]`."""
_AWAY: Final = _pattern(
    rf"{_OPENING}[\[(【]?(?:{_any_of(_AUTOMATIC)}(?:{_COLON}|[(\[\])】]| [-–(\[]| re\b|[.!]?\s*$)"
    rf"|{_any_of(_AWAY_FROM)}[\])】]?{_COLON}\s*\S)"
)
_AWAY_IN_ANSWER: Final = _pattern(
    rf"{_OPENING}[\[(【]?(?:{_any_of(_ON_LEAVE)}|{_any_of(_AWAY_FROM)})[\])】]?(?:{_COLON}| [-–]|[.!]?\s*$)"
)
_REPORT: Final = _pattern(rf"{_OPENING}{_any_of(_REPORTS)}(?:{_COLON}| ?\(| [-–]| returned\b|[.!]?\s*$)")
_RECEIPT: Final = _pattern(rf"{_OPENING}{_any_of(_RECEIPTS)}{_COLON}\s*\S")
_OURS: Final = re.compile(r"\bBoard [0-9]{1,9}: |pbmserv: ", re.IGNORECASE)


def machine_of(subject: str, is_answer: bool) -> Literal["away", "report"] | None:
    """Which machine a Subject is of: one that is `away`, one that makes a `report`; None where a person may be it.

    `is_answer`: the mail answers one of ours, as far as its head tells.

    >>> machine_of("Automatic reply: hi", False), machine_of("Read: hi", True), machine_of("Read: hi", False)
    ('away', 'report', None)
    """
    subject = subject[:_MOST]
    if _AWAY.match(subject) or (is_answer and _AWAY_IN_ANSWER.match(subject)):
        return "away"
    is_receipt = (is_answer or _OURS.search(subject)) and _RECEIPT.match(subject)
    return "report" if _REPORT.match(subject) or is_receipt else None
