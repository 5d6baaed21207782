"""Floor 3: values to text and HTML, through the templates. Knows no database and no sockets."""
