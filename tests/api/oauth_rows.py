"""Permissions by role for OAuth applications, in the form of `role_rows.py`. Source: docs/platform/oauth.md."""

PATH = "applications"
APPLICATION = {"name": "x", "redirect_uri": "https://x.test", "scopes": "api"}
ADMIN = "401 403 403 403 403 403 403 403"
ROWS = [
    ("list_applications", "GET", PATH, None, f"{ADMIN} 200"),
    ("create_application", "POST", PATH, APPLICATION, f"{ADMIN} 201"),
    ("create_application_renew_secret", "POST", f"{PATH}/1/renew-secret", None, f"{ADMIN} 404"),
    ("delete_application", "DELETE", f"{PATH}/1", None, f"{ADMIN} 404"),
]
