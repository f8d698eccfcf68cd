"""Parameters: how they are declared, read and refused."""
