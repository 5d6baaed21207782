"""Lines that mail programs, phones and virus scanners put below what people write, in many languages.

Each pattern matches a whole line, and none of them can match a command.
"""

import re
from collections.abc import Sequence
from typing import Final

from pbmserv.mail.reading.phrases import phrase_pattern

_MOST: Final = 400
"""Characters of a line that are looked at."""

_LONGEST: Final = 160
_MOST_BLANK: Final = 20
_MOST_LINKS: Final = 2
_LINK: Final = re.compile(r"\s*<?https?://[^\s<>]{1,300}>?\s*", re.IGNORECASE)
_SHORT_RULER: Final = re.compile(r"\s{0,3}(?:-{2,10}|_{2,10})\s*")

_SENT_FROM: Final = """
    Sent (?:from|via|with|using) [^,;:]{1,90}|Get (?:Outlook|BlueMail|Spark|Edison|Mailspring)\\b[^,;:]{0,60}
    |Sent from Mailspring[^;:]{0,80}|Sent from my phone[^,;:]{0,60}
    |Von (?:meine[mr] |Yahoo |Outlook )[^,;:]{1,80} (?:gesendet|versendet|geschickt)
    |(?:Gesendet|Versendet) (?:von|mit|über|aus) [^,;:]{1,90}
    |Diese (?:Nachricht|Mail|E-Mail) wurde (?:von|mit) [^,;:]{1,90} (?:gesendet|versendet|geschrieben)
    |Envoyé (?:de|depuis|avec|via|à partir d[eu]|par) [^,;:]{1,90}
    |Enviado (?:desde|do|da|de|a partir d[eo]|com|con|pelo|por|via|mediante) [^,;:]{1,90}|Enviada do [^,;:]{1,90}
    |Enviat (?:des|amb) [^,;:]{1,90}
    |Inviato (?:da|dal|dalla|con|tramite|via) [^,;:]{1,90}|Inviata da [^,;:]{1,90}
    |Verstuurd (?:vana?f?|met|via|door) [^,;:]{1,90}|Verzonden (?:vanaf|met|via|vanuit|door) [^,;:]{1,90}
    |Skickat (?:från|med|via) [^,;:]{1,90}|Send[te]t? (?:fra|med|via) [^,;:]{1,90}
    |Lähetetty \\S*(?:iPhone|iPad|Android|Samsung|Galaxy|Yahoo|Outlook|Proton|Spark)[^,;:]{0,60}
    |Lähetetty (?:puhelimesta|laitteesta)[^,;:]{0,60}
    |Wysłan[eoay] (?:z|ze|za pomocą|przy użyciu|przez) [^,;:]{1,90}
    |Odesláno (?:z|ze|pomocí|přes|prostřednictvím) [^,;:]{1,90}
    |Odoslan[éo] (?:z|zo|pomocou|cez) [^,;:]{1,90}
    |Отправлено (?:с|со|из|через|от|при помощи) [^,;:]{1,90}
    |(?:Надіслано|Відправлено) (?:з|із|зі|через|за допомогою) [^,;:]{1,90}
    |Изпратено (?:от|с|чрез) [^,;:]{1,90}|Послато (?:са|преко) [^,;:]{1,90}
    |Poslan[oa] (?:s|sa|iz|preko|z|pomoću) [^,;:]{1,90}|Poslato (?:sa|preko) [^,;:]{1,90}
    |Trimis (?:de pe|din|cu|prin|de la) [^,;:]{1,90}|Expediat (?:de pe|din) [^,;:]{1,90}
    |Στάλθηκε (?:από|με|μέσω) [^,;:]{1,90}|Εστάλη από [^,;:]{1,90}
    |(?:Az )?[^;:\\s]{0,20}(?:iPhone|iPad|Android|Samsung|Galaxy|Yahoo|Spark|Outlook)[^,;:]{0,50} küldve
    |Elküldve [^,;:]{1,90}|Küldve [^,;:]{1,90}
    |[^,;:]{0,40}(?:iPhone|iPad|Android|Galaxy|Samsung|Huawei|Xiaomi|Yahoo|Outlook|Spark|Proton|telefon)
    [^,;:]{0,40} (?:gönderildi|gönderilmiştir)
    |נשלח (?:מ|באמצעות|דרך)[^,;:]{1,60}|(?:أ|ا|أُ)رسلت من [^,;:]{1,60}|تم الإرسال من [^,;:]{1,60}
    |مرسل من [^,;:]{1,60}
    |(?:Được|Đã) gửi (?:từ|bằng) [^,;:]{1,60}|Dikirim dari [^,;:]{1,60}|Dihantar daripada [^,;:]{1,60}
    |ส่งจาก[^,;:]{1,60}
    |Saadetud (?:minu )?[^,;:]{1,60}|Nosūtīts no [^,;:]{1,60}|Išsiųsta iš [^,;:]{1,60}
    |[^,;:]{1,40}から送信(?:されました|しました)?
    |发自(?:我的|我)?[^,;:]{1,40}|發自(?:我的)?[^,;:]{1,40}|来自(?:我的)?[^,;:]{0,20}(?:手机|手機|邮箱|客户端)[^,;:]{0,20}
    |從我的 ?[^,;:]{1,30}傳送|从我的 ?[^,;:]{1,30}发送|寄自我的[^,;:]{1,40}|使用[^,;:]{1,30}发送
    |(?:나의|내|제)? ?[^,;:]{1,40}에서 (?:보냄|보냈습니다|발송)
"""
_EXCUSES: Final = """
    Please (?:excuse|forgive|pardon) (?:my|the) (?:brevity|typos|any typos)[^;:]{0,40}
    |Bitte entschuldigen Sie die Kürze[^;:]{0,40}|Veuillez excuser (?:ma|la) (?:brièveté|concision)[^;:]{0,40}
    |Disculpe mi brevedad[^;:]{0,40}|Perdona la brevedad[^;:]{0,40}
"""


