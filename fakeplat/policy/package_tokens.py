"""Tokens (JWT) that package managers get for their credentials, and send instead of them.

Conan asks for one when it logs in, and sends it as Bearer; Terraform gets one in the location of a module's file.
"""

from collections.abc import Callable
from typing import Final, Literal

from fakeplat.core import json_web_tokens
from fakeplat.core.rng import format_uuid, random_bytes
from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext

PackageTokenKind = Literal["conan", "terraform"]
_TOLERANCE: Final = 5


def find_token(ctx: ReadContext, kind: PackageTokenKind, lifetime: int) -> str | None:
    """Return a token that stands for the caller's own for some milliseconds; None if the caller sent no token."""
    sent = ctx.deploy_token or ctx.token
    if sent is None:
        return None
    now = ctx.moving_now()
    end = now + lifetime if sent.expires_at is None else min(now + lifetime, from_iso(sent.expires_at))
    owner = ctx.deploy_token.username if ctx.deploy_token is not None else ctx.signed_in_user.id
    seed = ctx.world.setup.seed
    claims = {
        "access_token": sent.value,
        "user_id": owner,
        "jti": format_uuid(random_bytes(seed, f"{kind} token of {owner}", now).hex()),
        "iat": now // SECOND,
        "nbf": now // SECOND - _TOLERANCE,
        "exp": end // SECOND,
    }
    return json_web_tokens.encode(claims, _key_of(ctx.world, kind))


def find_credential(world: World, kind: PackageTokenKind, token: str, has_passed: Callable[[int], bool]) -> str | None:
    """Return the credential that a token stands for; None if this world did not issue it, or it has expired."""
    claims = json_web_tokens.find_claims(token, _key_of(world, kind))
    if claims is None or has_passed(claims["exp"] * SECOND):
        return None
    credential: str = claims["access_token"]
    return credential


def _key_of(world: World, kind: PackageTokenKind) -> bytes:
    return random_bytes(world.setup.seed, f"key of {kind} packages", 0, 32)
