"""The HTTP methods as methods, for whatever makes requests."""

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

A = TypeVar("A")


class HttpMethods(ABC, Generic[A]):
    """Names for `request`; each takes what that takes."""

    @abstractmethod
    def request(self, *args: Any, **rest: Any) -> A:
        """One request: its method, its path, and what else makes it."""

    def get(self, path: str, **rest: Any) -> A:
        """GET."""
        return self.request("GET", path, **rest)

    def head(self, path: str, **rest: Any) -> A:
        """HEAD."""
        return self.request("HEAD", path, **rest)

    def post(self, path: str, **rest: Any) -> A:
        """POST."""
        return self.request("POST", path, **rest)

    def put(self, path: str, **rest: Any) -> A:
        """PUT."""
        return self.request("PUT", path, **rest)

    def patch(self, path: str, **rest: Any) -> A:
        """PATCH."""
        return self.request("PATCH", path, **rest)

    def delete(self, path: str, **rest: Any) -> A:
        """DELETE."""
        return self.request("DELETE", path, **rest)
