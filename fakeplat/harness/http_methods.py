"""A base class with a method for each HTTP method."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

A = TypeVar("A")


class HttpMethods(ABC, Generic[A]):
    """Shortcuts for `request`; each accepts the same keyword arguments."""

    @abstractmethod
    def request(self, *args: Any, **rest: Any) -> A:
        """Send a request, given its method, its path and further arguments of the client."""

    def get(self, path: str, *body: object, **rest: Any) -> A:
        """Send a GET request."""
        return self._send("GET", path, body, rest)

    def head(self, path: str, *body: object, **rest: Any) -> A:
        """Send a HEAD request."""
        return self._send("HEAD", path, body, rest)

    def post(self, path: str, *body: object, **rest: Any) -> A:
        """Send a POST request."""
        return self._send("POST", path, body, rest)

    def put(self, path: str, *body: object, **rest: Any) -> A:
        """Send a PUT request."""
        return self._send("PUT", path, body, rest)

    def patch(self, path: str, *body: object, **rest: Any) -> A:
        """Send a PATCH request."""
        return self._send("PATCH", path, body, rest)

    def delete(self, path: str, *body: object, **rest: Any) -> A:
        """Send a DELETE request."""
        return self._send("DELETE", path, body, rest)

    def _send(self, method: str, path: str, body: tuple[object, ...], rest: Mapping[str, object]) -> A:
        if body:
            raise TypeError(f"{method.lower()}() takes the path only without a name: pass a body as json= or data=")
        return self.request(method, path, **rest)
