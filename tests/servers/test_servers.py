"""The servers that other tests stand on: they start, take a mail, and show it."""

from email.message import EmailMessage

from imapclient import IMAPClient

from tests.servers.dovecot import PASSWORD, Dovecot, running_dovecot
from tests.servers.postfix import DOMAIN, running_postfix
from tests.servers.sink import running_sink


def mail(subject: str) -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "alice@example.org", "club@example.org", subject
    message.set_content("hello\n")
    return message.as_bytes()


def test_dovecot_delivers_and_shows(dovecot: Dovecot) -> None:
    dovecot.deliver("newcomer", mail("hello"))
    with IMAPClient("127.0.0.1", dovecot.imap_port, ssl=False) as client:
        client.login("newcomer", PASSWORD)
        client.select_folder("INBOX")
        assert len(client.search()) == 1


def test_dovecot_starts_again() -> None:
    with running_dovecot() as server:
        server.stop()
        server.start()
        server.deliver("somebody", mail("again"))


def test_postfix_hands_on_both_ways() -> None:
    with (
        running_sink(lmtp=True) as ours,
        running_sink() as theirs,
        running_postfix(ours.port, theirs.port) as postfix,
    ):
        postfix.send(mail("in"), "alice@example.org", f"pbmserv+tag@{DOMAIN}")
        postfix.send(mail("out"), "", "bob@example.org")
        ours.wait_for(1)
        theirs.wait_for(1)
        postfix.wait_until_empty()
    assert (ours.mails[0].sender, ours.mails[0].recipients) == ("alice@example.org", (f"pbmserv+tag@{DOMAIN}",))
    assert (theirs.mails[0].sender, theirs.mails[0].recipients) == ("<>", ("bob@example.org",))
