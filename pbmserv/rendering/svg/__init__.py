"""Pictures: of any game that gives a scene, and of what numbers do over time."""
