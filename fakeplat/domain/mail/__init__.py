"""E-mail about what happens: who gets it, what it says, and in which thread. Source: docs/platform/mail.md."""