def _any_of(words: str) -> str:
    return "(?:" + "".join(map(str.strip, words.split("\n"))) + ")"


_TAGLINE: Final = phrase_pattern(
    rf"[\s*_~]{{0,3}}{_any_of(_SENT_FROM)}[.。!]?[*_]{{0,2}}(?: ?[<(\[][^>)\]]{{1,120}}[>)\]])?\s*$"
)
_EXCUSE: Final = phrase_pattern(rf"[\s*_]{{0,3}}{_any_of(_EXCUSES)}\s*$")
_OUTLOOK: Final = re.compile(
    r"(?=[^.!?]{0,60}\bOutlook)(?=[^.!?]{0,60}(?:\biOS|\bAndroid))[^.!?;:<]{1,60}(?: ?<[^>]{1,120}>)?\s*$"
)
_DEVICE: Final = re.compile(
    r"(?i)phon|mobi[lt]|m[óo]vil|celular|cellulare?\b|tablet|\bhandy\b|telef[oó]|t[ée]l[ée]phone|portable|ger[äa]t"
    r"|device|dispositi|appareil|puheli|laittee|enhed|enhet|toestel|urządzeni|zařízení|телефон|устройств|смартфон"
    r"|пристро|\bapps?\b|\be?-?mail\b|webmail|browser|poczt|почт|手机|手機|邮箱|客户端|スマートフォン|携帯|휴대폰|스마트폰"
    r"|BlackBerry|Pixel|Xperia|Motorola|Windows|\bMac\b|Linux|Aqua"
)
_YAHOO: Final = re.compile(r"(?i)\s{0,3}(?:Yahoo|AOL) Mail ?: [^;:]{1,60}$")
_SCANNER: Final = re.compile(
    r"(?i)(?=.{0,160}\b(?:avast|avg|eset|norton|mcafee|bitdefender|kaspersky)\b)"
    r".{0,160}(?:vir[uůo]|viren|вирус|вірус|ウイルス|病毒|바이러스|antivir)"
)
_TUTA: Final = re.compile(
    r"\s{0,3}(?:Sent|Secured|Gesendet|Gesichert|Verschickt|Envoyé|Sécurisé|Enviado|Inviato|Verzonden|Отправлено)"
    r" [^\s:;]{2,9} Tuta(?:nota)?\b[^.!?]{0,60}?(?:https?://\S{1,100})?\s*$|\s{0,3}Из Xiaomi\s*$"
)
_SCANNERS_PAGE: Final = re.compile(r"(?i)\s{0,3}<?(?:https?://)?www\.(?:avast|avg)\.com\S{0,120}\s*$")
_PROGRAM: Final = re.compile(
    r"(?<![^\W_])(?:iPhone|iPad|iOS|Android|Samsung|Galaxy|Huawei|HUAWEI|Xiaomi|Redmi|OPPO|OnePlus|BlackBerry|Nokia"
    r"|Outlook|Gmail|Yahoo|AOL|Proton|ProtonMail|Spark|Edison|BlueMail|Mailspring|Thunderbird|K-9|FairEmail|Airmail"
    r"|GMX|WEB\.DE|Mail\.ru|Seznam|Avast|AVG|Superhuman|Tutanota|Tuta|Fastmail|Zoho|Libero|Naver|Daum|QQ|NetEase)"
    r"|Яндекс|网易|華為|华为|小米|네이버|다음 메일"
)


