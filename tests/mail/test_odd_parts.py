"""Parts and texts that are not what they seem: armour, stubs, odd dispositions, text that a style sheet hides."""

from pbmserv.mail.reading.footers import is_tagline
from pbmserv.mail.reading.html import html_text
from pbmserv.mail.reading.quotes import reply_text
from pbmserv.mail.reading.read import read
from tests.every import for_each

SIGNED = """-----BEGIN PGP SIGNED MESSAGE-----
Hash: SHA256

c3

Nice: well played!
- --{blank}
Bob
-----BEGIN PGP SIGNATURE-----

iQIzBAEBCAAdFiEE
=abcd
-----END PGP SIGNATURE-----
""".replace("{blank}", " ")


def text_of(body: str, *headers: str) -> str:
    head = "\n".join(("From: bob@example.org", "Message-ID: <1@example.org>", *headers))
    return read(f"{head}\n\n{body}".encode(), "bob@example.org", "pbm@club.test").text


def parts(kind: str, *each: tuple[str, str]) -> str:
    body = "".join(f"--b\n{head}\n\n{text}\n" for head, text in each)
    return text_of(f"{body}--b--\n", f"Content-Type: multipart/{kind}; boundary=b")


def test_what_openpgp_puts_around_a_text_goes() -> None:
    assert reply_text(SIGNED) == "c3\n\nNice: well played!"
    key = "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQINBF\n-----END PGP PUBLIC KEY BLOCK-----"
    assert reply_text(f"c3\nhello\n{key}\nd4") == "c3\nhello\nd4"
    assert reply_text("c3\n-----BEGIN PGP SIGNATURE-----\nnever closed") == "c3"


@for_each(
    "stub",
    ["This message is in HTML.", "Diese Nachricht ist in HTML.", "Ваша программа не показывает HTML-письма"],
)
def test_a_part_that_only_tells_of_html_gives_way(stub: str) -> None:
    text, html = (
        ("Content-Type: text/plain; charset=utf-8", stub),
        ("Content-Type: text/html", "<p>c3</p><p>Hi</p>"),
    )
    assert parts("alternative", text, html) == "c3\n\nHi"
    assert parts("mixed", text, html) == f"{stub}\nc3\n\nHi"
    assert parts("alternative", text) == stub
    assert parts("mixed", ("Content-Type: text/plain", "c3\nI love HTML"), html).startswith("c3\nI love HTML")


@for_each("kind", ["markdown", "enriched", "x-web-markdown", "x-unknown"])
def test_other_kinds_of_text_are_plain_where_nothing_else_is_written(kind: str) -> None:
    assert text_of("c3\n\nHi", f"Content-Type: text/{kind}; charset=utf-8") == "c3\n\nHi"
    odd = (f"Content-Type: text/{kind}", "c3")
    assert parts("mixed", odd) == parts("alternative", odd) == "c3"
    assert parts("mixed", odd, ("Content-Type: text/plain", "d4")) == "d4"
    assert parts("mixed", (f"Content-Type: text/{kind}\nContent-Disposition: attachment", "c3")) == ""


def test_what_a_watch_shows_is_html() -> None:
    watch = ("Content-Type: text/watch-html", "<p>c3</p>")
    assert parts("alternative", watch) == "c3"
    assert parts("alternative", watch, ("Content-Type: text/html", "<p>d4</p>")) == "d4"


@for_each("kind", ["calendar", "x-vcard", "css", "x-amp-html", "rfc822-headers"])
def test_text_that_nobody_typed_is_not_read(kind: str) -> None:
    assert text_of("c3", f"Content-Type: text/{kind}") == ""
    assert parts("mixed", (f"Content-Type: text/{kind}", "c3")) == ""


@for_each("kind", ["mixed", "alternative", "mixed; boundary="])
def test_a_multipart_that_does_not_tell_its_boundary_is_plain(kind: str) -> None:
    assert text_of("c3\n\nHi", f"Content-Type: multipart/{kind}") == "c3\n\nHi"


@for_each("disposition", ["alternative", "form-data", "body", "x-unknown; a=b"])
def test_an_unknown_disposition_is_a_file_unless_nothing_else_is_written(disposition: str) -> None:
    odd = (f"Content-Type: text/plain\nContent-Disposition: {disposition}", "c3")
    assert parts("mixed", odd) == "c3"
    assert parts("mixed", ("Content-Type: text/plain", "d4"), odd) == "d4"
    assert parts("mixed", ("Content-Type: text/plain\nContent-Disposition: attachment", "c3")) == ""
    assert parts("mixed", ("Content-Type: text/plain\nContent-Disposition: odd; filename=a.txt", "c3")) == ""


