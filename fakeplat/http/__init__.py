"""The HTTP server, on httptools' parser: connections, dispatch, control routes, several worlds at once."""
