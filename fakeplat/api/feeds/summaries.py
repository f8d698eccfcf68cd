"""What feeds show of issues, merge requests, comments and pushes: XHTML. Source: docs/platform/feeds.md."""

from datetime import datetime

from fakeplat.domain.markup import markup, trees
from fakeplat.model.activity import Event
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext


def render_text(ctx: ReadContext, text: str | None, project: Project | None) -> str:
    """Return a text in Markdown as XHTML."""
    root = trees.parse(markup.render_html(ctx, text, project))
    for element in root.descendants():
        for name in ("href", "src"):
            # Readers show a feed away from its instance.
            if element.attributes.get(name, "").startswith("/"):
                element.attributes[name] = f"{ctx.origin}{element.attributes[name]}"
    return root.inner_xhtml


def wrap(inner: str) -> str:
    """Return the element of a summary."""
    return f'<div xmlns="http://www.w3.org/1999/xhtml">\n{inner}\n</div>'


def describe_push(ctx: ReadContext, event: Event, url: str, author: str, project: Project) -> str:
    """Return who pushed which commit, its title, and how many more there are."""
    push = event.push
    if push is None:
        return ""
    moment = datetime.fromisoformat(event.created_at)
    sha = (push.commit_to or push.commit_from or "")[:8]
    lines = [
        "<p>",
        trees.Element("strong", None, author).html,
        trees.Element("a", {"href": url}, f"({sha})").html,
        "<i>",
        "at",
        moment.strftime("%d %b %H:%M"),
        "</i>",
        "</p>",
    ]
    if push.action != "removed":
        title = render_text(ctx, push.commit_title, project)
        lines.append(f'<div class="blockquote">{title}</div>')
        if push.commit_count > 1:
            count = push.commit_count - 1
            lines += ["<p>", "<i>", "... and", f"{count} more commit{'' if count == 1 else 's'}", "</i>", "</p>"]
    return wrap("\n".join(lines))
