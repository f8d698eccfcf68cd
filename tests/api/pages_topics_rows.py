"""Permissions by role for pages, topics and remote mirrors, in the form of `role_rows.py`.

Sources: the platform's policy of projects, and the request specs of pages, pages domains, topics and remote mirrors.
"""

from typing import Any

SITE = "projects/acme%2Fsite"
ADMIN = "401 403 403 403 403 403 403 403"
MAINTAINER = "401 404 404 403 403 403"
DOMAIN = "/pages/domains/www.site.test"

PROJECT = [
    ("list_project_pages_domains", "GET", "/pages/domains", None, f"{MAINTAINER} 200 200 200"),
    ("get_project_pages_domain", "GET", DOMAIN, None, f"{MAINTAINER} 200 200 200"),
    ("create_project_pages_domain", "POST", "/pages/domains", {"domain": "new.test"}, f"{MAINTAINER} 201 201 201"),
    ("update_project_pages_domain", "PUT", DOMAIN, {"auto_ssl_enabled": True}, f"{MAINTAINER} 200 200 200"),
    # Nothing reads DNS records.
    ("verify_page_domain", "PUT", f"{DOMAIN}/verify", None, f"{MAINTAINER} 422 422 422"),
    ("delete_project_pages_domain", "DELETE", DOMAIN, None, f"{MAINTAINER} 204 204 204"),
    ("get_pages", "GET", "/pages", None, f"{MAINTAINER} 200 200 200"),
    ("update_pages", "PATCH", "/pages", {"pages_https_only": True}, f"{MAINTAINER} 200 200 200"),
    ("unpublish_pages", "DELETE", "/pages", None, f"{MAINTAINER} 204 204 204"),
    # The project has none.
    ("get_error_tracking_settings", "GET", "/error_tracking/settings", None, f"{MAINTAINER} 404 404 404"),
    (
        "update_error_tracking_settings",
        "PATCH",
        "/error_tracking/settings",
        {"active": True},
        f"{MAINTAINER} 404 404 404",
    ),
    # Without the ability, the answer is 401.
    ("list_remote_mirrors", "GET", "/remote_mirrors", None, "404 404 404 401 401 401 200 200 200"),
    (
        "create_remote_mirror",
        "POST",
        "/remote_mirrors",
        {"url": "https://mirror.test/a.git"},
        "404 404 404 401 401 401 201 201 201",
    ),
    (
        "update_remote_mirror",
        "PUT",
        "/remote_mirrors/{mirror}",
        {"enabled": True},
        "404 404 404 401 401 401 200 200 200",
    ),
    (
        "sync_remote_mirror",
        "POST",
        "/remote_mirrors/{working_mirror}/sync",
        None,
        "404 404 404 401 401 401 204 204 204",
    ),
    (
        "get_remote_mirror_public_key",
        "GET",
        "/remote_mirrors/{key_mirror}/public_key",
        None,
        "404 404 404 401 401 401 200 200 200",
    ),
    ("delete_remote_mirror", "DELETE", "/remote_mirrors/{mirror}", None, "404 404 404 401 401 401 204 204 204"),
]
ROWS: list[tuple[str, str, str, Any, str]] = [
    *((name, method, SITE + path, body, statuses) for name, method, path, body, statuses in PROJECT),
    ("list_pages_domains", "GET", "pages/domains", None, f"{ADMIN} 200"),
    ("create_topic", "POST", "topics", {"name": "new", "title": "New"}, f"{ADMIN} 201"),
    ("update_topic", "PUT", "topics/{topic}", {"title": "Old"}, f"{ADMIN} 200"),
    ("delete_topic", "DELETE", "topics/{topic}", None, f"{ADMIN} 204"),
    (
        "merge_topics",
        "POST",
        "topics/merge",
        {"source_topic_id": "{topic}", "target_topic_id": "{other_topic}"},
        f"{ADMIN} 201",
    ),
]


def create_records(root: Any) -> dict[str, Any]:
    """Create what the rows name; return the ids."""
    root.post(f"{SITE}/pages/domains", json={"domain": "www.site.test"})
    return {
        "mirror": root.post(f"{SITE}/remote_mirrors", json={"url": "https://mirror.test/site.git"}).json()["id"],
        "key_mirror": root.post(
            f"{SITE}/remote_mirrors", json={"url": "ssh://git@mirror.test/a.git", "auth_method": "ssh_public_key"}
        ).json()["id"],
        "working_mirror": root.post(
            f"{SITE}/remote_mirrors", json={"url": "https://mirror.test/site.git", "enabled": True}
        ).json()["id"],
        # The platform has topics in newer releases only, and some rows are tested with an older one.
        "topic": root.post("topics", json={"name": "old", "title": "Old"}).json().get("id", 0),
        "other_topic": root.post("topics", json={"name": "other", "title": "Other"}).json().get("id", 0),
    }
