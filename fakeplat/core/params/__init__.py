"""Request parameters: declaration, coercion and validation."""
