"""What the operator looks after, from the command line."""
