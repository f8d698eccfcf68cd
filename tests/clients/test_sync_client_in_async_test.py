from typing import Any

import gitlab


async def test_a_synchronous_client_works_inside_an_async_test(fakeplat: Any) -> None:
    """A blocking client in an asynchronous test gets responses, because the server has its own thread."""
    with gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("ada")) as client:
        project = client.projects.create({"name": "Blocking"})
        project.star()

    assert 1 == project.star_count
    assert "ada/blocking" == fakeplat.world.project("ada/blocking").path_with_namespace
