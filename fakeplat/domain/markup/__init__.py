"""Markup: Markdown as HTML, with references to records."""
