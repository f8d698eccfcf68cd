"""SSH keys, and the signatures that ssh-keygen made with them for a commit of no files."""

from typing import Final

WHO: Final = "Ada Example <ada@example.test> 1577923200 +0000"
HEADERS: Final = f"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor {WHO}\ncommitter {WHO}"
KEYS: Final = {
    "ed25519": ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEZxGeS7WfQf/c1w0wocy23ndp4I2AZV6sNpGrJNkzcN ada"),
    "rsa": (
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQDMjslF5oyIeahqZIuebSdkphl/aK3VIdkhY3E9kvVGGVV3kl/1q+F1hEuh+LoL"
        "sSEJYnrIOAkQyunzplytxYBtUuRc7/o8JsFaZGEfhPrVSVIy2cVMMZxo9XI3Yh+8et7iD+vmK7/bgdQR07eaep6RxqMvL1UpUOrp"
        "gg4O8fmtnv8qSHudryro5W0kp/nQ9C57SrHBixqqkkdCjCesjuIKahBRIL8eT0P1BEM4+i592KoLVFM22lMc9PMfvsnF4k/ZxUl5"
        "zcLdBDcK+7852T1VDOOHf+Z+fttmbt2l6il4FkP/bsUPEm38GlZmTEWhZ8HAvoZetoBS8Vkqe4Qxi9YD ada"
    ),
    "ecdsa": (
        "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBMCGBImGPf5suOgbzNzUsSTqIwWa"
        "OOcHKJvl9zf8x9ifza3QfGzmBk4C+8QCYDkX3eCx7FnwMDgmLogTjr18Lpo= ada"
    ),
}
SIGNATURES: Final = {
    "ed25519": """-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgRnEZ5LtZ9B/9zXDTChzLbed2ng
jYBlXqw2kask2TNw0AAAADZ2l0AAAAAAAAAAZzaGE1MTIAAABTAAAAC3NzaC1lZDI1NTE5
AAAAQKPJh6W+k+eNMTdgeF4jh39iQl7J6x8zsPrZQvBXAQIh0Vt2w8+XzVjuLOn4jGXo0W
j4VZBcWKhFAHma4WrUxQY=
-----END SSH SIGNATURE-----""",
    "rsa": """-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAARcAAAAHc3NoLXJzYQAAAAMBAAEAAAEBAMyOyUXmjIh5qGpki55tJ2
SmGX9ordUh2SFjcT2S9UYZVXeSX/Wr4XWES6H4uguxIQliesg4CRDK6fOmXK3FgG1S5Fzv
+jwmwVpkYR+E+tVJUjLZxUwxnGj1cjdiH7x63uIP6+Yrv9uB1BHTt5p6npHGoy8vVSlQ6u
mCDg7x+a2e/ypIe52vKujlbSSn+dD0LntKscGLGqqSR0KMJ6yO4gpqEFEgvx5PQ/UEQzj6
Ln3YqgtUUzbaUxz08x++ycXiT9nFSXnNwt0ENwr7vznZPVUM44d/5n5+22Zu3aXqKXgWQ/
9uxQ8SbfwaVmZMRaFnwcC+hl62gFLxWSp7hDGL1gMAAAADZ2l0AAAAAAAAAAZzaGE1MTIA
AAEUAAAADHJzYS1zaGEyLTUxMgAAAQC1MBBHyHJ0czCofX1PewK2NsIV/TgYLxzBDgVm2u
RZG+8qC5DocGi3lbBtNEnJdsTwWPSrDaywo41BEfbEoFWIaZZvhYajq6/kJaeAHqCVjPSd
jVHkuexI4fY6f97DX5jnHaJf2Iohw/U1C/Da1CaQlujt7CxSDdqh5/JgHyv8IZDf4IqFMS
EkaulicC0VsYCp1qMv9dHm1PsUOCVDhadNWAwtdJ2uYD1c30N8/3hXepSZi4xQrcNAUS/k
Xchob3gDqcXzvkJFjta47vEDaPBqoL+jLQF3jYu4B7VRxQJjIREZIgscq943IhDuBbP5bD
BDrpT/Zg6y2Arns0dbuPeI
-----END SSH SIGNATURE-----""",
    "ecdsa": """-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAAGgAAAATZWNkc2Etc2hhMi1uaXN0cDI1NgAAAAhuaXN0cDI1NgAAAE
EEwIYEiYY9/my46BvM3NSxJOojBZo45wcom+X3N/zH2J/NrdB8bOYGTgL7xAJgORfd4LHs
WfAwOCYuiBOOvXwumgAAAANnaXQAAAAAAAAABnNoYTUxMgAAAGUAAAATZWNkc2Etc2hhMi
1uaXN0cDI1NgAAAEoAAAAhAOI3jmt5iVDWnOp8PoUr2KLnSi/EwognXK7ZdSMearVBAAAA
IQC1++X8d2F2IFXggvkV74276ZuFf4DLQvgvznFSidZ6LA==
-----END SSH SIGNATURE-----""",
}
OF_A_FILE: Final = """-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgRnEZ5LtZ9B/9zXDTChzLbed2ng
jYBlXqw2kask2TNw0AAAAEZmlsZQAAAAAAAAAGc2hhNTEyAAAAUwAAAAtzc2gtZWQyNTUx
OQAAAEC3B/AcXKWZhY+vmEnIwGSxkSSWgrQs9eagEm5h+sBkeheGy0Se3/sfT761b8/cUh
QsOKq5pprgFYBRKxwtHj8A
-----END SSH SIGNATURE-----"""
"""A signature for another purpose than those of git."""


def signed_commit(signature: str, message: str = "Signed\n") -> bytes:
    """Return the content of a commit of no files, with a signature of the one whose message is ``Signed``."""
    folded = signature.replace("\n", "\n ")
    return f"{HEADERS}\ngpgsig {folded}\n\n{message}".encode()
