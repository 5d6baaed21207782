"""Floor 0: the rules of the games. Standard library only; nothing here knows players, mail or language."""
