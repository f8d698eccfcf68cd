"""What a test author works with: journal, snapshots, tokens, a look at the records."""
