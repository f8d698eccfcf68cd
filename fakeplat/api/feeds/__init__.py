"""Feeds (Atom) of activity, issues, commits, tags and releases. Source: docs/platform/feeds.md."""
