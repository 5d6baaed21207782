"""What a mail says: from its bytes to what its sender wrote. Any bytes give a value."""
