"""Receivers of changes of wikis, in the order of calls."""

from fakeplat.domain import signals
from fakeplat.domain.hooks import ci_hooks
from fakeplat.domain.wikis import page_events

signals.wiki_page_changed.connect(page_events.record_page_event, ci_hooks.execute_wiki_page)
