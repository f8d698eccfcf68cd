"""Permissions by role for integrations at their newer paths, and for slash commands, in the form of `role_rows.py`.

Source: docs/platform/integrations.md.
"""

SITE = "projects/acme%2Fsite"
BELOW_MAINTAINER = "401 404 404 403 403 403"
CONFIGURED = {"recipients": "a@x.test"}

# The integration is not configured, which only those learn who may administrate it.
PROJECT = [
    ("list_integrations", "GET", "/integrations", None, f"{BELOW_MAINTAINER} 200 200 200"),
    ("get_integration", "GET", "/integrations/emails-on-push", None, f"{BELOW_MAINTAINER} 404 404 404"),
    ("update_integration", "PUT", "/integrations/emails-on-push", CONFIGURED, f"{BELOW_MAINTAINER} 200 200 200"),
    ("delete_integration", "DELETE", "/integrations/emails-on-push", None, f"{BELOW_MAINTAINER} 404 404 404"),
]
ROWS = [(name, method, SITE + path, body, statuses) for name, method, path, body, statuses in PROJECT]
