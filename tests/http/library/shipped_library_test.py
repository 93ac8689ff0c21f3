"""The crop library that ships with the service: it is imported into an empty log, once."""
import json
import pathlib
import time

import pytest

from service import Service, blocks_of

pytestmark = pytest.mark.embedded_log

SHIPPED = pathlib.Path(__file__).resolve().parents[3] / "library" / "crops.json"
LIBRARY = "/operator/v1/library"


def with_library(directory):
    service = Service(directory)
    service.flags.remove("--no-library")
    return service


@pytest.fixture
def service(tmp_path):
    made = with_library(tmp_path)
    yield made
    made.kill()


def test_an_empty_log_is_given_the_shipped_library(service):
    service.start()
    shipped = json.loads(SHIPPED.read_text())["crops"]
    given = service.operate("GET", LIBRARY).json["crops"]
    assert [crop["name"] for crop in given] == sorted(crop["name"] for crop in shipped)
    assert sum(len(crop["varieties"]) for crop in given) == sum(len(crop["varieties"]) for crop in shipped)
    assert "sources" not in given[0]
    assert len(service.events("reference")) == len(shipped)
    assert service.operate("POST", LIBRARY, SHIPPED.read_text()).data["changed"] == 0
    user = service.user()
    assert user.get("/crop-library/crops").pagination["total"] == len(shipped)
    maize = next(crop for crop in given if crop["name"] == "Maize")
    crop = user.crop(user.field(user.farm()), adminCropId=maize["id"], plantingDate="2026-03-01")
    assert crop["expectedHarvestDate"]
    assert user.post(blocks_of(crop), {"cropId": crop["id"], "name": "B"}).data["spacingX"]
    service.stop()


def test_it_is_given_once(service):
    service.start()
    some = service.operate("GET", LIBRARY).json["crops"][0]
    service.operate("POST", LIBRARY, {"crops": [{"id": some["id"], "ky": 9}]})
    before = service.events("reference")
    service.restart()
    assert service.events("reference") == before
    service.stop()


def test_no_library_leaves_it_out_for_good(tmp_path, service):
    service.flags.append("--no-library")
    service.start()
    assert service.operate("GET", LIBRARY).json == {"crops": []}
    service.user()
    service.stop()
    service.flags.remove("--no-library")
    service.start()
    assert service.operate("GET", LIBRARY).json == {"crops": []}
    service.stop()


def test_a_first_start_that_was_cut_short_is_completed(service):
    mark = service.data / "library-begun"
    service.launch()
    deadline = time.monotonic() + 60
    while not mark.exists() and service.child.poll() is None and time.monotonic() < deadline:
        pass
    service.kill()
    service.ready_file.unlink(missing_ok=True)
    service.start()
    shipped = json.loads(SHIPPED.read_text())["crops"]
    assert len(service.events("reference")) == len(shipped)
    assert not mark.exists()
    service.stop()
