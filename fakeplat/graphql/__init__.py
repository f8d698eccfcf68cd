"""The GraphQL API: the records, permissions and actions of the REST API under the platform's GraphQL names."""
