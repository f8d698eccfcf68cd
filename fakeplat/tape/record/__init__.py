"""Recording of sessions: inside a platform, or as a proxy in front of a server."""
