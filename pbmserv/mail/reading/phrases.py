"""The words by which mail programs lead up to what they quote, in the languages that they speak.

Each pattern matches a whole line, or its beginning where that says so, and none of them can match a command.
"""

import re
from typing import Final

_MOST: Final = 400
"""Characters of a line that are looked at."""

_MOST_AT_END: Final = 20

_FIELDS: Final = {
    "sender": """
        From|Von|Absender|De|Expéditeur|Remitente|Da|Mittente|Van|Afzender|Från|Avsändare|Fra|Afsender
        |Avsender|Lähettäjä|Od|Nadawca|Odesílatel|От|От кого|Отправитель|Від|Feladó|De la|Kimden|Gönderen
        |Από|От|Odosielateľ|Šalje|Pošiljatelj|Siuntėjas|Saatja|Pengirim|Từ|จาก|差出人|送信者|发件人|发送人|發件人|寄件者|寄件人
        |보낸 사람|보낸사람|מאת|من
    """,
    "date": """
        Sent|Date|Gesendet|Datum|Envoyé|Enviado|Enviado el|Fecha|Enviada|Enviada em|Enviado em|Data|Inviato
        |Verzonden|Skickat|Sendt|Dato|Lähetetty|Päiväys|Päivämäärä|Wysłano|Wysłane|Odesláno|Отправлено|Дата
        |Дата и время
        |Надіслано|Elküldve|Dátum|Trimis|Gönderildi|Gönderme Tarihi|Tarih|Στάλθηκε|Ημερομηνία|Изпратено
        |Poslano|Odoslané|Dátum|Tanggal|Ngày|วันที่|送信日時|日時
        |日付|发送时间|发件时间|发送日期|發送時間|傳送時間|日期|寄件日期|보낸 날짜|날짜|נשלח|تاريخ
    """,
    "to": """
        To|An|Empfänger|À|A|Destinataire|Para|Destinatario|Destinatário|Aan|Till|Mottagare|Til|Modtager
        |Vastaanottaja|Do|Komu|Кому|Címzett|Către|Kime|Alıcı|Προς|До|Za|Prima|Kepada|Đến|ถึง|宛先|收件人|收信人|收件者
        |받는 사람|받는사람|אל
        |إلى
    """,
    "subject": """
        Subject|Betreff|Objet|Asunto|Assunto|Oggetto|Onderwerp|Ämne|Emne|Aihe|Temat|Předmět|Тема|Tárgy
        |Subiect|Konu|Θέμα|Predmet|Předmět|Subjek|Perihal|Chủ đề|เรื่อง|件名|主题|主題|主旨|제목|נושא|الموضوع
    """,
    "copy": """
        Cc|Bcc|Kopie|Copie|Kopia|Kopi|Копия|Másolat|Bilgi|抄送|抄送至|副本|참조|Reply-To|Antwort an|Importance
        |Sent by|Gesendet von|Envoyé par|Enviado por|Reply to|Répondre à|Odpowiedz do
    """,
}
_ORIGINAL: Final = """
    Original Message|Original Appointment|Original Mail|Original E-mail|Replied Message|回复的原邮件
    |Ursprüngliche Nachricht|Originalnachricht|Original-Nachricht
    |Message d'origine|Message original|Mensaje original|Messaggio originale|Oorspronkelijk bericht
    |Originele bericht|Ursprungligt meddelande|Oprindelig meddelelse|Opprinnelig melding|Alkuperäinen viesti
    |Wiadomość oryginalna|Oryginalna wiadomość|Původní zpráva|Původní e-mail|Pôvodná správa|Исходное сообщение
    |Оригинальное сообщение|Mensagem original|Orijinal Mesaj|Orijinal İleti|Özgün İleti|Eredeti üzenet
    |Mesaj original|Αρχικό μήνυμα|元のメッセージ|原始邮件|原始郵件|原郵件|원본 메시지|원본 메일
"""
_FORWARDED: Final = """
    Forwarded Message|Weitergeleitete Nachricht|Message transféré|Mensaje reenviado|Messaggio inoltrato
    |Doorgestuurd bericht|Vidarebefordrat meddelande|Videresendt meddelelse|Videresendt melding
    |Välitetty viesti|Przekazana wiadomość|Wiadomość przekazana|Přeposlaná zpráva|Пересылаемое сообщение
    |Пересланное сообщение|Переадресованное сообщение|Mensagem encaminhada|Mensagem reencaminhada
    |Yönlendirilmiş ileti|İletilmiş Mesaj|Továbbított üzenet|Mesaj redirecționat|転送メッセージ
    |Forwarded by [^-\\n]{1,60}|转发的邮件|轉寄郵件|전달된 메시지
"""
_BEGUN_FORWARD: Final = """
    Begin forwarded message|Anfang der weitergeleiteten Nachricht|Début du message réexpédié
    |Début du message transféré|Inicio del mensaje reenviado|Inizio messaggio inoltrato
    |Begin doorgestuurd bericht|Vidarebefordrat brev|Start på videresendt besked|Videresendt melding
    |Välitetty viesti alkaa|Początek przekazywanej wiadomości|Начало переадресованного сообщения
    |Início da mensagem reencaminhada|Início da mensagem encaminhada|Přeposlaná zpráva
    |İletilen ileti başlangıcı|転送されたメッセージ|以下是转发的邮件
"""
_WROTE: Final = """
    wrote|writes|schrieb|geschrieben|a écrit|escribió|escreveu|ha scritto|schreef|geschreven|skrev|kirjoitti
    |napisał|pisze|писал|написал|пишет|пише|написав|napsal|napísal|ezt írta|írta|a scris|yazdı|έγραψε
    |さんは書きました|のメール|写道|寫道|님이 작성|작성|כתב|كتب|написа|je napisal|je napisala|napisao je|piše|rašė
    |kirjutas|viết|menulis|เขียน|escrigué|va escriure|napísala|napsala|написала|scrie|írt|schreven
"""
_OPENINGS: Final = (
    "On|Am|Le|El|Em|Il|Il giorno|Op|Den|Dne|Dnia|W dniu|La|På|Pe|Στις|Вт|Пн|Ср|Чт|Пт|Сб|Вс|В|在|于|ב"
)


