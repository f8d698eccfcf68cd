"""A project of a served fake, accessed through git and the API."""

import subprocess
from typing import Any

from attrs import frozen

from fakeplat.harness.fake import Fakeplat

DEVELOPER, MAINTAINER = 30, 40
ONE_GROUP = {"users": [{"username": "ada"}], "groups": [{"path": "acme", "members": {"ada": "owner"}}]}
"""A minimal scenario for `Remote.make`."""


@frozen
class Remote:
    """A project in the group acme of the starter scenario."""

    fake: Fakeplat
    path: str

    @classmethod
    def make(cls, fake: Fakeplat, name: str, **fields: Any) -> "Remote":
        group = fake.world.group("acme").id
        reply = fake.as_user("ada").post("projects", json={"name": name, "namespace_id": group, **fields})
        assert 201 == reply.status
        return cls(fake, f"acme/{name}")

    def url(self, username: str | None = None, password: str | None = None) -> str:
        """Return the git URL, with a user's name and token, or another password."""
        return self.at(f"{self.path}.git", username, password)

    def at(self, path: str, username: str | None = None, password: str | None = None) -> str:
        """Return the git URL of another path."""
        scheme, _, rest = self.fake.url.partition("://")
        if username is None:
            return f"{scheme}://{rest}/{path}"
        secret = self.fake.token(username) if password is None else password
        return f"{scheme}://{username}:{secret}@{rest}/{path}"

    @property
    def api(self) -> str:
        return f"projects/{self.path.replace('/', '%2F')}"

    def get(self, below: str = "", by: str | None = "ada") -> Any:
        """Return the API's response to a GET."""
        reply = self.fake.as_user(by).get(f"{self.api}{below}")
        assert 200 == reply.status, reply
        return reply.json()

    def call(self, method: str, below: str, by: str = "ada", **rest: Any) -> None:
        """Send a request to the API that must succeed."""
        reply = self.fake.as_user(by).request(method, f"{self.api}{below}", **rest)
        assert reply.status < 300, reply

    @property
    def branches(self) -> dict[str, str]:
        return {branch["name"]: branch["commit"]["id"] for branch in self.get("/repository/branches")}

    @property
    def tags(self) -> dict[str, str]:
        return {tag["name"]: tag["target"] for tag in self.get("/repository/tags")}

    @property
    def protected(self) -> list[str]:
        return [branch["name"] for branch in self.get("/protected_branches")]


def error_output(result: "subprocess.CompletedProcess[bytes]") -> str:
    """Return the error output of a git command, which must have failed."""
    assert result.returncode, "the git command succeeded"
    return result.stderr.decode()
