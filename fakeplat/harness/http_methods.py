"""A base class with a method for each HTTP method."""

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

A = TypeVar("A")


class HttpMethods(ABC, Generic[A]):
    """Shortcuts for `request`; each accepts the same keyword arguments."""

    @abstractmethod
    def request(self, *args: Any, **rest: Any) -> A:
        """Send a request, given its method, its path and further arguments of the client."""

    def get(self, path: str, **rest: Any) -> A:
        """Send a GET request."""
        return self.request("GET", path, **rest)

    def head(self, path: str, **rest: Any) -> A:
        """Send a HEAD request."""
        return self.request("HEAD", path, **rest)

    def post(self, path: str, **rest: Any) -> A:
        """Send a POST request."""
        return self.request("POST", path, **rest)

    def put(self, path: str, **rest: Any) -> A:
        """Send a PUT request."""
        return self.request("PUT", path, **rest)

    def patch(self, path: str, **rest: Any) -> A:
        """Send a PATCH request."""
        return self.request("PATCH", path, **rest)

    def delete(self, path: str, **rest: Any) -> A:
        """Send a DELETE request."""
        return self.request("DELETE", path, **rest)
