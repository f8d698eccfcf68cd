"""Worlds with images in the container registry, for tests."""

from typing import Any

from fakeplat.harness.fake import Fakeplat

START = "2020-11-20T09:00:00.000Z"
SITE = "projects/acme%2Fsite"
REPOSITORIES = f"{SITE}/registry/repositories"
SAME = f"sha256:{'a' * 64}"
IMAGES: list[Any] = [
    {"name": "", "tags": ["rootA", "latest"]},
    {
        "name": "web",
        "tags": [
            "latest",
            {
                "name": "v1.0",
                "digest": SAME,
                "revision": "b" * 64,
                "created_at": "2020-10-01T00:00:00.000Z",
                "total_size": 2_319_870,
            },
            {"name": "stable", "digest": SAME},
            {"name": "v1.1", "created_at": "2020-11-01T00:00:00.000Z"},
            {"name": "unknown", "created_at": None},
        ],
    },
]


def world(**site: Any) -> dict[str, Any]:
    """Return a scenario whose project acme/site has images."""
    project = {"path_with_namespace": "acme/site", "container_repositories": IMAGES, **site}
    return {"extends": "starter", "projects": [project]}


def repository(fake: Fakeplat, name: str = "web") -> str:
    """Return the path of an image repository of acme/site."""
    rows = fake.as_user("root").get(REPOSITORIES).json()
    return next(f"{REPOSITORIES}/{row['id']}" for row in rows if row["name"] == name)


def tags(fake: Fakeplat, name: str = "web") -> list[str]:
    """Return the names of the tags of an image repository."""
    return [tag["name"] for tag in fake.as_user("root").get(f"{repository(fake, name)}/tags").json()]
