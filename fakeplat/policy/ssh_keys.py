"""Who is known by an SSH key, and the tokens for Git LFS that stand for one. Source: docs/platform/git-over-ssh.md."""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import TYPE_CHECKING, Final

import orjson

from fakeplat.core.operations.http_messages import SshKeyId
from fakeplat.core.rng import random_bytes
from fakeplat.core.timestamps import HOUR
from fakeplat.model.people import User
from fakeplat.model.projects import DeployKey
from fakeplat.model.world import World

if TYPE_CHECKING:
    from fakeplat.core.ssh_keys import PublicKey

LFS_TOKEN_LIFETIME: Final = 2 * HOUR
_DEPLOY_KEY_NAME: Final = "lfs+deploy-key-{}"
_ALGORITHM: Final = "sha256"


def find_auth_key(world: World, public_key: "PublicKey") -> SshKeyId | None:
    """Return the key with which somebody may connect: not one for signing only."""
    key = world.ssh_keys.find("fingerprint", public_key.fingerprint)
    if key is not None:
        return None if key.usage_type == "signing" else SshKeyId("user", key.id)
    deploy_key = world.deploy_keys.find("fingerprint", public_key.fingerprint)
    return None if deploy_key is None or deploy_key.usage_type == "signing" else SshKeyId("deploy", deploy_key.id)


def lfs_credentials(world: World, caller: User | DeployKey, now: int) -> tuple[str, str]:
    """Return the name and password with which Git LFS transfers objects for a user or a deploy key, for two hours."""
    name = caller.username if isinstance(caller, User) else _DEPLOY_KEY_NAME.format(caller.id)
    content = orjson.dumps({"actor": name, "exp": now + LFS_TOKEN_LIFETIME})
    return name, f"{_encode(content)}.{_sign(world, content)}"


def find_lfs_caller(world: World, name: str, password: str) -> tuple[User | DeployKey, int] | None:
    """Return the user or deploy key that a token for Git LFS was made for, and when it expires; None for no token."""
    encoded, _, signature = password.partition(".")
    try:
        content = urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
    except ValueError:
        return None
    if not signature or not hmac.compare_digest(signature.encode(), _sign(world, content).encode()):
        return None
    claims = orjson.loads(content)
    if claims["actor"] != name:
        return None
    prefix = _DEPLOY_KEY_NAME.format("")
    caller: User | DeployKey | None = world.users.find("username", name.lower())
    if name.startswith(prefix):
        caller = world.deploy_keys.get(int(name.removeprefix(prefix)))
    return None if caller is None else (caller, claims["exp"])


def lfs_offer_secret(world: World) -> bytes:
    """Return the secret that signs what sessions of `git-lfs-transfer` offer to their clients."""
    return random_bytes(world.setup.seed, "lfs_offer", 0, 32)


def _sign(world: World, content: bytes) -> str:
    secret = random_bytes(world.setup.seed, "lfs_token", 0, 32)
    return _encode(hmac.digest(secret, content, _ALGORITHM))


def _encode(content: bytes) -> str:
    return urlsafe_b64encode(content).decode().rstrip("=")
