"""Git over SSH: a server whose sessions send the requests of git over HTTP, so all checks and effects are the same."""
