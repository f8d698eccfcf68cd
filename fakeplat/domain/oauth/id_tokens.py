"""ID tokens, which tell an application who signed in, and the key that signs them.

Source: docs/platform/oauth.md. See OpenID Connect Core 1.0 (2), RFC 7515, RFC 7638.
"""

import json
from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Any, Final

import orjson

from fakeplat.core.rsa_keys import RsaKey, derive_key
from fakeplat.core.timestamps import SECOND
from fakeplat.domain.oauth import access_tokens, user_info
from fakeplat.domain.people import tokens
from fakeplat.model.people import Token
from fakeplat.model.world import World
from fakeplat.policy.behaviours import OPENID_TELLS_ROLES_IN_GROUPS
from fakeplat.policy.context import ReadContext, WriteContext

ALGORITHM: Final = "RS256"
_LIFETIME: Final = 120
"""In seconds."""


def create_id_token(ctx: WriteContext, token: Token, nonce: str | None = None) -> str | None:
    """Return the ID token that accompanies an access token; None if that has no user, or not the scope for it."""
    claims = _claims_of(ctx, token, nonce)
    return sign(ctx.world, claims) if claims else None


def _claims_of(ctx: ReadContext, token: Token, nonce: str | None) -> dict[str, Any] | None:
    user = tokens.owner_of(ctx.world, token)
    if user is None or not user_info.is_open_to(token):
        return None
    application = access_tokens.application_of(ctx.world, token)
    subject = user_info.subject_of(ctx.world, user)
    issued_at = ctx.moving_now() // SECOND
    tells_of_groups = ctx.profile.has(OPENID_TELLS_ROLES_IN_GROUPS)
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
        "groups_direct": user_info.direct_groups(ctx.world, user) if tells_of_groups else None,
    }
    return {name: value for name, value in claims.items() if value is not None}


def sign(world: World, claims: dict[str, Any]) -> str:
    """Return claims as a JSON web token, signed with the key of the instance."""
    header = {"alg": ALGORITHM, "kid": describe_key(world)["kid"], "typ": "JWT"}
    parts = [_to_base64(json.dumps(part, separators=(",", ":")).encode()) for part in (header, claims)]
    return ".".join([*parts, _to_base64(_key_of(world).sign(".".join(parts).encode()))])


def describe_key(world: World) -> dict[str, str]:
    """Return the public key with which applications verify ID tokens, as a JSON web key."""
    key = _key_of(world)
    # The thumbprint is the digest of these members in exactly this order, without spaces.
    members = {"e": _to_text(key.exponent), "kty": "RSA", "n": _to_text(key.modulus)}
    thumbprint = _to_base64(sha256(orjson.dumps(members)).digest())
    return {"kid": thumbprint, **members, "use": "sig", "alg": ALGORITHM}


def _key_of(world: World) -> RsaKey:
    return derive_key(world.setup.seed, "signing key of ID tokens")


def _to_text(number: int) -> str:
    return _to_base64(number.to_bytes((number.bit_length() + 7) // 8))


def _to_base64(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()