@for_each(
    "rule",
    [
        "display:none",
        "visibility: hidden",
        "font-size:0",
        "opacity:0",
        "mso-hide:all",
        "max-height:0;overflow:hidden",
        "height:0px; overflow: hidden",
        "DISPLAY : NONE !important",
    ],
)
@for_each("selector", [".x", "div.x", "#y", "b", ".other, .X", "div#y"])
def test_what_a_style_sheet_hides_is_not_read(selector: str, rule: str) -> None:
    for sheet in (f"{selector}{{{rule}}}", f"<!-- p{{color:red}} {selector} {{ color:red; {rule} }} -->"):
        html = f"<style>{sheet}</style><p>c3</p><div class='x a' id=y><b>d4</b></div><p>e5</p>"
        assert html_text(html).split() == ["c3", "e5"]


@for_each(
    "sheet",
    [
        "@media print{.x{display:none}}",
        "@media (max-width:600px){.x{display:none}} p{color:red}",
        ".a .x{display:none}",
        ".x:hover{display:none}",
        ".x{display:none} .x{display:block}",
        ".x{line-height:0;overflow:hidden}",
        "/* .x{display:none} */",
        ".x{",
        "}}}.y{display:none}",
        ".x{height:0}",
    ],
)
def test_what_it_does_not_hide_for_sure_is_read(sheet: str) -> None:
    assert html_text(f"<style>{sheet}</style><p>c3</p><div class=x>d4</div>").split() == ["c3", "d4"]


def test_what_is_shown_by_itself_is_read() -> None:
    assert html_text("<style>.x{display:none}</style><div class=x style='display:block'>d4</div>") == "d4"


TAGLINES = [
    "Sent from my Galaxy",
    "Sent from Mailspring, the best free email app for work",
    "Sent with Proton Mail secure email.",
    "Sent with Spark",
    "Sent from Edison Mail",
    "Get BlueMail for Android",
    "Sent from Outlook for iOS<https://aka.ms/o0ukef>",
    "Outlook für Android beziehen",
    "Télécharger Outlook pour iOS",
    "Obtener Outlook para Android",
    "Scarica Outlook per iOS",
    "Hanki Outlook for iOS",
    "Pobierz program Outlook dla systemu iOS",
    "Получите Outlook для iOS",
    "Az Outlook letöltése iOS-re",
    "iOS için Outlook'u edinin",
    "Outlook for iOS を入手する",
    "获取适用于 iOS 的 Outlook",
    "iOS용 Outlook 다운로드",
    "Yahoo Mail: Search, Organize, Conquer",
    "Von Yahoo Mail auf Android gesendet",
    "Von meinem Samsung Galaxy Smartphone gesendet",
    "Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.",
    "Envoyé à partir de Outlook pour Android",
    "Envoyé avec la messagerie sécurisée Proton Mail.",
    "Enviado do meu Galaxy",
    "Enviado desde mi Huawei",
    "Inviato dal mio dispositivo Xiaomi",
    "Verzonden met Proton Mail",
    "Skickat från min iPhone",
    "Sendt fra min iPad",
    "Lähetetty iPhonesta",
    "Wysłane z iPhone'a",
    "Wysłano z mojego urządzenia Galaxy",
    "Odesláno z iPhonu",
    "Odesláno ze Seznam Email",
    "Odoslané z iPhonu",
    "Отправлено с моего iPhone",
    "Отправлено из Яндекс Почты для мобильных",
    "Отправлено с помощью Spark",
    "Надіслано з iPhone",
    "Изпратено от моя iPhone",
    "Poslano s mog iPhonea",
    "Trimis de pe iPhone-ul meu",
    "Στάλθηκε από το iPhone μου",
    "iPhone'umdan gönderildi",
    "Elküldve az iPhone-omról",
    "נשלח מה-iPhone שלי",
    "تم الإرسال من الـ iPhone",
    "iPhoneから送信",
    "发自我的小米手机",
    "来自我的华为手机",
    "從我的 iPhone 傳送",
    "나의 iPhone에서 보냄",
    "삼성 Galaxy 스마트폰에서 보냈습니다.",
    "Đã gửi từ iPhone của tôi",
    "Dikirim dari iPhone saya",
    "ส่งจาก iPhone ของฉัน",
    "Enviat des del meu iPhone",
    "Virus-free.www.avast.com",
    "This email has been checked for viruses by AVG antivirus software.",
    "Diese E-Mail wurde von Avast-Antivirussoftware auf Viren geprüft.",
    "www.avast.com",
]


@for_each("line", TAGLINES)
def test_lines_of_programs_phones_and_scanners_go(line: str) -> None:
    assert is_tagline(line)
    assert reply_text(f"c3\n\nHello\n\n{line}\n") == "c3\n\nHello"


@for_each(
    "line",
    [
        "My iPhone died.",
        "I sent it from Rome: nice",
        "Sent",
        "Outlook: rain.",
        "Avast, sailors!",
        "No virus here, I hope.",
    ],
)
def test_words_about_them_stay(line: str) -> None:
    assert not is_tagline(line)
