"""OAuth applications and the codes that they exchange for tokens."""

from fakeplat.core.store.frozen import frozen


@frozen
class OAuthApplication:
    """An application that acts for users, or for itself.

    ``redirect_uri`` has one address per line. A confidential application must send its secret; users need not approve a
    trusted one. ``owner_id`` is the user who registered it; None for applications of the instance.
    """

    id: int
    name: str
    uid: str
    secret: str
    redirect_uri: str
    created_at: str
    updated_at: str
    scopes: tuple[str, ...] = ()
    confidential: bool = True
    trusted: bool = False
    owner_id: int | None = None


@frozen
class AuthorizationGrant:
    """The approval of a user, with the code that the application exchanges for a token once."""

    id: int
    application_id: int
    user_id: int
    code: str
    redirect_uri: str
    created_at: str
    scopes: tuple[str, ...] = ()
    code_challenge: str | None = None
    code_challenge_method: str | None = None
    revoked: bool = False
    nonce: str | None = None
