"""ID tokens, which tell an application who signed in, and the key that signs them.

Source: docs/platform/oauth.md. See OpenID Connect Core 1.0 (2), RFC 7515, RFC 7638.
"""

from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import orjson

from fakeplat.core.rsa_keys import derive_key
from fakeplat.core.timestamps import SECOND
from fakeplat.domain.oauth import access_tokens, user_info
from fakeplat.domain.people import tokens
from fakeplat.model.users import Token
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

ALGORITHM: Final = "RS256"
_LIFETIME: Final = 120
"""In seconds."""


def create_id_token(ctx: WriteContext, token: Token, nonce: str | None = None) -> str | None:
    """Return the ID token that accompanies an access token; None if that has no user, or not the scope for it."""
    claims = _claims_of(ctx, token, nonce)
    return _sign(ctx.world, claims) if claims else None


def _claims_of(ctx: ReadContext, token: Token, nonce: str | None) -> dict[str, Any] | None:
    user = tokens.owner_of(ctx.world, token)
    if user is None or not user_info.is_open_to(token):
        return None
    application = access_tokens.application_of(ctx.world, token)
    subject = user_info.subject_of(ctx.world, user)
    issued_at = ctx.moving_now() // SECOND
    claims = {
        "iss": ctx.origin,
        "sub": subject.pop("sub"),
        "aud": application.uid if application else None,
        "exp": issued_at + _LIFETIME,
        "iat": issued_at,
        "nonce": nonce,
        "auth_time": access_tokens.seconds(user.current_sign_in_at) if user.current_sign_in_at else None,
        **subject,
        **user_info.email_claims(token, user),
    }
    return {name: value for name, value in claims.items() if value is not None}


def _sign(world: World, claims: dict[str, Any]) -> str:
    import jwt  # imported late: most worlds issue no ID tokens

    return jwt.encode(claims, _key_of(world), ALGORITHM, headers={"kid": describe_key(world)["kid"]})


def describe_key(world: World) -> dict[str, str]:
    """Return the public key with which applications verify ID tokens, as a JSON web key."""
    from jwt.algorithms import RSAAlgorithm
    from jwt.utils import base64url_encode

    key = RSAAlgorithm.to_jwk(_key_of(world).public_key(), as_dict=True)
    # The thumbprint is the digest of these members in exactly this order, without spaces.
    members = {name: str(key[name]) for name in ("e", "kty", "n")}
    thumbprint = base64url_encode(sha256(orjson.dumps(members)).digest()).decode()
    return {"kid": thumbprint, **members, "use": "sig", "alg": ALGORITHM}


def _key_of(world: World) -> "RSAPrivateKey":
    return derive_key(world.setup.seed, "signing key of ID tokens")
