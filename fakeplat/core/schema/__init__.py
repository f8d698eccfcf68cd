"""Documents that people or tools write: one declaration of their shape gives JSON Schema, reader and error messages."""
