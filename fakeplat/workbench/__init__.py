"""Tools for test authors: the request journal, snapshots, tokens, fault injection and views of the records."""
