"""Permissions by role for artifacts of jobs and for releases, in the form of `role_rows.py`.

Sources: docs/platform/artifacts.md, docs/platform/releases.md; the platform's policy of projects.
"""

from typing import Any

SITE = "projects/acme%2Fsite"
LISTED = "404 404 404 200 200 200 200 200 200"
RELEASE, LINKS = "/releases/v1.0", "/releases/v1.0/assets/links"
READ = "404 404 404 403 200 200 200 200 200"
REDIRECTED = "404 404 404 403 302 302 302 302 302"
BELOW_DEVELOPER = "404 404 404 403 403"
NEW_LINK = {"name": "new", "url": "https://x.test/new"}

PROJECT = [
    ("download_job_artifacts", "GET", "/jobs/{job}/artifacts", None, LISTED),
    ("download_job_artifact_file", "GET", "/jobs/{job}/artifacts/a.txt", None, LISTED),
    ("download_ref_artifacts", "GET", "/jobs/artifacts/feature/download?job=deploy", None, LISTED),
    ("download_ref_artifact_file", "GET", "/jobs/artifacts/feature/raw/a.txt?job=deploy", None, LISTED),
    ("keep_job_artifacts", "POST", "/jobs/{job}/artifacts/keep", None, "401 404 404 403 403 200 200 200 200"),
    ("delete_job_artifacts", "DELETE", "/jobs/{job}/artifacts", None, "401 404 404 403 403 403 204 204 204"),
    ("list_releases", "GET", "/releases", None, LISTED),
    ("get_release", "GET", RELEASE, None, "404 404 404 403 200 200 200 200 200"),
    ("get_release_permalink_latest", "GET", "/releases/permalink/latest", None, REDIRECTED),
    ("get_release_permalink_latest_file", "GET", "/releases/permalink/latest/x", None, REDIRECTED),
    ("get_release_asset", "GET", f"{RELEASE}/downloads/x", None, "404 404 404 403 404 404 404 404 404"),
    ("create_release", "POST", "/releases", {"tag_name": "v2", "ref": "master"}, f"{BELOW_DEVELOPER} 201 201 201 201"),
    ("update_release", "PUT", RELEASE, {"name": "x"}, f"{BELOW_DEVELOPER} 200 200 200 200"),
    ("delete_release", "DELETE", RELEASE, None, f"{BELOW_DEVELOPER} 200 200 200 200"),
    ("list_release_links", "GET", LINKS, None, LISTED),
    ("get_release_link", "GET", f"{LINKS}/{{release_link}}", None, LISTED),
    ("create_release_link", "POST", LINKS, NEW_LINK, f"{BELOW_DEVELOPER} 201 201 201 201"),
    ("update_release_link", "PUT", f"{LINKS}/{{release_link}}", {"name": "x"}, f"{BELOW_DEVELOPER} 200 200 200 200"),
    ("delete_release_link", "DELETE", f"{LINKS}/{{release_link}}", None, f"{BELOW_DEVELOPER} 200 200 200 200"),
    (
        "create_tag_release",
        "POST",
        "/repository/tags/v1.0/release",
        {"description": "x"},
        # It exists already.
        "404 404 404 403 403 409 409 409 409",
    ),
    (
        "update_tag_release",
        "PUT",
        "/repository/tags/v1.0/release",
        {"description": "x"},
        f"{BELOW_DEVELOPER} 200 200 200 200",
    ),
]
ROWS = [(name, method, SITE + path, body, statuses) for name, method, path, body, statuses in PROJECT]
PAID = [
    (
        "collect_release_evidence",
        "POST",
        f"{SITE}{RELEASE}/evidence",
        None,
        f"{BELOW_DEVELOPER} 202 202 202 202",
    )
]


def create_records(root: Any) -> dict[str, Any]:
    """Create what the rows name; return the ids."""
    links = [{"name": "old", "url": "https://x.test/old"}]
    release = root.post(f"{SITE}/releases", json={"tag_name": "v1.0", "assets": {"links": links}}).json()
    return {"release_link": release["assets"]["links"][0]["id"]}
