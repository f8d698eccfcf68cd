"""OAuth applications, and the codes that they exchange for tokens."""

from fakeplat.core.store.frozen import frozen


@frozen
class OAuthApplication:
    """An application that acts for users, or for itself.

    ``redirect_uri`` has one address per line. A confidential application must send its secret; users need not approve a
    trusted one. ``owner_id`` is the user who registered it; None for applications of the instance. A dynamic one has
    registered itself. ``device_code_enabled``: devices without a browser may ask for its tokens.
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
    dynamic: bool = False
    device_code_enabled: bool = True


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


@frozen
class DeviceGrant:
    """What a device without a browser asks for, with the codes of the device and of its user.

    Once a user has confirmed it, there is a ``user_id`` and no ``user_code`` any more. ``last_polled_at`` is when the
    device last asked for its token.
    """

    id: int
    application_id: int
    device_code: str
    user_code: str | None
    created_at: str
    scopes: tuple[str, ...] = ()
    user_id: int | None = None
    last_polled_at: str | None = None
