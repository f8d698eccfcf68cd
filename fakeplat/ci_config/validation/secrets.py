"""The entry of the keyword ``secrets``: where a job gets the values of variables from.

The platform has it in ee/lib/gitlab/ci/config/entry/secret.rb and in the entries of the providers below that.
"""

from collections.abc import Mapping
from typing import Final

from fakeplat.ci_config.documents import YamlValue
from fakeplat.ci_config.validation import checks
from fakeplat.ci_config.validation.declarations import (
    Choice,
    Declared,
    MapOf,
    Names,
    Node,
    allowed_keys,
    as_keywords,
    attribute,
    config,
    keyword,
    of_release,
    select_names,
    when,
)
from fakeplat.ci_config.validation.entries import Check
from fakeplat.ci_config.validation.settings import BOOLEAN, is_mapping, is_string
from fakeplat.core.release import ByRelease

_AZURE: Final = keyword("azure_key_vault", "16.3")
_PROVIDERS: Final[Names] = (
    "vault",
    _AZURE,
    keyword("gcp_secret_manager", "16.8"),
    keyword("akeyless", "<=18.9"),
    keyword("gitlab_secrets_manager", "19.0"),
    keyword("aws_secrets_manager", "18.3"),
)
_AKEYLESS: Final = (
    "name data_key cert_user_name public_key_data csr_data uid_token gcp_audience azure_object_id "
    "k8s_service_account_token k8s_auth_config_name gateway_ca_certificate"
).split()
_AWS: Final = "secret_id region version_id version_stage role_arn role_session_name field".split()
_ENGINE: Final = ("name", "path")

_ONE_PROVIDER: Final[Declared[Check]] = Declared(
    lambda profile: checks.exactly_one_key(select_names(as_keywords(_PROVIDERS), profile))
)
_VAULT: Final = Choice(
    [
        (is_string, Node([config(checks.present)])),
        (
            is_mapping,
            Node(
                [
                    config(allowed_keys(["engine", "path", "field"])),
                    attribute("path", checks.present, checks.string, required=True),
                    attribute("field", checks.present, checks.string, required=True),
                    attribute("engine", checks.present, checks.mapping, required=True),
                ],
                {
                    "engine": Node(
                        [
                            config(checks.mapping, allowed_keys(_ENGINE), checks.required_keys(_ENGINE)),
                            attribute("name", checks.present, checks.string, required=True),
                            attribute("path", checks.present, checks.string, required=True),
                        ]
                    )
                },
            ),
        ),
    ],
    "should be a hash or a string",
)


def _one_field(value: YamlValue) -> str | None:
    return "must contain at most one '#'" if isinstance(value, str) and value.count("#") > 1 else None


def _needs_token(value: YamlValue) -> bool:
    return isinstance(value, Mapping) and not checks.is_blank(value.get("gcp_secret_manager"))


def _token_is_given(value: YamlValue) -> str | None:
    return "is required with gcp secrets manager" if checks.is_blank(value) else None


_SECRET: Final = Node(
    [
        config(checks.mapping, allowed_keys([*_PROVIDERS, keyword("file", "14.1"), keyword("token", "15.8")])),
        of_release(
            ByRelease(
                {
                    "13.5": config(checks.required_keys(["vault"])),
                    _AZURE.since: config(_ONE_PROVIDER),
                }
            )
        ),
        attribute("token", checks.string),
        when(_needs_token, attribute("token", _token_is_given, required=True)),
    ],
    {
        "vault": _VAULT,
        "aws_secrets_manager": Choice(
            [
                (is_string, Node([config(checks.present, _one_field)])),
                (
                    is_mapping,
                    Node(
                        [
                            config(allowed_keys(_AWS)),
                            attribute("secret_id", checks.string, checks.present, required=True),
                            *(attribute(name, checks.string) for name in _AWS[1:]),
                        ]
                    ),
                ),
            ],
            "should be a hash or a string",
        ),
        "file": BOOLEAN,
        "azure_key_vault": Node(
            [
                config(checks.mapping, allowed_keys(["name", "version"])),
                attribute("name", checks.present, checks.string, required=True),
                attribute("version", checks.string),
            ]
        ),
        "gcp_secret_manager": Node(
            [
                config(checks.mapping, allowed_keys(["name", "version"])),
                attribute("name", checks.present, checks.string, required=True),
                attribute("version", checks.alphanumeric),
            ]
        ),
        "akeyless": Node(
            [
                config(checks.mapping, allowed_keys(_AKEYLESS)),
                *(attribute(name, checks.string) for name in _AKEYLESS),
            ]
        ),
        "gitlab_secrets_manager": Node(
            [
                config(checks.mapping, allowed_keys(["name", "source"])),
                attribute("name", checks.present, checks.string, required=True),
                attribute(
                    "source",
                    checks.string,
                    checks.format_of(
                        r"project|group/[a-zA-Z0-9_\-\./]+", "must follow the format group/group_full_path or 'project'"
                    ),
                ),
            ]
        ),
    },
)
SECRETS: Final = MapOf(_SECRET, [config(checks.mapping)])
