"""The CSV of the use of a licence. Source: docs/platform/version-and-metadata.md."""

from base64 import encodebytes
from collections.abc import Sequence
from typing import Final

import orjson

from fakeplat.core.timestamps import to_iso
from fakeplat.model.instance import InstanceLicense
from fakeplat.policy.context import ReadContext

_SPECIAL: Final = frozenset(',"\r\n')


def write_csv(ctx: ReadContext, license_: InstanceLicense) -> str:
    """Return the CSV: the licence, and below the columns of the daily counts of users, of which none are kept."""
    now, licensee = to_iso(ctx.now()), license_.licensee
    rows: list[Sequence[str | None]] = [
        ("License Key", encode_key(license_)),
        ("Email", licensee.get("Email")),
        ("License Start Date", license_.starts_at),
        ("License End Date", license_.expires_at),
        ("Company", licensee.get("Company")),
        ("Generated At", f"{now[:10]} {now[11:19]}"),
        ("", ""),
        ("Date", "Billable User Count"),
    ]
    return "".join(",".join(map(_quote, row)) + "\n" for row in rows)


def encode_key(license_: InstanceLicense) -> str:
    """Return a key that stands for a licence, in lines."""
    attributes = {
        "licensee": dict(license_.licensee),
        "starts_at": license_.starts_at,
        "expires_at": license_.expires_at,
        "restrictions": {
            "plan": license_.plan,
            "active_user_count": license_.user_limit,
            "add_ons": dict(license_.add_ons),
        },
    }
    return encodebytes(orjson.dumps(attributes)).decode()


def _quote(value: str | None) -> str:
    """Return a field as Ruby writes it, in which an empty text is not the same as none."""
    if value is None:
        return ""
    is_plain = value and not _SPECIAL.intersection(value) and value == value.strip()
    return value if is_plain else '"' + value.replace('"', '""') + '"'
