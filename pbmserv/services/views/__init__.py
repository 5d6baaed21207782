"""Looking: what the web pages and the operator's tables are made from. Nothing here writes."""
