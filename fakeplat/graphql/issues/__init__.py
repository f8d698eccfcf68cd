"""Issues: types, fields and mutations."""
