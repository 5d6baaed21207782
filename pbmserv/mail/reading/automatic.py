"""Mails written by machines, known by headers, senders and Subjects: absence notes, receipts, reports, lists.

Some machines set no header of their own, and only the Subject tells. It has to begin with the machine's words, and
no command begins so. Whoever answers such a mail writes `Re:` before it. Words that a person may write there too
count only as the Subject of an answer, which no person's is without `Re:`.
"""

import re
from collections.abc import Callable
from typing import Final, Literal

from pbmserv.mail.reading.answered import answered_tokens
from pbmserv.mail.reading.decoding import decode_words, one_line
from pbmserv.mail.reading.headers import Headers, doubtful_addresses, one_address
from pbmserv.mail.reading.mime import content_type
from pbmserv.mail.reading.phrases import any_of, phrase_pattern

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


_COLON: Final = " ?[:\uff1a]"
_OPENING: Final = r" {0,3}(?:\[[^\]]{1,40}\] ?(?=\S))?"
"""A tag may stand in front, `[EXTERNAL]`."""
_AWAY: Final = phrase_pattern(
    rf"{_OPENING}[\[(【]?(?:{any_of(_AUTOMATIC)}(?:{_COLON}|[(\[\])】]| [-–(\[]| re\b|[.!]?\s*$)"
    rf"|{any_of(_AWAY_FROM)}[\])】]?{_COLON}\s*\S)"
)
_AWAY_IN_ANSWER: Final = phrase_pattern(
    rf"{_OPENING}[\[(【]?(?:{any_of(_ON_LEAVE)}|{any_of(_AWAY_FROM)})[\])】]?(?:{_COLON}| [-–]|[.!]?\s*$)"
)
_REPORT: Final = phrase_pattern(rf"{_OPENING}{any_of(_REPORTS)}(?:{_COLON}| ?\(| [-–]| returned\b|[.!]?\s*$)")
_RECEIPT: Final = phrase_pattern(rf"{_OPENING}{any_of(_RECEIPTS)}{_COLON}\s*\S")
_OURS: Final = re.compile(r"\bBoard [0-9]{1,9}: |pbmserv: ", re.IGNORECASE)


def machine_of(subject: str, is_answer: bool, club: str = "") -> Literal["away", "report"] | None:
    """Which machine a Subject is of: one that is `away`, one that makes a `report`; None where a person may be it.

    `is_answer`: the mail answers one of ours, as far as its head tells. `club` is the name in our Subjects.

    >>> machine_of("Automatic reply: hi", False), machine_of("Read: hi", True), machine_of("Read: hi", False)
    ('away', 'report', None)
    """
    subject = subject[:_MOST]
    if _AWAY.match(subject) or (is_answer and _AWAY_IN_ANSWER.match(subject)):
        return "away"
    is_ours = _OURS.search(subject) or (club and f"{club}: ".casefold() in subject.casefold())
    is_receipt = (is_answer or is_ours) and _RECEIPT.match(subject)
    return "report" if _REPORT.match(subject) or is_receipt else None


LOOP_HEADER: Final = "X-Pbmserv-Loop"
"""Every mail that we send carries this header, so that we know it when it comes back."""

_ROBOT: Final = re.compile(r"(?:mailer-daemon|postmaster|no-?reply|owner-.*|.*-request|bounce.*)(?:\+.*)?")
_BULK: Final = frozenset(("bulk", "list", "junk", "auto_reply"))
_LISTS: Final = ("list-id", "list-post", "mailing-list", "x-mailing-list")
_RESPONDERS: Final = (
    "x-autoreply",
    "x-auto-reply",
    "x-autoreply-from",
    "x-mail-autoreply",
    "x-autorespond",
    "x-autoresponder",
    "x-autogenerated",
    "x-vacation",
    "x-ms-exchange-generated-message-source",
)
"""Headers that only a responder sets: qmail's, Exim's, LISTSERV's, cPanel's, and Exchange's mailbox rules."""

_REPORT_TYPES: Final = frozenset(
    ("multipart/report", "message/delivery-status", "message/disposition-notification", "message/feedback-report")
)


