"""Names of files in headers. Source: RFC 6266."""

import pytest

from fakeplat.core.operations.content_disposition import content_disposition, plain_content_disposition


@pytest.mark.parametrize(
    ("name", "plain", "encoded"),
    [
        ("README.md", "README.md", "README.md"),
        ("a b.txt", "a b.txt", "a%20b.txt"),
        ("grüße.txt", "gr__e.txt", "gr%C3%BC%C3%9Fe.txt"),
        ('quote"d\\.txt', "quote_d_.txt", "quote%22d%5C.txt"),
        ("line\r\nbreak", "line__break", "line%0D%0Abreak"),
    ],
)
def test_a_name_stands_in_ascii_and_in_full(name: str, plain: str, encoded: str) -> None:
    """The header has the file name in ASCII and encoded in full, without characters that would end the quotes."""
    assert f"inline; filename=\"{plain}\"; filename*=UTF-8''{encoded}" == content_disposition("inline", name)
    assert f'attachment; filename="{plain}"' == plain_content_disposition("attachment", name)


def test_without_a_name_the_header_has_only_the_disposition() -> None:
    """Without a file name the header consists of the disposition."""
    assert "inline" == content_disposition("inline", "")
