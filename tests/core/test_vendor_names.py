import pytest

from fakeplat.core.operations.vendor_names import (
    NEUTRAL,
    VENDOR,
    neutral_name_of,
    twin_of,
    vendor_headers,
    vendor_name_of,
)

PAIRS = [
    ("_platform_session", "_gitlab_session"),
    ("platform_environment_name", "gitlab_environment_name"),
    ("antispam_submitted", "akismet_submitted"),
    ("antispam_enabled", "akismet_enabled"),
    ("antispam_api_key", "akismet_api_key"),
    ("avatarservice_enabled", "gravatar_enabled"),
    ("diagram_enabled", "plantuml_enabled"),
    ("managedk8s_access_key_id", "eks_access_key_id"),
    ("managedk8s_account_id", "eks_account_id"),
    ("managedk8s_integration_enabled", "eks_integration_enabled"),
    ("managedk8s_secret_access_key", "eks_secret_access_key"),
    ("searchindex_aws", "elasticsearch_aws"),
    ("searchindex_aws_access_key", "elasticsearch_aws_access_key"),
    ("searchindex_aws_region", "elasticsearch_aws_region"),
    ("searchindex_aws_secret_access_key", "elasticsearch_aws_secret_access_key"),
    ("searchindex_indexed_field_length_limit", "elasticsearch_indexed_field_length_limit"),
    ("searchindex_indexed_file_size_limit_kb", "elasticsearch_indexed_file_size_limit_kb"),
    ("searchindex_indexing", "elasticsearch_indexing"),
    ("searchindex_limit_indexing", "elasticsearch_limit_indexing"),
    ("searchindex_max_bulk_concurrency", "elasticsearch_max_bulk_concurrency"),
    ("searchindex_max_bulk_size_mb", "elasticsearch_max_bulk_size_mb"),
    ("searchindex_namespace_ids", "elasticsearch_namespace_ids"),
    ("searchindex_project_ids", "elasticsearch_project_ids"),
    ("searchindex_search", "elasticsearch_search"),
    ("searchindex_url", "elasticsearch_url"),
]


@pytest.mark.parametrize(("neutral", "vendor"), PAIRS)
def test_a_neutral_name_and_its_vendor_name_find_each_other(neutral: str, vendor: str) -> None:
    """Every pair of neutral and vendor names is found in both directions."""
    assert vendor == vendor_name_of(neutral) == twin_of(neutral)
    assert neutral == neutral_name_of(vendor) == twin_of(vendor)


@pytest.mark.parametrize("name", ["title", "domain_blacklist_enabled", "elasticsearch_username", ""])
def test_other_names_exist_once(name: str) -> None:
    """A name outside the table has no counterpart, whatever it starts with."""
    assert (None, None, None) == (vendor_name_of(name), neutral_name_of(name), twin_of(name))


def test_the_table_is_one_to_one() -> None:
    """No name is both neutral and a vendor's, and none occurs twice."""
    assert len(VENDOR) == len(NEUTRAL)
    assert not VENDOR.keys() & NEUTRAL.keys()


def test_headers_go_out_under_both_names() -> None:
    """Vendor headers are sent under the neutral and the vendor's name, without line breaks in their values."""
    expected = (("X-Platform-Size", "1"), ("X-Platform-Ref", "ab"), ("X-Gitlab-Size", "1"), ("X-Gitlab-Ref", "ab"))
    assert expected == vendor_headers({"Size": "1", "Ref": "a\r\nb"})
