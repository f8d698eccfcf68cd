"""A watcher: reads the feed at an address twice, as feedparser's users do, and prints what it saw as JSON."""

import json
import sys

import feedparser

address = sys.argv[1]
first = feedparser.parse(address)
again = feedparser.parse(address, etag=getattr(first, "etag", None))
seen = {
    "status": first.get("status"),
    "bozo": bool(first.bozo),
    "version": first.version,
    "title": first.feed.get("title"),
    "updated": first.feed.get("updated"),
    "entries": [
        {
            "id": entry.id,
            "title": entry.title,
            "link": entry.get("link"),
            "author": entry.get("author_detail", {}).get("name"),
            "updated": list(entry.updated_parsed)[:6] if entry.get("updated_parsed") else None,
            "summary": entry.get("summary"),
        }
        for entry in first.entries
    ],
    "again": [again.get("status"), len(again.entries)],
}
print(json.dumps(seen))
