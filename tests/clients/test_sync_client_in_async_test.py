from typing import Any

import gitlab


async def test_a_synchronous_client_works_inside_an_async_test(fakeplat: Any) -> None:
    """The server has a thread and a loop of its own, so a call that blocks the test's loop is answered."""
    with gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("ada")) as client:
        project = client.projects.create({"name": "Blocking"})
        project.star()

    assert 1 == project.star_count
    assert "ada/blocking" == fakeplat.world.project("ada/blocking").path_with_namespace
