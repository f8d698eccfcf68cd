"""Rendering of Markdown, for tests."""

from fakeplat.harness.fake import Fakeplat

EXTERNAL = 'rel="nofollow noreferrer noopener" target="_blank"'
PLACEHOLDER = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="


def render(fake: Fakeplat, text: str, project: str | None = "acme/open", user: str | None = "root") -> str:
    reply = fake.as_user(user).post("markdown", json={"text": text, "gfm": True, "project": project})
    assert 201 == reply.status
    return str(reply.json()["html"])


def paragraph(content: str) -> str:
    return f'<p dir="auto">{content}</p>'


def image(source: str, alt: str = "") -> str:
    """An image that is loaded when it is scrolled to, in a link to it."""
    text = f' alt="{alt}"' if alt else ""
    relation = "nofollow noreferrer noopener" if source.startswith("http") else "noopener noreferrer"
    return (
        f'<a class="no-attachment-icon" href="{source}" target="_blank" rel="{relation}">'
        f'<img src="{PLACEHOLDER}"{text} class="lazy" data-src="{source}"></a>'
    )
