"""How mail comes in: the SMTP and LMTP server, and mailboxes fetched by IMAP."""
