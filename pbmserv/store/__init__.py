"""Floor 4: values in and out of SQL. Knows no mail and no templates."""
