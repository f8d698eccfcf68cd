"""Permissions by role for the container registry and clusters, in the form of `role_rows.py`.

Sources: docs/platform/registry.md, docs/platform/clusters.md; the platform's policies of projects and groups.
"""

from typing import Any

SITE, ACME, INSTANCE = "projects/acme%2Fsite", "groups/acme", "admin/clusters"
READERS = "404 404 404 403 200 200 200 200 200"
DEVELOPERS = "404 404 404 403 403"
MAINTAINERS = "404 404 404 403 403 403"
SIGNED_IN_MAINTAINERS = "401 404 404 403 403 403"
ADMIN = "401 403 403 403 403 403 403 403"
CLUSTER = {"name": "x", "platform_kubernetes_attributes": {"api_url": "https://k8s.example.com", "token": "t"}}

REGISTRY = [
    ("list_project_registry_repositories", "GET", "", None, READERS),
    ("list_registry_tags", "GET", "/{images}/tags", None, READERS),
    ("get_registry_tag", "GET", "/{images}/tags/v1", None, READERS),
    ("delete_registry_repository", "DELETE", "/{images}", None, f"{MAINTAINERS} 202 202 202"),
    ("delete_registry_tag", "DELETE", "/{images}/tags/v1", None, f"{DEVELOPERS} 200 200 200 200"),
    ("delete_registry_tags", "DELETE", "/{images}/tags", {"name_regex": ".*"}, f"{MAINTAINERS} 202 202 202"),
]


def _list_cluster_rows(kind: str, path: str, added: str, statuses: str) -> list[tuple[str, str, str, Any, str]]:
    cluster_path = f"{path}/{{{kind}_cluster}}"
    lists = "list_instance_clusters" if kind == "instance" else f"list_{kind}_clusters"
    codes = {status: " ".join([statuses, *[status] * (9 - len(statuses.split()))]) for status in ("200", "201", "204")}
    # Developers read those of projects and groups.
    read = codes["200"] if kind == "instance" else " ".join([*statuses.split()[:5], "200", "200", "200", "200"])
    return [
        (lists, "GET", path, None, read),
        (f"get_{kind}_cluster", "GET", cluster_path, None, read),
        (f"create_{kind}_cluster", "POST", f"{path}/{added}", CLUSTER, codes["201"]),
        (f"update_{kind}_cluster", "PUT", cluster_path, {"name": "y"}, codes["200"]),
        (f"delete_{kind}_cluster", "DELETE", cluster_path, None, codes["204"]),
    ]


ROWS: list[tuple[str, str, str, Any, str]] = [
    *(
        (name, method, f"{SITE}/registry/repositories{path}", body, statuses)
        for name, method, path, body, statuses in REGISTRY
    ),
    (
        "list_group_registry_repositories",
        "GET",
        f"{ACME}/registry/repositories",
        None,
        "403 403 403 403 200 200 200 200 200",
    ),
    *_list_cluster_rows("project", f"{SITE}/clusters", "user", SIGNED_IN_MAINTAINERS),
    *_list_cluster_rows("group", f"{ACME}/clusters", "user", "401 403 403 403 403 403"),
    *_list_cluster_rows("instance", INSTANCE, "add", ADMIN),
]


def load(fake: Any) -> None:
    """Load images, and clusters with another environment than those that rows add."""
    cluster = [{"name": "old", "environment_scope": "old"}]
    images = [{"name": "web", "tags": ["v1", "v2"]}]
    site = {"path_with_namespace": "acme/site", "container_repositories": images, "clusters": cluster}
    fake.load({"projects": [site], "groups": [{"full_path": "acme", "clusters": cluster}], "clusters": cluster})


def find_records(root: Any) -> dict[str, Any]:
    """Return the ids of what was loaded."""
    root.post("features/certificate_based_clusters", json={"value": True})
    return {
        "images": root.get(f"{SITE}/registry/repositories").json()[0]["id"],
        "project_cluster": root.get(f"{SITE}/clusters").json()[0]["id"],
        "group_cluster": root.get(f"{ACME}/clusters").json()[0]["id"],
        "instance_cluster": root.get(INSTANCE).json()[0]["id"],
    }
