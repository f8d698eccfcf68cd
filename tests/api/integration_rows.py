"""Permissions by role for integrations at their newer paths, and for slash commands, in the form of `role_rows.py`.

Source: docs/platform/integrations.md.
"""

from fakeplat.harness.fake import Fakeplat

SITE = "projects/acme%2Fsite"
BELOW_MAINTAINER = "401 404 404 403 403 403"
WIKI = {"slug": "external-wiki", "properties": {"external_wiki_url": "https://wiki.test"}}
CONFIGURED = {"recipients": "a@x.test"}

# The integration is not configured, which only those learn who may administrate it.
PROJECT = [
    ("list_integrations", "GET", "/integrations", None, f"{BELOW_MAINTAINER} 200 200 200"),
    ("get_integration", "GET", "/integrations/emails-on-push", None, f"{BELOW_MAINTAINER} 404 404 404"),
    ("update_integration", "PUT", "/integrations/emails-on-push", CONFIGURED, f"{BELOW_MAINTAINER} 200 200 200"),
    ("delete_integration", "DELETE", "/integrations/emails-on-push", None, f"{BELOW_MAINTAINER} 404 404 404"),
]
OWNERS = "401 403 403 403 403 403 403"
GROUP = [
    ("list_group_integrations", "GET", "/integrations", None, f"{OWNERS} 200 200"),
    ("get_group_integration", "GET", "/integrations/emails-on-push", None, f"{OWNERS} 404 404"),
    ("update_group_integration", "PUT", "/integrations/emails-on-push", CONFIGURED, f"{OWNERS} 200 200"),
    ("delete_group_integration", "DELETE", "/integrations/emails-on-push", None, f"{OWNERS} 404 404"),
]
ROWS = [
    (name, method, container + path, body, statuses)
    for container, rows in ((SITE, PROJECT), ("groups/acme", GROUP))
    for name, method, path, body, statuses in rows
]


def load(fakeplat: Fakeplat) -> None:
    """Load the integration that some rows name."""
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "services": [WIKI]}]})
