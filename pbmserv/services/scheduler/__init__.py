"""What is done because of the hour, not because a mail has come."""
