"""How mail goes out: from a text to a message, and by SMTP or into a Maildir."""