def any_of(words: str) -> str:
    """An expression for any of these phrases, which `|` separates and any white space may break."""
    return "(?:" + "|".join(" ".join(word.split()) for word in words.split("|")) + ")"


def one_of(expressions: str) -> str:
    """An expression for any of these, each line but the first beginning with `|`."""
    return "(?:" + "".join(map(str.strip, expressions.split("\n"))) + ")"


def phrase_pattern(expression: str) -> re.Pattern[str]:
    """A pattern in which each blank stands for a no-break space, too, and case does not matter."""
    return re.compile(expression.replace(" ", r"[ \u00a0]"), re.IGNORECASE)


_FIELD: Final = phrase_pattern(
    " {0,3}[*_]{0,2}(?:"
    + "|".join(f"(?P<{name}>{any_of(words)})" for name, words in _FIELDS.items())
    + r")[*_]{0,2} ?[:\uff1a][*_]{0,2}(?=\s*\S)"
)
_EMPTY_FROM: Final = phrase_pattern(rf"[\s*_]{{0,4}}{any_of(_FIELDS['sender'])}[*_]{{0,2}} ?[:\uff1a]")
_ANY_HEAD: Final = re.compile(r"[ *]{0,3}[^\W\d_][^:\n]{0,20}[*]?\s?:[*]?\s+\S")
_DASH: Final = r"[-\u2010-\u2015]"
_RULED: Final = phrase_pattern(
    rf"\s{{0,3}}{_DASH}{{2,20}} ?(?:{any_of(_ORIGINAL)}|(?P<forward>{any_of(_FORWARDED)})) ?{_DASH}{{2,20}}"
)
_ORIGINAL_ALONE: Final = phrase_pattern(r"\s{0,3}-{3,40}+ ?Original ?-{3,40}")
_ORIGINAL_BARE: Final = phrase_pattern(rf"\s{{0,3}}[*_]{{0,2}}{any_of(_ORIGINAL)}[*_]{{0,2}}\s*$")
_BEGUN: Final = phrase_pattern(rf"\s{{0,3}}{any_of(_BEGUN_FORWARD)} ?[:\uff1a]\s*$")
_RULER: Final = re.compile(
    rf"\s{{0,8}}(?:{_DASH}{{4,}}+|{_DASH}{{2,}}+(?:[^-\n]|-(?!-)){{1,60}}{_DASH}{{2,}}+|_{{8,}}"
    r"|([-_*=~#\u2500])\1{4,})\s*$"
)
_VERB: Final = phrase_pattern(rf"(?<!\w){any_of(_WROTE)}|{any_of('さんは書きました|写道|寫道|のメール|작성')}")
_FIRST_PERSON: Final = re.compile(r"\s{0,3}(?:I|We|Ich|Wir|Je|J'ai|Nous|Yo|Ho|Eu|Ik|Jag|Jeg|Я|Мы)\s")
_WHEN_OR_WHO: Final = re.compile(r"@|[0-9]{1,2}[:.][0-9]{2}|[0-9]{4}|[0-9]{1,2}[/.-] ?[0-9]")
_UNSEEN: Final = r"[\s\u200e\u200f\u202a-\u202e\u2066-\u2069]*"
_COLONS: Final = (":", "\uff1a")
_BEHIND_COLON: Final = "".join(filter(re.compile(_UNSEEN).fullmatch, map(chr, range(0x10000))))
_LEADS: Final = re.compile(rf"(?:[:\uff1a]|--){_UNSEEN}$")
_TIME_AND_ADDRESS: Final = re.compile(
    r"[0-9][:.][0-9]{2}.{0,200}<[^<>]{0,80}@|<[^<>]{1,80}@.{0,200}[0-9][:.][0-9]{2}"
)
_TIME: Final = re.compile(
    r"(?<![0-9])[0-9]{1,2}(?:[:.\uff1a][0-9]{2}|[hH\u6642\u65f6\uc2dc] ?[0-9]{0,2})(?![0-9])"
)
_DATE: Final = re.compile(
    r"(?<![0-9])(?:(?:19|20)[0-9]{2}(?![0-9])|[0-9]{1,2}([./-]) ?[0-9]{1,2}\1 ?[0-9]{2}(?![0-9]))"
)
_ADDRESS: Final = re.compile(r"[^\s@<>]@[^\s@<>]{1,80}\.[^\s@<>]")
_OPENS: Final = phrase_pattern(rf"\s{{0,3}}(?:-{{2,20}} )?{any_of(_OPENINGS)}[\s,][^\n]{{0,30}}[0-9]")


