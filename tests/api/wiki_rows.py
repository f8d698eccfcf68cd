"""Permissions by role for wikis, in the form of `role_rows.py`.

Sources: docs/platform/wikis.md; the platform's policies of projects and groups.
"""

from typing import Any

from tests.api.requests import form

SITE, ACME = "projects/acme%2Fsite", "groups/acme"
UPLOAD = form(file=("a.txt", "text/plain", b"a"))
PAGE = {"title": "new", "content": "x"}
MEMBERS = "404 404 404 200 200 200 200 200 200"
HIDDEN = "404 404 404"
FORBIDDEN = "403 403 403"

PROJECT = [
    ("list_project_wiki_pages", "GET", "/wikis", None, MEMBERS),
    ("get_project_wiki_page", "GET", "/wikis/old", None, MEMBERS),
    ("create_project_wiki_page", "POST", "/wikis", PAGE, f"{HIDDEN} 403 403 201 201 201 201"),
    ("update_project_wiki_page", "PUT", "/wikis/old", {"content": "y"}, f"{HIDDEN} 403 403 200 200 200 200"),
    ("delete_project_wiki_page", "DELETE", "/wikis/old", None, f"{HIDDEN} 403 403 403 204 204 204"),
    ("upload_project_wiki_attachment", "POST", "/wikis/attachments", UPLOAD, f"{HIDDEN} 403 403 201 201 201 201"),
]
STORAGE = [
    ("get_project_statistics", "GET", "/statistics", None, "401 404 404 403 200 200 200 200 200"),
    ("download_project_snapshot", "GET", "/snapshot", None, "401 403 403 403 403 403 403 403 200"),
    ("get_project_storage", "GET", "/storage", None, "401 403 403 403 403 403 403 403 200"),
]
COLUMNS = b"Source host,Import type,Source user identifier,GitLab username,GitLab public email\n"
SHEET = form(file=("a.csv", "text/csv", COLUMNS))
SHEET_READ = "401 403 403 403 403 403 403 200 200"
SHEET_SENT = "401 403 403 403 403 403 403 201 201"
BELOW_MAINTAINER = f"{HIDDEN} 403 403 403"
LABELS = "/export_relations/download?relation=labels"
EXPORT = [
    ("get_project_export", "GET", "/export", None, f"{BELOW_MAINTAINER} 200 200 200"),
    ("export_project", "POST", "/export", None, f"{BELOW_MAINTAINER} 202 202 202"),
    # Nobody asked for one.
    ("download_project_export", "GET", "/export/download", None, f"{BELOW_MAINTAINER} 404 404 404"),
    ("get_project_import", "GET", "/import", None, "401 404 404 200 200 200 200 200 200"),
    ("list_relation_imports", "GET", "/relation-imports", None, "401 404 404 403 403 403 200 200 200"),
    ("start_project_relations_export", "POST", "/export_relations", None, f"{BELOW_MAINTAINER} 202 202 202"),
    ("get_project_export_relations_status", "GET", "/export_relations/status", None, f"{BELOW_MAINTAINER} 200 200 200"),
    ("download_project_export_relation", "GET", LABELS, None, f"{BELOW_MAINTAINER} 404 404 404"),
]
GROUP_EXPORT = [
    ("start_group_relations_export", "POST", "/export_relations", None, f"{FORBIDDEN} 403 403 403 403 202 202"),
    (
        "get_group_export_relations_status",
        "GET",
        "/export_relations/status",
        None,
        f"{FORBIDDEN} 403 403 403 403 200 200",
    ),
    ("download_group_export_relation", "GET", LABELS, None, f"{FORBIDDEN} 403 403 403 403 404 404"),
    ("list_group_placeholder_reassignments", "GET", "/placeholder_reassignments", None, SHEET_READ),
    ("create_group_placeholder_reassignment", "POST", "/placeholder_reassignments", SHEET, SHEET_SENT),
    ("export_group", "POST", "/export", None, f"{FORBIDDEN} 403 403 403 403 202 202"),
    ("download_group_export", "GET", "/export/download", None, f"{FORBIDDEN} 403 403 403 403 404 404"),
]
GROUP = [
    ("list_group_wiki_pages", "GET", "/wikis", None, "200 200 200 200 200 200 200 200 200"),
    ("get_group_wiki_page", "GET", "/wikis/old", None, "200 200 200 200 200 200 200 200 200"),
    ("create_group_wiki_page", "POST", "/wikis", PAGE, f"{FORBIDDEN} 403 403 201 201 201 201"),
    ("update_group_wiki_page", "PUT", "/wikis/old", {"content": "y"}, f"{FORBIDDEN} 403 403 200 200 200 200"),
    ("delete_group_wiki_page", "DELETE", "/wikis/old", None, f"{FORBIDDEN} 403 403 403 204 204 204"),
    ("upload_group_wiki_attachment", "POST", "/wikis/attachments", UPLOAD, f"{FORBIDDEN} 403 403 201 201 201 201"),
]
NOTES = "/wiki_pages/{wiki_page}/notes"
NOTE = f"{NOTES}/{{wiki_note}}"
TEXT = {"body": "x"}
READERS, CHANGERS = "401 404 404 200 200 200 200 200 200", "401 404 404 403 403 403"
PROJECT_NOTES = [
    ("list_wiki_page_notes", "GET", NOTES, None, READERS),
    ("get_wiki_page_note", "GET", NOTE, None, READERS),
    ("create_wiki_page_note", "POST", NOTES, TEXT, READERS.replace("200", "201")),
    ("update_wiki_page_note", "PUT", NOTE, TEXT, f"{CHANGERS} 200 200 200"),
    ("delete_wiki_page_note", "DELETE", NOTE, None, f"{CHANGERS} 204 204 204"),
]
GROUP_NOTES, GROUP_NOTE = (path.replace("{wiki", "{group_wiki") for path in (NOTES, NOTE))
EVERYBODY, ADMINISTRATORS = "401 200 200 200 200 200 200 200 200", "401 403 403 403 403 403"
NOTES_OF_GROUP = [
    ("list_group_wiki_page_notes", "GET", GROUP_NOTES, None, EVERYBODY),
    ("get_group_wiki_page_note", "GET", GROUP_NOTE, None, EVERYBODY),
    ("create_group_wiki_page_note", "POST", GROUP_NOTES, TEXT, EVERYBODY.replace("200", "201")),
    ("update_group_wiki_page_note", "PUT", GROUP_NOTE, TEXT, f"{ADMINISTRATORS} 200 200 200"),
    ("delete_group_wiki_page_note", "DELETE", GROUP_NOTE, None, f"{ADMINISTRATORS} 204 204 204"),
]
ROWS = [
    *(
        (name, method, SITE + path, body, statuses)
        for name, method, path, body, statuses in (*PROJECT, *STORAGE, *EXPORT, *PROJECT_NOTES)
    ),
    *((name, method, ACME + path, body, statuses) for name, method, path, body, statuses in GROUP_EXPORT),
]
PAID = [(name, method, ACME + path, body, statuses) for name, method, path, body, statuses in (*GROUP, *NOTES_OF_GROUP)]


def create_records(root: Any) -> dict[str, Any]:
    """Create the pages that the rows name; groups have none in the free tier. Direct transfer is enabled."""
    root.put("application/settings", json={"bulk_import_enabled": True})
    ids = {}
    for container, word in ((SITE, "wiki"), (ACME, "group_wiki")):
        page = root.post(f"{container}/wikis", json={"title": "old", "content": "x"}).json()
        # Earlier releases have no comments on pages, and the free tier no wikis of groups.
        ids[f"{word}_page"] = id_ = page.get("wiki_page_meta_id", 0)
        note = root.post(f"{container}/wiki_pages/{id_}/notes", json=TEXT).json() if id_ else {}
        ids[f"{word}_note"] = note.get("id", 0)
    return ids
