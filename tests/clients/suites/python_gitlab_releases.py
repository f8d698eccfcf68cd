"""What the suites of python-gitlab share: the differences of its releases, and shorthands."""

import gitlab

OLD = int(gitlab.__version__.split(".")[0]) < 3
LAZILY = {"as_list": False} if OLD else {"iterator": True}
EVERYTHING = {"all": True} if OLD else {"get_all": True}


def signed_in(world, username):
    return gitlab.Gitlab(world.url, private_token=world.token(username))


def user(client, username):
    (account,) = client.users.list(username=username)
    return account


def refusal(error):
    return error.value.response_code, error.value.error_message
