"""GPG keys of Ada Example and of the administrator, made by gpg, and signatures of a commit with the first.

The private halves were thrown away.
"""

GPG_KEY = """-----BEGIN PGP PUBLIC KEY BLOCK-----

mDMEXgvhABYJKwYBBAHaRw8BAQdAHKkpoCoqCn090jK1s4MMmq5gOT/NcTHpx3By
JrZgGKy0HkFkYSBFeGFtcGxlIDxhZGFAZXhhbXBsZS50ZXN0PoiQBBMWCAA4FiEE
1TiR+76YdGnGkd1Hptsj5UzPMncFAl4L4QACGwMFCwkIBwIGFQoJCAsCBBYCAwEC
HgECF4AACgkQptsj5UzPMnczawEA/OJibW3q1+uCY7uFwIPNejwXd8JxAUVucSgs
Nv3xdC0BAMVEIxp90xAcsn/y6QNMokl16AKTSHB4B5XaIFzCq6YDtBtBZGEgYXQg
d29yayA8YWRhQHdvcmsudGVzdD6IkAQTFggAOBYhBNU4kfu+mHRpxpHdR6bbI+VM
zzJ3BQJeC+EAAhsDBQsJCAcCBhUKCQgLAgQWAgMBAh4BAheAAAoJEKbbI+VMzzJ3
0mMBALl9WSLDH0+Cs++PbbIPc31IJ9/yQS3u/Yyte8llVzL6AQCjFiFHXLZAa3vk
LIsnYyNckhYeo+//+jmxlAsA+Uy4DrgzBF4L4QAWCSsGAQQB2kcPAQEHQG/qosp6
0aZQjTlZ6KydiF0pVbZdKVbIw8vjAu8kWiMbiO8EGBYIACAWIQTVOJH7vph0acaR
3Uem2yPlTM8ydwUCXgvhAAIbAgCBCRCm2yPlTM8yd3YgBBkWCAAdFiEEGIAIYYVZ
ptuN+Kt6nVwC8hzAtwAFAl4L4QAACgkQnVwC8hzAtwALhAEA+0JU94b02mU+GkX+
i8bfMvfS7rHHTtGXqlzDQ/IeKngBAJqBtwJ4ax6u+VZPZalEWlCN4O2qq6+i4l/H
SE4doU4NQm8BAPPoWmcTiYF2sDNJxgx5TGF7Jx9ZXIjnrUwhLrdRxzBIAQDnK5kp
T85uiCS/W9Cb79TIR2tjQrteVgFX4sdtQB+0AA==
=pCTm
-----END PGP PUBLIC KEY BLOCK-----"""
OTHER_GPG_KEY = """-----BEGIN PGP PUBLIC KEY BLOCK-----

mDMEXgvhABYJKwYBBAHaRw8BAQdAUdR/YVMrFIjUv7n78211QkvqVGfhBIahaYt9
sxq+qYK0IUFkbWluaXN0cmF0b3IgPHJvb3RAZXhhbXBsZS50ZXN0PoiQBBMWCAA4
FiEE/7xnUWRmMuLJxXbCeJLe9WBIc28FAl4L4QACGwMFCwkIBwIGFQoJCAsCBBYC
AwECHgECF4AACgkQeJLe9WBIc2/0IQD/Zgi+iXotOwrlsEaB5Y//gud4w3l8hBog
j1fI67Fxg5kBALwgZKrLKIIjjzZaKEaFbdRtqTYPan6DBNXrggRFaPQJ
=v20X
-----END PGP PUBLIC KEY BLOCK-----"""
FINGERPRINT = "D53891FBBE987469C691DD47A6DB23E54CCF3277"
SUBKEY = "188008618559A6DB8DF8AB7A9D5C02F21CC0B700"
TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
WHO = "Ada Example <ada@example.test> 1577923200 +0000"
HEADERS = f"tree {TREE}\nauthor {WHO}\ncommitter {WHO}"
BY_KEY = """-----BEGIN PGP SIGNATURE-----

iHUEABYIAB0WIQTVOJH7vph0acaR3Uem2yPlTM8ydwUCXg0ygAAKCRCm2yPlTM8y
d2VaAQDYmZ7wbIUYpmuM/PitpNkizqEnm/7N5Flmp0/Pv4JqXgEA+8GOHkHcpK1D
8ZfOBvjPnebADyAU1j5GEEn4hgQWHgE=
=bAdK
-----END PGP SIGNATURE-----"""
BY_SUBKEY = """-----BEGIN PGP SIGNATURE-----

iHUEABYIAB0WIQQYgAhhhVmm2434q3qdXALyHMC3AAUCXg0ygAAKCRCdXALyHMC3
AGIcAQDOAjDW0zejo3QuJGAXzn6o/xF3VvBLJq0/GVtGmeAMCAD9Eoeec5fssnnB
EPKNCXJRU/uNXfptckCkQvh0f+f3kwU=
=G9e3
-----END PGP SIGNATURE-----"""


def signed_commit(signature: str, message: str = "Signed\n") -> bytes:
    """Return the content of a commit of no files, with a signature of the one whose message is ``Signed``."""
    folded = signature.replace("\n", "\n ")
    return f"{HEADERS}\ngpgsig {folded}\n\n{message}".encode()
