"""What the operator does from the command line."""
