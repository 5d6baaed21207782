"""What is known of Cephalopod: a quick board, a learned table, the thinker that uses both, and the trainer."""