def why_automatic(
    headers: Headers,
    envelope_sender: str,
    our_address: str,
    delimiter: str = "+",
    begins_with_command: Callable[[], bool] = lambda: False,
    club: str = "",
) -> str | None:
    """A word for why this mail must not be answered, or None when a person may have written it.

    `bounce`: the null sender (`<>`, or empty; RFC 5321, section 4.5.5), in the envelope or in Return-Path.
    `bounce` also: X-Failed-Recipients, by which Exim and Gmail name whom they could not reach.
    `report`: a delivery report or receipt, multipart/report (RFC 6522), or one that came alone, or one that only
    its Subject tells ("Undeliverable: ...", "Read: ...").
    `ourselves`: from our address, with or without a tag after `delimiter`, or one of our own mails come back.
    `auto-submitted`: anything but `no` in Auto-Submitted (RFC 3834, section 5).
    `away`: a responder that says so in a header of its own, or in the Subject ("Automatic reply: ..." in the
    languages of the common programs). The Subject counts only where it begins so: no command does, and who answers
    such a mail writes `Re:` before it.
    A word that people write there too (`Away`) tells nothing to a personal address if the text
    `begins_with_command`, or a move, which no machine writes.
    `list`: it came over a mailing list (RFC 2919, RFC 2369).
    `bulk`: the old Precedence header.
    `robot`: the name of a mail system or list in From or envelope.

    Some headers tell nothing, since people's mails carry them too. X-Auto-Response-Suppress asks the other side
    for no automatic answers (MS-OXCMAIL, section 2.1.3.2.20): Exchange sets it in its absence notes, but programs,
    rules and gateways set it in what people write. List-Unsubscribe is added by relays.
    Disposition-Notification-To asks for a receipt and is none. X-Loop stays from a person's own forwarding.
    """
    envelope = _bare(envelope_sender)
    named = headers.every("from")
    one = one_address(named)
    senders = (one,) if one else doubtful_addresses(named)
    if not envelope or any(not _bare(path.decode("latin-1")) for path in headers.every("return-path")):
        return "bounce"
    if headers.every("x-failed-recipients"):
        return "bounce"
    if content_type(headers)[0] in _REPORT_TYPES:
        return "report"
    if headers.every(LOOP_HEADER.lower()) or any(
        addresses and all(_is_ours(address, our_address, delimiter) for address in addresses)
        for addresses in (senders, (envelope,))
    ):
        return "ourselves"
    if any(_word(value) != "no" for value in headers.every("auto-submitted")):
        return "auto-submitted"
    if any(_word(value) not in ("no", "none", "false") for name in _RESPONDERS for value in headers.every(name)):
        return "away"
    is_personal = bool(answered_tokens(headers, (), our_address, delimiter))
    is_answer = is_personal or any(headers.every(name) for name in ("in-reply-to", "references"))
    subject = one_line(decode_words(headers.first("subject")))
    machine = machine_of(subject, is_answer, club)
    if machine is not None and is_personal and begins_with_command():
        machine = machine_of(subject, False, club)
    if machine is not None:
        return machine
    if any(headers.every(name) for name in _LISTS):
        return "list"
    if any(_word(value) in _BULK for name in ("precedence", "x-precedence") for value in headers.every(name)):
        return "bulk"
    if any(addresses and all(map(_is_robot, addresses)) for addresses in (senders, (envelope,))):
        return "robot"
    return None


def _bare(address: str) -> str:
    return address.strip().removeprefix("<").removesuffix(">").strip().lower()


def _is_ours(address: str, our_address: str, delimiter: str) -> bool:
    local, _, domain = address.rpartition("@")
    our_local, _, our_domain = our_address.lower().rpartition("@")
    ours = local == our_local or (delimiter != "" and local.startswith(our_local + delimiter))
    return ours and domain == our_domain


def _is_robot(address: str) -> bool:
    return _ROBOT.fullmatch(address.rpartition("@")[0] or address) is not None


def _word(value: bytes) -> str:
    """The first word of a header, without the parameters (RFC 3834, section 5) and comments after it."""
    return re.split(r"[\s;(]", value[:200].decode("latin-1").strip().lower(), maxsplit=1)[0]
