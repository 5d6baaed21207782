"""The words of signatures, in the languages that people write: what closes a letter, labels, places, notices."""

import re
from typing import Final

from pbmserv.mail.reading.phrases import one_of, phrase_pattern

_CLOSINGS: Final = """
    (?:kind|kindest|best|warm|warmest|friendly)? ?regards|(?:with )?(?:my |our )?(?:best|kind|warm|good) wishes
    |best|cheers|(?:many |best )?thanks|thank you|thanks and regards|yours(?: (?:sincerely|truly|faithfully|ever))?
    |sincerely(?: yours)?|respectfully|all the best|take care|rgds|br|kr
    |mit (?:freundlichen|besten|vielen|lieben|herzlichen|sportlichen|schönen|kollegialen) grü(?:ß|ss)en
    |mit freundlichem gru(?:ß|ss)|(?:freundliche|viele|liebe|beste|herzliche|schöne)? ?grü(?:ß|ss)e|gru(?:ß|ss)
    |mfg|vg|lg|hochachtungsvoll|(?:bien |très )?cordialement|bien (?:à vous|à toi)|amicalement|amitiés
    |(?:meilleures |sincères |cordiales )?salutations(?: distinguées)?|sentiments distingués
    |(?:un |muchos )?saludos?(?: cordial(?:es)?)?|atentamente|cordialmente|un abrazo|abrazos
    |(?:cordiali|distinti|cari|tanti)? ?saluti|un (?:caro )?saluto
    |atenciosamente|(?:com os )?(?:melhores )?cumprimentos|abraços?|att
    |(?:met )?(?:vriendelijke|hartelijke)? ?groet(?:en|jes)?|mvg|hoogachtend
    |(?:med )?(?:vänliga|bästa|varma)? ?hälsningar|vänligen|mvh|(?:med )?(?:venlig|vennlig|beste)? ?hilsen|vh
    |(?:ystävällisin |parhain )?terveisin|z poważaniem|(?:serdecznie )?pozdrawiam|z wyrazami szacunku
    |s (?:přátelským )?pozdravem|s pozdravom|с уважением|с наилучшими пожеланиями|з повагою
    |üdvözlettel|tisztelettel
    |cu (?:stimă|respect|drag)|saygılarımla|(?:με )?εκτίμηση|lep pozdrav|srdačan pozdrav|lugupidamisega
    |敬具|よろしくお願い(?:いた)?します|此致|敬礼|祝好|顺祝商祺|감사합니다|(?:ב)?ברכה|مع (?:أطيب )?تحيات?ي?
"""
LABELS: Final = frozenset(
    """
    telephone telefon telefone telefono teléfono telefoon téléphone phone mobile mobil mobiel mobiltelefon handy
    cell cellulare celular móvil telemóvel portable office direct fax tel tél tfno tlf mob puh gsm
    whatsapp signal skype festnetz durchwahl zentrale büro тел моб телефон e-mail email mail web website
    internet url homepage t m f p e w d o h 電話 电话 手机 手機 携帯 传真 전화 휴대폰 טלפון نقال هاتف
    """.split()  # noqa: SIM905
)
_NOTICES: Final = """
    (?:this|the information (?:contained )?in this) (?:e-?mail|message|communication|transmission)
    .{0,120}(?:confidential|privileged|intended (?:only|solely|recipient|for))
    |(?:confidentiality|legal) (?:notice|note)\\b|disclaimer ?:
    |(?:p |🌳 ?)?(?:please )?(?:consider|think of) the environment before|think before you print
    |(?:diese|dieses) (?:e-?mail|nachricht|mail).{0,120}vertraulich|vertraulichkeitshinweis
    |der inhalt dieser e-?mail
    |ce (?:message|courriel|mail|courrier).{0,120}(?:confidentiel|destiné)|avis de confidentialité
    |este (?:mensaje|correo|e-?mail).{0,120}confidencial|aviso (?:legal|de confidencialidad)
    |(?:questo|il presente) (?:messaggio|e-?mail).{0,120}(?:riservat|confidenzial)|avviso di riservatezza
    |(?:esta|a presente) (?:mensagem|e-?mail).{0,120}confidencia|este e-?mail.{0,120}confidencia
    |(?:dit|deze) (?:bericht|e-?mail).{0,120}(?:vertrouwelijk|bestemd)
    |(?:detta|denne|dette) (?:e-?post|e-?mail|meddelande|mail|besked)[^ ]{0,12}
    .{0,120}(?:konfidentiel|fortrolig|avsett)
    |(?:ta|niniejsza) wiadomość.{0,120}(?:poufn|przeznaczon)
    |(?:это|данное) (?:сообщение|письмо).{0,120}конфиденциал
    |本邮件.{0,80}保密|このメール.{0,80}機密
"""
CLOSING: Final = phrase_pattern(
    rf"[*_]{{0,2}}{one_of(_CLOSINGS)}(?!\w)[*_,.!;:\uff0c\u2013\u2014\s-]{{0,4}}"
    r"(?:(?:from|aus|de|desde|da|uit|från|fra|z|из) )?"
)
"""The beginning of a line that closes a letter; the writer's name or place may follow."""

NOTICE: Final = phrase_pattern(rf"[\s*_(\[]{{0,6}}{one_of(_NOTICES)}")
"""The beginning of what calls a mail confidential."""

POSTSCRIPT: Final = phrase_pattern(r"(?:p\.? ?p?\.? ?s|p\.? ?d|n\.? ?b|post ?scriptum|nachtrag|з\.? ?ы)(?!\w)")
"""The beginning of what somebody adds below a letter."""

_COMPANY: Final = (
    r"(?<!\w)(?:Ltd|Limited|Inc|LLC|LLP|GmbH|AG|KG|e\.\s?V|SARL|SAS|S\.A|S\.L|S\.r\.l|SpA|B\.V|Oy|AB|ApS)(?!\w)"
)
_STREETS: Final = (
    r"[0-9]{1,4}[a-z]?,? [A-Z]\w{1,20} (?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Way|Court|Place)(?!\w)",
    r"\w(?:stra(?:ß|ss)e|str\.|weg|platz|allee|gasse|straat|laan|gatan|vägen|vej) ?[0-9]",
    r"(?<!\w)(?:[Rr]ue|[Aa]venue|[Cc]alle|[Vv]ia|[Pp]iazza|[Rr]ua|ul\.|ulica|ул\.) [^\d\n]{2,30}[0-9]",
    r"[0-9]{1,4},? (?:rue|avenue|boulevard|place) ",
    r"(?<![\w.-])(?:[A-Z]{1,2}-)?[0-9]{4,5} ?[A-Z]{0,2} [A-Z]\w{2,20}",
    r"(?<!\w)[A-Z]{1,2}[0-9]{1,2}[A-Z]? [0-9][A-Z]{2}(?!\w)",
    r"(?:LinkedIn|Facebook|Instagram|Twitter|Xing|YouTube) ?[|\u2022\u00b7]",
)
PLACE: Final = re.compile("|".join((_COMPANY, *_STREETS)))
