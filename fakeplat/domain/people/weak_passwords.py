"""Passwords that are easily guessed. Source: docs/platform/users.md."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

_FORBIDDEN: Final = ("gitlab", "devops")
"""Words that no password may contain."""
_SHORTEST: Final = 4
"""How long a part must be; shorter ones may stand in a random password."""
_COMMON: Final = frozenset(
    "00000000 000000000 0123456789 10203040 11111111 1111111111 11223344 12121212 12341234 12344321 12345678 123123123 "
    "123321123 1234567890 123456789 123456789a 12345678a 12345qwert 147258369 147852369 159357159 1a2b3c4d 1g2w3e4r "
    "1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qazxsw2 22222222 31415926 55555555 66666666 741852963 77777777 789456123 87654321 "
    "88888888 987654321 9876543210 99999999 a1b2c3d4 aa123456 aaaaaaaa abc12345 abcd1234 abcdefgh access14 admin123 "
    "administrator alexander america1 asdf1234 asdfasdf asdfghjk asdfghjkl babygirl babygirl1 baseball basketball "
    "basketball1 batman123 benjamin blink182 butterfly changeme charlie1 charlotte chelsea1 chocolate christian "
    "christopher cocacola computer danielle dolphins elephant elizabeth estrella football football1 forever1 garfield "
    "gateway1 godzilla graphics hannah123 hello123 iloveyou iloveyou1 internet jackson5 january1 jasmine1 jennifer "
    "jessica1 jonathan jordan23 justin123 killer123 letmein1 liverpool liverpool1 lovelove manchester marlboro "
    "master123 mercedes metallica michael1 michelle midnight mustang1 mynoob123 nicholas nintendo nirvana1 orange123 "
    "pa55word pakistan pass1234 passw0rd password password1 password12 password123 patricia pokemon1 princess "
    "princess1 q1w2e3r4 q1w2e3r4t5 qazwsxedc qqww1122 qwer1234 qwerasdf qwerty123 qwerty12345 qwertyui qwertyuiop "
    "rainbow1 rockstar1 samantha samsung1 sebastian secret123 september slipknot soccer10 spiderman spongebob "
    "starwars steelers stephanie sunshine sunshine1 superman superman1 swordfish test1234 testtest trustno1 "
    "valentina veronica victoria voyager1 welcome1 welcome123 whatever william1 zaq12wsx zxcvbnm1 zxcvbnm123".split()
)


def is_weak(password: str, *, name: str, username: str, email: str) -> bool:
    """Return whether a password is a common one, or contains a part of what is known of its user, in any case."""
    lowered = password.lower()
    parts = (*_FORBIDDEN, *_parts(name), *_parts(username), *_parts(email), *email.split("@"))
    return lowered in _COMMON or any(part in lowered for part in _long_parts(parts))


def _parts(text: str) -> Iterator[str]:
    """Yield a text, and what stands between its special characters."""
    yield text
    yield from re.split(r"[\W_]", text)


def _long_parts(parts: Iterable[str]) -> Iterator[str]:
    return (part.lower() for part in parts if len(part) >= _SHORTEST)
