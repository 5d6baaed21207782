"""Searching ahead, in any game: UCT over the nine questions, PUCT over a small interface, endings to their end."""
