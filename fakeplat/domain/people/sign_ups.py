"""Sign-up: people create their own accounts, as the settings allow. Source: docs/platform/settings.md."""

import re
from collections.abc import Iterable

from fakeplat.core.regexps import compile_regexp
from fakeplat.domain import settings
from fakeplat.domain.people import users
from fakeplat.domain.validation import BLANK, ValidationErrors
from fakeplat.model.people import User
from fakeplat.model.settings import Settings
from fakeplat.policy.context import ReadContext, WriteContext

_NOT_PERMITTED = "domain is not authorized for sign-up"
_DENIED = "is not from an allowed domain."
_RESTRICTED = "is not allowed. Try again with a different email address, or contact your GitLab admin."


def is_open(ctx: ReadContext) -> bool:
    """Return whether people can sign up: the pages need passwords, too."""
    current = ctx.world.settings
    return current.signup_enabled and current.password_authentication_enabled_for_web


def sign_up(ctx: WriteContext, *, name: str, username: str, email: str, password: str) -> User:
    """Create the account of somebody who is not signed in. Raises 400 for an address that may not sign up."""
    current = ctx.world.settings
    errors = ValidationErrors()
    for field, value in (("name", name), ("username", username), ("email", email), ("password", password)):
        errors.when(not value.strip(), field, BLANK)
    _check_email(errors, current, email)
    errors.refuse()
    return users.create(
        ctx,
        name=name,
        username=username,
        email=email,
        password=password,
        external=settings.is_external_by_default(current, email),
        skip_confirmation=not current.send_user_confirmation_email and current.email_confirmation_setting == "off",
        # The form says that whoever registers accepts the terms.
        accepted_terms=current.enforce_terms,
        state="blocked_pending_approval" if current.require_admin_approval_after_user_signup else "active",
    )


def accept_terms(ctx: WriteContext, user: User) -> User:
    """Accept the terms of the instance, in whatever version."""
    return ctx.world.users.change(user, accepted_terms=True)


def _check_email(errors: ValidationErrors, current: Settings, email: str) -> None:
    domain_error = _explain_domain_error(current, email.rpartition("@")[2])
    errors.when(domain_error, "email", domain_error)
    pattern = current.email_restrictions if current.email_restrictions_enabled else None
    errors.when(pattern and compile_regexp(pattern).is_in(email), "email", _RESTRICTED)


def _explain_domain_error(current: Settings, domain: str) -> str:
    # Permitted domains override denied ones.
    if current.domain_allowlist:
        return "" if _is_among(current.domain_allowlist, domain) else _NOT_PERMITTED
    is_denied = current.domain_denylist_enabled and _is_among(current.domain_denylist or (), domain)
    return _DENIED if is_denied else ""


def _is_among(patterns: Iterable[str], domain: str) -> bool:
    """Return whether one of the domains, in which ``*`` stands for any text, is the domain."""
    escaped = (".*".join(re.escape(part) for part in pattern.split("*")) for pattern in patterns)
    return any(compile_regexp(f"(?i)^(?:{pattern})$").is_in(domain) for pattern in escaped)