def field_of(line: str) -> str | None:
    """Which line of a quoted mail's head it looks like: a name in _FIELDS for `Von: ...`, `*Sent:* ...`."""
    found = _FIELD.match(_untabled(line[:_MOST]))
    return found.lastgroup if found else None


def _untabled(line: str) -> str:
    """A row of a head in a table, as NetEase writes it (`| From | Bob |`), as a line of a head."""
    name, bar, value = line.strip().removeprefix("|").partition("|")
    return f"{name.strip()}: {value.strip()}" if bar and line.lstrip().startswith("|") else line


def looks_like_head(line: str) -> bool:
    """Whether it could be a line of a mail's head in a language that is not known here."""
    return _ANY_HEAD.match(_untabled(line[:_MOST])) is not None


def begins_head(text: str) -> bool:
    """Whether a text begins with the sender's line of a quoted mail's head."""
    first = text[:_MOST]
    return _EMPTY_FROM.match(first) is not None or field_of(first) == "date"


def is_original_line(line: str) -> bool:
    """`-----Original Message-----`, and what else may stand behind it on the line: all below is quoted."""
    found = _RULED.match(line[:_MOST])
    return (found is not None and found["forward"] is None) or _ORIGINAL_ALONE.match(line) is not None


def is_bare_original(line: str) -> bool:
    """`Original message` and its like without dashes, which count only above a head."""
    return _ORIGINAL_BARE.match(line[:_MOST]) is not None


def is_forward_line(line: str) -> bool:
    """`Begin forwarded message:`, `---------- Forwarded message ---------`: all below is a forwarded mail."""
    line = line[:_MOST]
    found = _RULED.match(line)
    return (found is not None and found["forward"] is not None) or _BEGUN.match(line) is not None


def is_ruler(line: str) -> bool:
    """A line that is drawn across, with words in it or without."""
    return _RULER.match(line[:_MOST]) is not None


def may_lead_to_quote(line: str) -> bool:
    """Whether it ends as attributions do."""
    return _LEADS.search(line[-_MOST_AT_END:]) is not None


def is_in_first_person(line: str) -> bool:
    """Whether it begins as no program does: `I wrote to bob@example.org:`."""
    return _FIRST_PERSON.match(line[:_MOST]) is not None


def tells_that_somebody_wrote(line: str) -> bool:
    """`pbmserv wrote:`, whatever else stands in it or does not."""
    return ends_in_colon(line) and _VERB.search(line[-_MOST:]) is not None


def leads_to_quote(line: str) -> bool:
    """Whether it is an attribution beyond doubt: it tells that somebody wrote, and when or who, and ends so."""
    if is_in_first_person(line):
        return False
    line = line[-_MOST:]
    when_or_who = _WHEN_OR_WHO.search(line) or _OPENS.match(line)
    return bool(_LEADS.search(line) and _VERB.search(line) and when_or_who)


def ends_in_colon(line: str) -> bool:
    """Whether a colon is the last that is seen of a line."""
    return line[-_MOST:].rstrip(_BEHIND_COLON).endswith(_COLONS)


def tells_when(line: str) -> bool:
    """Whether a date and a time stand in it, in figures."""
    line = line[:_MOST]
    return _DATE.search(line) is not None and _TIME.search(line) is not None


def holds_address(line: str) -> bool:
    """Whether an e-mail address stands in it."""
    return _ADDRESS.search(line[:_MOST]) is not None


def opens_attribution(line: str) -> bool:
    """Whether a line above one that ends as attributions do is the first of them.

    It begins `On Mon, 6 Jan` or `Am 06.01.` and the like, or holds a time and an address in brackets.
    """
    line = line[:_MOST]
    return _OPENS.match(line) is not None or _TIME_AND_ADDRESS.search(line) is not None
