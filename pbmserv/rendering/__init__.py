"""Floor 4: values to text, HTML and pictures, through the templates. Knows no database and no sockets."""
