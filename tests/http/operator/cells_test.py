"""An installation whose land is divided into cells, and divided otherwise later."""
import contextlib
import http.client
import threading

import pytest

from operated import order, standing, wait_for
from service import BROKERS, Service, run

CELLS = 3
OWNERS = 8  # some in each cell


@pytest.fixture
def own(tmp_path):
    """A service for one test, in one cell at first."""
    service = Service(tmp_path, flags=["--cells", "1"])
    yield service.start()
    service.kill()


def divide(service, cells):
    service.stop()
    service.flags[service.flags.index("--cells") + 1] = str(cells)
    service.start()


def farms(owner):
    return sorted(farm["name"] for farm in owner.get("/farms").data)


def folders(service):
    """Of the projections that are divided."""
    names = (path.name for path in (service.data / "views").iterdir())
    return sorted(name for name in names if name.startswith(("registry", "finance")))


def owners_with_farms(service):
    owners = [service.user() for _ in range(OWNERS)]
    for number, owner in enumerate(owners):
        farm = owner.farm(name=f"Farm {number}")
        owner.field(farm)
    return owners


def test_an_installation_is_divided_and_joined_again_without_loss(own):
    owners = owners_with_farms(own)
    before = [farms(owner) for owner in owners]
    assert folders(own) == ["finance", "registry"]
    divide(own, CELLS)
    owners = [own.client_of(owner) for owner in owners]
    assert [farms(owner) for owner in owners] == before
    assert folders(own) == [f"{name}.{cell}" for name in ("finance", "registry") for cell in range(CELLS)]
    assert "divided otherwise now" in own.tail()
    for owner in owners:
        owner.farm(name="Another")
    divide(own, 1)
    owners = [own.client_of(owner) for owner in owners]
    assert [farms(owner) for owner in owners] == [sorted([*names, "Another"]) for names in before]
    assert folders(own) == ["finance", "registry"]


def test_more_cells_than_before_are_told(own):
    owners = owners_with_farms(own)
    for cells in (2, 4):
        divide(own, cells)
        assert own.tail().count("The rows of registry are divided otherwise now") == cells // 2
        assert [farms(own.client_of(owner)) for owner in owners] == [[f"Farm {number}"] for number in range(OWNERS)]
        assert len(folders(own)) == 2 * cells


def test_all_cells_switch_back_as_one(own):
    divide(own, CELLS)
    owners = owners_with_farms(own)
    before = standing(own, "registry")["generation"]
    order(own, "registry", "rebuild", 202)
    wait_for(own, "registry", lambda row: row["generation"] > before and row["building"] is None)
    owners[0].farm(name="Later")
    row = order(own, "registry", "switch?to=previous")
    assert {cell["generation"] for cell in row["cells"]} == {before}
    assert farms(owners[0]) == ["Farm 0", "Later"]


def test_a_change_of_reference_data_does_not_wait_for_an_end(own):
    """Nor does the end wait for it: a kill would be reported."""
    divide(own, CELLS)
    stopped = threading.Event()

    def import_until_stopped():
        number = 0
        while not stopped.is_set():
            with contextlib.suppress(OSError, http.client.HTTPException):
                own.operator.send("POST", "/operator/v1/library", {"crops": [{"name": f"Crop {number}"}]})
            number += 1

    importing = [threading.Thread(target=import_until_stopped) for _ in range(4)]
    for each in importing:
        each.start()
    for _ in range(3):
        own.restart()
    stopped.set()
    for each in importing:
        each.join()


def test_the_status_shows_each_cell(own):
    assert standing(own, "registry")["cells"] == []
    divide(own, CELLS)
    cells = standing(own, "registry")["cells"]
    assert [cell["cell"] for cell in cells] == list(range(CELLS))
    wait_for(own, "registry", lambda row: all(cell["lagEvents"] == 0 and cell["state"] == "running" for cell in row["cells"]))


def test_all_cells_are_paused_rebuilt_and_compared_as_one(own):
    divide(own, CELLS)
    owners = owners_with_farms(own)
    order(own, "registry", "pause")
    for owner in owners:
        assert owner.post("/farms", {"name": "More", "totalArea": 1}).status == 503
    order(own, "registry", "resume")
    for owner in owners:
        owner.farm(name="More")
    generation = order(own, "registry", "rebuild", 202)["generation"]
    row = wait_for(own, "registry", lambda row: row["generation"] == generation and row["building"] is None)
    assert {cell["generation"] for cell in row["cells"]} == {generation}
    found = own.operate("POST", "/operator/v1/projections/registry/verify").data
    assert found["differences"] == []
    for owner in owners:
        assert "More" in farms(owner)
    own.restart()
    assert {cell["generation"] for cell in standing(own, "registry")["cells"]} == {generation}


def test_reference_data_is_known_in_all_cells_once_it_is_written(own):
    divide(own, CELLS)
    owners = [own.user() for _ in range(OWNERS)]
    for number in range(20):
        own.operate("POST", "/operator/v1/library", {"crops": [{"name": f"Crop {number}"}]})
        for owner in owners:
            listed = owner.get("/crop-library/crops?limit=100").data
            assert len(listed) == number + 1


@pytest.mark.skipif(bool(BROKERS), reason="copies the embedded log")
def test_a_backup_of_cells_is_restored_into_another_number_of_them(own, tmp_path):
    divide(own, CELLS)
    owners = owners_with_farms(own)
    own.operate("POST", "/operator/v1/backup", {"directory": str(tmp_path / "copy")}, 201)
    own.stop()
    own.data.rename(tmp_path / "gone")
    restored = run("restore", tmp_path / "copy", "--data", own.data)
    assert restored.returncode == 0, restored
    own.start()
    divide(own, 2)
    assert [farms(own.client_of(owner)) for owner in owners] == [[f"Farm {number}"] for number in range(OWNERS)]
