"""The HTTP face, on aiohttp's low-level server: requests in, answers out, control routes beside them."""
