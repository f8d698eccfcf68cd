"""Permissions by role for what belongs to users, in the form of `role_rows.py`.

Sources: docs/platform/users.md, docs/platform/impersonation-and-access-tokens.md.
"""

from typing import Any

from tests.gpg_keys import GPG_KEY
from tests.ssh_keys import DSA, ECDSA

ADMIN = "401 403 403 403 403 403 403 403"
USER = "users/{eve}"
KEYS, GPG_KEYS, EMAILS = f"{USER}/keys", f"{USER}/gpg_keys", f"{USER}/emails"
IMPERSONATION, PERSONAL = f"{USER}/impersonation_tokens", f"{USER}/personal_access_tokens"
MOVE = {"source_storage_name": "none"}
INVITATION = {"email": "new@work.test", "access_level": 30}
TOKEN = {"name": "x", "scopes": ["api"]}
KEY = {"title": "x", "key": DSA}

ROWS: list[tuple[str, str, str, Any, str]] = [
    ("create_user_key", "POST", KEYS, KEY, f"{ADMIN} 201"),
    ("delete_user_key", "DELETE", f"{KEYS}/{{key}}", None, f"{ADMIN} 204"),
    ("get_key", "GET", "keys/{key}", None, f"{ADMIN} 200"),
    ("get_key_by_fingerprint", "GET", "keys?fingerprint={fingerprint}", None, f"{ADMIN} 200"),
    ("create_user_gpg_key (taken)", "POST", GPG_KEYS, {"key": GPG_KEY}, f"{ADMIN} 400"),
    ("delete_user_gpg_key", "DELETE", f"{GPG_KEYS}/{{gpg_key}}", None, f"{ADMIN} 204"),
    ("revoke_user_gpg_key", "POST", f"{GPG_KEYS}/{{gpg_key}}/revoke", None, f"{ADMIN} 202"),
    ("list_user_emails", "GET", EMAILS, None, f"{ADMIN} 200"),
    ("create_user_email", "POST", EMAILS, {"email": "new@work.test"}, f"{ADMIN} 201"),
    ("delete_user_email", "DELETE", f"{EMAILS}/{{email}}", None, f"{ADMIN} 204"),
    ("list_user_memberships", "GET", f"{USER}/memberships", None, f"{ADMIN} 200"),
    ("list_user_activities", "GET", "user/activities", None, "401 200 200 200 200 200 200 200 200"),
    ("list_impersonation_tokens", "GET", IMPERSONATION, None, f"{ADMIN} 200"),
    ("get_impersonation_token", "GET", f"{IMPERSONATION}/{{impersonation}}", None, f"{ADMIN} 200"),
    ("create_impersonation_token", "POST", IMPERSONATION, TOKEN, f"{ADMIN} 201"),
    ("revoke_impersonation_token", "DELETE", f"{IMPERSONATION}/{{impersonation}}", None, f"{ADMIN} 204"),
    ("create_user_personal_access_token", "POST", PERSONAL, TOKEN, f"{ADMIN} 201"),
    ("create_admin_token", "POST", "admin/token", {"token": "ext-token"}, f"{ADMIN} 200"),
    ("delete_admin_token", "DELETE", "admin/token", {"token": "ext-token"}, f"{ADMIN} 204"),
    ("get_user_support_pin_by_id (none)", "GET", f"{USER}/support_pin", None, f"{ADMIN} 404"),
    ("revoke_user_support_pin (none)", "POST", f"{USER}/support_pin/revoke", None, f"{ADMIN} 404"),
    (
        "update_user_credit_card_validation",
        "PUT",
        "user/{eve}/credit_card_validation",
        {
            "credit_card_validated_at": "2020-11-01T00:00:00Z",
            "credit_card_expiration_month": 1,
            "credit_card_expiration_year": 2030,
            "credit_card_holder_name": "Eve",
            "credit_card_mask_number": "1111",
            "credit_card_type": "Card",
        },
        f"{ADMIN} 200",
    ),
    ("disable_user_two_factor (not enabled)", "PATCH", f"{USER}/disable_two_factor", None, f"{ADMIN} 400"),
    ("ban_user", "POST", f"{USER}/ban", None, "401 403 403 403 403 403 403 403 201"),
    ("unban_user (not banned)", "POST", f"{USER}/unban", None, "401 403 403 403 403 403 403 403 403"),
    (
        "get_commit_signature (none)",
        "GET",
        "projects/acme%2Fsite/repository/commits/master/signature",
        None,
        "404 404 404 403 404 404 404 404 404",
    ),
]
ACCOUNTS = "groups/acme/service_accounts"
ACCOUNT = f"{ACCOUNTS}/{{account}}"
ACCOUNT_TOKENS = f"{ACCOUNT}/personal_access_tokens"
OWNERS = "401 403 403 403 403 403 403"
ROWS += [
    row
    for scope, path, listed, written in (
        (
            "project",
            "projects/acme%2Fsite",
            "401 404 404 403 403 403 200 200 200",
            "401 404 404 403 403 403 {0} {0} {0}",
        ),
        ("group", "groups/acme", "401 403 403 403 403 403 403 200 200", "401 403 403 403 403 403 403 {0} {0}"),
    )
    for row in (
        (f"list_{scope}_invitations", "GET", f"{path}/invitations", None, listed),
        (f"create_{scope}_invitation", "POST", f"{path}/invitations", INVITATION, written.format(201)),
        (
            f"update_{scope}_invitation",
            "PUT",
            f"{path}/invitations/no@work.test",
            {"access_level": 20},
            written.format(404),
        ),
        (f"delete_{scope}_invitation", "DELETE", f"{path}/invitations/no@work.test", None, written.format(404)),
    )
]
SITE, ACME = "projects/acme%2Fsite", "groups/acme"
PROJECT_ADMIN, GROUP_ADMIN = "401 404 404 403 403 403 {0} {0} {0}", "401 403 403 403 403 403 403 {0} {0}"
GROUP_MAINTAINER = "401 403 403 403 403 403 {0} {0} {0}"
PROJECT_OWNER = "401 404 404 403 403 403 403 {0} {0}"
ROWS += [
    ("list_project_uploads", "GET", f"{SITE}/uploads", None, PROJECT_ADMIN.format(200)),
    ("get_project_upload (none)", "GET", f"{SITE}/uploads/1", None, PROJECT_ADMIN.format(404)),
    ("delete_project_upload (none)", "DELETE", f"{SITE}/uploads/1", None, PROJECT_ADMIN.format(404)),
    ("delete_project_upload_by_secret (none)", "DELETE", f"{SITE}/uploads/a/b", None, PROJECT_ADMIN.format(404)),
    ("get_project_upload_by_secret (none)", "GET", f"{SITE}/uploads/a/b", None, "401 404 404 404 404 404 404 404 404"),
    ("list_group_uploads", "GET", f"{ACME}/uploads", None, GROUP_MAINTAINER.format(200)),
    ("get_group_upload (none)", "GET", f"{ACME}/uploads/1", None, GROUP_MAINTAINER.format(404)),
    ("delete_group_upload (none)", "DELETE", f"{ACME}/uploads/1", None, GROUP_MAINTAINER.format(404)),
    ("delete_group_upload_by_secret (none)", "DELETE", f"{ACME}/uploads/a/b", None, GROUP_MAINTAINER.format(404)),
    ("get_group_upload_by_secret (none)", "GET", f"{ACME}/uploads/a/b", None, "401 403 403 404 404 404 404 404 404"),
    (
        "list_project_transfer_locations",
        "GET",
        f"{SITE}/transfer_locations",
        None,
        "404" + PROJECT_OWNER.format(200)[3:],
    ),
    ("list_project_share_locations", "GET", f"{SITE}/share_locations", None, "404" + PROJECT_ADMIN.format(200)[3:]),
    ("list_group_transfer_locations", "GET", f"{ACME}/transfer_locations", None, "403" + GROUP_ADMIN.format(200)[3:]),
    ("delete_project_artifacts", "DELETE", f"{SITE}/artifacts", None, PROJECT_ADMIN.format(202)),
    ("create_repository_size", "POST", f"{SITE}/repository_size", None, PROJECT_ADMIN.format(201)),
    ("import_project_members (none)", "POST", f"{SITE}/import_project_members/1", None, PROJECT_ADMIN.format(404)),
    ("list_repository_storage_moves", "GET", "project_repository_storage_moves", None, f"{ADMIN} 200"),
    ("get_repository_storage_move (none)", "GET", "project_repository_storage_moves/1", None, f"{ADMIN} 404"),
    ("create_repository_storage_moves", "POST", "project_repository_storage_moves", MOVE, f"{ADMIN} 400"),
    ("get_repository_health", "GET", f"{SITE}/repository/health", None, "404 404 404 403 403 404 404 404 404"),
    ("list_project_repository_storage_moves", "GET", f"{SITE}/repository_storage_moves", None, f"{ADMIN} 200"),
    ("list_all_snippet_repository_storage_moves", "GET", "snippet_repository_storage_moves", None, f"{ADMIN} 200"),
    (
        "get_any_snippet_repository_storage_move (none)",
        "GET",
        "snippet_repository_storage_moves/1",
        None,
        f"{ADMIN} 404",
    ),
    ("create_all_snippet_repository_storage_moves", "POST", "snippet_repository_storage_moves", MOVE, f"{ADMIN} 400"),
]
ROWS += [
    row
    for kind, owner in (("project", SITE), ("snippet", "snippets/{snippet}"))
    for row in (
        (f"list_{kind}_repository_storage_moves", "GET", f"{owner}/repository_storage_moves", None, f"{ADMIN} 200"),
        (f"get_{kind}_repository_storage_move", "GET", f"{owner}/repository_storage_moves/1", None, f"{ADMIN} 404"),
        (f"create_{kind}_repository_storage_move", "POST", f"{owner}/repository_storage_moves", None, f"{ADMIN} 201"),
    )
]
SUBSCRIPTION = "namespaces/acme/gitlab_subscription"
ROWS += [
    ("create_group_subscription", "POST", SUBSCRIPTION, {"start_date": "2020-11-01"}, f"{ADMIN} 201"),
    ("update_group_subscription (none)", "PUT", SUBSCRIPTION, {"seats": 1}, f"{ADMIN} 404"),
    ("archive_group", "POST", f"{ACME}/archive", None, GROUP_ADMIN.format(201)),
    ("create_group_unarchive (not archived)", "POST", f"{ACME}/unarchive", None, GROUP_ADMIN.format(422)),
]
SAML = f"{ACME}/saml_group_links"
MOVES, EVERY_MOVE = f"{ACME}/repository_storage_moves", "group_repository_storage_moves"
PAID: list[tuple[str, str, str, Any, str]] = [
    ("create_group_service_account", "POST", ACCOUNTS, None, f"{OWNERS} 201 201"),
    ("list_group_service_accounts", "GET", ACCOUNTS, None, f"{OWNERS} 200 200"),
    ("update_group_service_account", "PATCH", ACCOUNT, {"name": "x"}, f"{OWNERS} 200 200"),
    ("delete_group_service_account", "DELETE", ACCOUNT, None, f"{OWNERS} 204 204"),
    ("list_group_service_account_personal_access_tokens", "GET", ACCOUNT_TOKENS, None, f"{OWNERS} 200 200"),
    ("create_group_service_account_personal_access_token", "POST", ACCOUNT_TOKENS, TOKEN, f"{OWNERS} 201 201"),
    ("list_group_saml_links", "GET", SAML, None, GROUP_ADMIN.format(200)),
    ("get_group_saml_link (none)", "GET", f"{SAML}/none", None, GROUP_ADMIN.format(404)),
    ("delete_group_saml_link (none)", "DELETE", f"{SAML}/none", None, GROUP_ADMIN.format(404)),
    ("list_all_group_repository_storage_moves", "GET", EVERY_MOVE, None, f"{ADMIN} 200"),
    ("get_any_group_repository_storage_move (none)", "GET", f"{EVERY_MOVE}/1", None, f"{ADMIN} 404"),
    ("create_all_group_repository_storage_moves", "POST", EVERY_MOVE, MOVE, f"{ADMIN} 400"),
    ("list_group_repository_storage_moves", "GET", MOVES, None, f"{ADMIN} 200"),
    ("get_group_repository_storage_move (none)", "GET", f"{MOVES}/1", None, f"{ADMIN} 404"),
    ("create_group_repository_storage_move", "POST", MOVES, None, f"{ADMIN} 201"),
    (
        "delete_group_service_account_personal_access_token",
        "DELETE",
        f"{ACCOUNT_TOKENS}/{{account_token}}",
        None,
        f"{OWNERS} 204 204",
    ),
    (
        "rotate_group_service_account_personal_access_token",
        "POST",
        f"{ACCOUNT_TOKENS}/{{account_token}}/rotate",
        None,
        f"{OWNERS} 200 200",
    ),
    ("list_group_saml_identities", "GET", "groups/acme/saml/identities", None, f"{OWNERS} 400 400"),
    ("get_group_saml_identity", "GET", "groups/acme/saml/x", None, f"{OWNERS} 404 404"),
    ("update_group_saml_identity", "PATCH", "groups/acme/saml/x", {"extern_uid": "x"}, f"{OWNERS} 404 404"),
    ("delete_group_saml_identity", "DELETE", "groups/acme/saml/x", None, f"{OWNERS} 404 404"),
    ("list_group_scim_identities", "GET", "groups/acme/scim/identities", None, f"{OWNERS} 200 200"),
    ("get_group_scim_identity", "GET", "groups/acme/scim/x", None, f"{OWNERS} 404 404"),
    ("update_group_scim_identity", "PATCH", "groups/acme/scim/x", {"extern_uid": "x"}, f"{OWNERS} 404 404"),
    ("delete_group_scim_identity", "DELETE", "groups/acme/scim/x", None, f"{OWNERS} 404 404"),
    ("list_service_accounts", "GET", "service_accounts", None, f"{ADMIN} 200"),
    ("create_service_account", "POST", "service_accounts", None, f"{ADMIN} 201"),
    ("update_service_account", "PATCH", "service_accounts/{account}", {"name": "x"}, f"{ADMIN} 200"),
]
BILLABLE, ENTERPRISE = f"{ACME}/billable_members", f"{ACME}/enterprise_users"
EVE = f"{ACME}/members/{{eve}}"
PAID += [
    ("list_group_billable_members", "GET", BILLABLE, None, OWNERS.replace("403", "400") + " 200 200"),
    ("set_group_member_override (not LDAP)", "POST", f"{EVE}/override", None, GROUP_ADMIN.format(404)),
    ("reset_group_member_override (not LDAP)", "DELETE", f"{EVE}/override", None, GROUP_ADMIN.format(404)),
    ("list_group_pending_members", "GET", f"{ACME}/pending_members", None, OWNERS.replace("403", "400") + " 200 200"),
    ("list_group_enterprise_users", "GET", ENTERPRISE, None, f"{OWNERS} 200 200"),
    ("get_group_enterprise_user (none)", "GET", f"{ENTERPRISE}/{{eve}}", None, f"{OWNERS} 404 404"),
    ("list_group_provisioned_users", "GET", f"{ACME}/provisioned_users", None, "403 403 403 403 403 403 200 200 200"),
    ("list_group_ssh_certificates", "GET", f"{ACME}/ssh_certificates", None, "403 403 403 403 403 403 403 200 200"),
    (
        "create_group_ssh_certificate (invalid)",
        "POST",
        f"{ACME}/ssh_certificates",
        {"title": "x", "key": "x"},
        GROUP_ADMIN.format(422),
    ),
    ("delete_group_ssh_certificate (none)", "DELETE", f"{ACME}/ssh_certificates/1", None, GROUP_ADMIN.format(404)),
    ("list_admin_member_roles", "GET", "admin_member_roles", None, f"{ADMIN} 200"),
    ("create_admin_member_role", "POST", "admin_member_roles", {"read_admin_users": True}, f"{ADMIN} 201"),
    ("delete_admin_member_role (none)", "DELETE", "admin_member_roles/1", None, f"{ADMIN} 404"),
    (
        "delete_group_ldap_link_by_parameter (none)",
        "DELETE",
        f"{ACME}/ldap_group_links?cn=x&provider=x",
        None,
        GROUP_ADMIN.format(404),
    ),
    ("list_group_saml_users", "GET", f"{ACME}/saml_users", None, f"{OWNERS} 200 200"),
    (
        "delete_group_dependency_proxy_cache",
        "DELETE",
        f"{ACME}/dependency_proxy/cache",
        None,
        "403 403 403 403 403 403 403 202 202",
    ),
]


def create_paid_records(root: Any) -> dict[str, Any]:
    """Create a service account with a token; return the ids."""
    # The first release has none.
    account = root.post(ACCOUNTS).json().get("id")
    token = root.post(f"{ACCOUNTS}/{account}/personal_access_tokens", json=TOKEN).json()
    return {"account": account, "account_token": token.get("id")}


def create_records(root: Any, known: dict[str, Any]) -> dict[str, Any]:
    """Create what the rows name; return the ids."""
    user = f"users/{known['eve']}"
    key = root.post(f"{user}/keys", json={"title": "x", "key": ECDSA}).json()
    return {
        "key": key["id"],
        "fingerprint": "SHA256:bQ3uEFJTPckJ1JzsLkBNHPGl8tVBQoS/1mH/%2BN3PScA",
        "gpg_key": root.post(f"{user}/gpg_keys", json={"key": GPG_KEY}).json()["id"],
        "email": root.post(f"{user}/emails", json={"email": "eve@work.test"}).json()["id"],
        "impersonation": root.post(f"{user}/impersonation_tokens", json=TOKEN).json()["id"],
    }
