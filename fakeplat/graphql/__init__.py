"""The GraphQL face: the same records, abilities and verbs as the REST API, under the platform's GraphQL names."""
