"""The HTTP server, on the parser of httptools: connections, dispatch, control routes, several worlds at once."""
