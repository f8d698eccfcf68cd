"""A world with an OAuth application, and the browser of a user who approves it."""

import html
import re
from urllib.parse import urlencode

import requests

CALLBACK = "https://app.example.test/callback"
UID, SECRET = "app", "app-secret"
SCOPES = ["api", "read_user", "openid", "email"]
SCENARIO = {
    "extends": "starter",
    "applications": [
        {"name": "App", "uid": UID, "secret": SECRET, "redirect_uri": CALLBACK, "scopes": SCOPES},
    ],
}


class Browser:
    """Signs in, and fills in forms. It follows redirects as far as the platform's own pages go."""

    def __init__(self, world):
        self.world = world
        self.session = requests.Session()

    def approve(self, url, username="dev", form=0):
        """Return the address to which the user is sent after the form of a page was submitted."""
        answer = self.submit(self.sign_in(url, username), form, allow_redirects=False)
        assert answer.status_code == 302
        return answer.headers["Location"]

    def sign_in(self, url, username="dev"):
        """Return the page that asks for a sign-in first."""
        page = self.session.get(url)
        assert page.url.endswith("/users/sign_in")
        return self.submit(page, **{"user[login]": username, "user[password]": f"{username}-password"})

    def submit(self, page, number=0, allow_redirects=True, **fields):
        form = re.findall(r'<form action="([^"]*)".*?</form>', page.text, re.DOTALL)[number]
        body = re.findall(r"<form.*?</form>", page.text, re.DOTALL)[number]
        hidden = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', body)
        data = {html.unescape(name): html.unescape(value) for name, value in hidden}
        url = self.world.url.rstrip("/") + html.unescape(form)
        return self.session.post(url, urlencode({**data, **fields}), headers=FORM, allow_redirects=allow_redirects)


FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def address(world, path):
    return f"{world.url.rstrip('/')}/{path}"


def username_of(client, world):
    return client.get(address(world, "api/v4/user")).json()["username"]
