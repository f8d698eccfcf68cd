"""Recording sessions: from inside a platform, and in front of a server."""