def is_tagline(line: str) -> bool:
    """`Sent from my iPhone`, `Get Outlook for Android<https://...>`, `Virus-free. www.avast.com`.

    What is sent `with love` or `from Crete` names neither a program nor a device, and is somebody's own word.
    """
    line = line[:_MOST].rstrip()
    if len(line.partition("<")[0]) > _LONGEST:
        return False
    if _TAGLINE.match(line) is not None and (names_program(line) or _DEVICE.search(line) is not None):
        return True
    return any(
        each.match(line) is not None for each in (_EXCUSE, _OUTLOOK, _YAHOO, _SCANNER, _SCANNERS_PAGE, _TUTA)
    )


def without_taglines(lines: Sequence[str], end: int | None = None) -> int:
    """Where such lines begin that are the last above `end`, with links below and a short ruler above them.

    It is `end` where there are none: in the middle of a letter they are its writer's.
    """
    top = end = len(lines) if end is None else end
    while True:
        last = next((at for at in range(top - 1, max(top - _MOST_BLANK, 0) - 1, -1) if lines[at].strip()), -1)
        first = last
        while first > 0 and last - first < _MOST_LINKS and _LINK.fullmatch(lines[first][:_MOST]):
            first -= 1
        if first < 0 or not is_tagline(lines[first]):
            return top
        top = first
        if top and _SHORT_RULER.fullmatch(lines[top - 1][:_MOST]):
            top -= 1


def names_program(line: str) -> bool:
    """Whether the name of a mail program, a mail house or a kind of telephone stands in it, as they write it."""
    return _PROGRAM.search(line[:_MOST]) is not None


_LINE: Final = re.compile(r"-----(BEGIN|END) PGP ([A-Z0-9 ]{3,40})-----\s*$")
_SIGNED: Final = "SIGNED MESSAGE"
_HEADER: Final = re.compile(r"[A-Za-z-]{1,40}: ")
_DASHED: Final = "- "


def without_armour(lines: list[str]) -> list[str]:
    """The lines that were signed, their dashes as written, and those around them; what is no text falls away.

    A block that is never closed reaches to the end.
    """
    kept: list[str] = []
    block = ""
    in_head = False
    for line in lines:
        found = _LINE.match(line) if line.startswith("-----") else None
        if found is not None:
            block = found[2] if found[1] == "BEGIN" else ""
            in_head = block == _SIGNED
        elif not block:
            kept.append(line)
        elif block == _SIGNED:
            if in_head and _HEADER.match(line):
                continue
            in_head = in_head and not line.strip()
            kept.append(line.removeprefix(_DASHED))
    return kept
