"""A farm with thousands of records is gone when its deletion is answered, long before it is erased."""
import concurrent.futures
import re
import time

import pytest

from entries import IRRIGATIONS
from operated import order
from service import DEADLINE, VAST, Service, blocks_of, path_of, refused

PLANTS = 10_000
CONNECTIONS = 16


@pytest.fixture
def own(tmp_path):
    service = Service(tmp_path, config=VAST)
    yield service.start()
    service.kill()


def plant_many(service, user, block):
    """Returns the paths of the new plants."""
    def plant_some(numbers):
        client = service.client_of(user)
        return [client.post(f"{path_of(block)}/plants", {"label": "P", "tagId": f"T{number}"}).data["id"]
                for number in numbers]

    with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
        made = list(pool.map(plant_some, (range(first, PLANTS, CONNECTIONS) for first in range(CONNECTIONS))))
    return [f"{path_of(block)}/plants/{id_}" for ids in made for id_ in ids]


def swept_streams(service):
    text = service.operator.send("GET", "/metrics").body.decode()
    return int(re.search(r'tilth_projection_swept_streams\{projection="registry"\} (\d+)', text)[1])


def wait_for_the_sweep(service):
    deadline = time.monotonic() + DEADLINE
    while swept_streams(service):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def expect_nothing_of(user, farm, paths, kept):
    for path in paths:
        refused(user.get(path), 404, "NOT_FOUND")
    refused(user.get(f"{path_of(farm)}/fields"), 404, "NOT_FOUND")
    assert user.listed("/farms") == [kept["id"]] and user.get("/farms").pagination["total"] == 1
    assert user.listed("/crops") == user.listed("/tasks") == []


def test_a_large_farm_is_gone_at_once_and_others_work_on(own):
    user, other = own.user(plan="vast"), own.user(plan="vast")
    farm, field, crop, block, *_ = user.land()
    irrigation = user.entry(IRRIGATIONS, crop, block)["path"]
    plants = plant_many(own, user, block)
    kept, neighbour = user.farm(), other.farm()
    paths = [path_of(field), path_of(crop), path_of(block), irrigation, *plants[:5], *plants[-5:]]

    assert user.delete(path_of(farm)).status == 204
    expect_nothing_of(user, farm, paths, kept)
    refused(user.post(f"{path_of(block)}/plants", {"label": "late"}), 404, "NOT_FOUND")
    refused(user.put(plants[-1], {"label": "late"}), 404, "NOT_FOUND")
    again = user.field(kept)
    assert user.put(path_of(again), {"notes": "wet"}).status == 200
    for note in range(20):
        assert other.put(path_of(neighbour), {"description": str(note)}).status == 200

    own.kill()
    own.start()
    user = own.client_of(user)
    expect_nothing_of(user, farm, paths, kept)
    assert user.put(path_of(again), {"notes": "dry"}).status == 200
    wait_for_the_sweep(own)
    expect_nothing_of(user, farm, paths, kept)
    for projection in ("registry", "finance", "market"):
        assert order(own, projection, "verify")["differences"] == []


def test_a_large_block_is_gone_at_once_and_leaves_the_rest(own):
    user = own.user(plan="vast")
    farm, field, crop, block, *_ = user.land()
    plants = plant_many(own, user, block)
    next_one = user.block(crop)
    there = user.plant(next_one, tagId="T1")
    assert user.delete(path_of(block)).status == 204
    for path in (plants[0], plants[-1]):
        refused(user.get(path), 404, "NOT_FOUND")
    assert user.listed(blocks_of(crop)) == [next_one["id"]]
    assert user.get(blocks_of(crop)).pagination["total"] == 1
    assert user.listed(f"{path_of(next_one)}/plants") == [there["id"]]
    assert order(own, "registry", "verify")["differences"] == [], "which waits for the sweep"
    assert swept_streams(own) == 0
