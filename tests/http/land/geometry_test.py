"""Shapes on the map: RFC 7946, stored as they were drawn."""
import json

import pytest

from members import POLYGON, names_fault
from service import blocks_of, path_of


@pytest.fixture(scope="module")
def owner(tilth):
    user = tilth.user()
    return user, user.crop(user.field(user.farm()))


@pytest.fixture
def draw(owner):
    """Puts a geometry on a block and returns the response; text is sent verbatim."""
    user, crop = owner
    block = user.block(crop)

    def put(geometry):
        body = geometry if isinstance(geometry, str) else json.dumps(geometry)
        return user.put(path_of(block), f'{{"geometry": {body}}}')
    yield put
    assert user.delete(path_of(block)).status == 204


def ring(*positions):
    return {"type": "Polygon", "coordinates": [[list(position) for position in positions]]}


def circle(count):
    """A ring of that many positions, all distinct, that is not flat."""
    along = [[number / 1000, 0] for number in range(count - 2)]
    return {"type": "Polygon", "coordinates": [[*along, [0, 1], [0, 0]]]}


HOLED = {"type": "Polygon", "coordinates": [
    [[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]], [[2, 2], [2, 4], [4, 4], [4, 2], [2, 2]]]}

VALID = {
    "counter-clockwise": ring((0, 0), (2, 0), (2, 2), (0, 2), (0, 0)),
    "clockwise": POLYGON,
    "a triangle": ring((0, 0), (1, 0), (0, 1), (0, 0)),
    "with a hole": HOLED,
    "all around": ring((-180, -90), (180, -90), (180, 90), (-180, 90), (-180, -90)),
    "a point": {"type": "Point", "coordinates": [17.6389, 59.8581]},
    "a corner": {"type": "Point", "coordinates": [-180, 90]},
    "ten thousand positions": circle(10000),
    "a repeated position": ring((0, 0), (2, 0), (2, 0), (2, 2), (0, 0)),
}


@pytest.mark.parametrize("name", VALID)
def test_a_shape_is_answered_with_the_same_numbers_in_the_same_order(draw, owner, name):
    reply = draw(VALID[name])
    assert reply.status == 200, reply
    assert reply.data["geometry"] == VALID[name]
    assert owner[0].read(path_of(reply.data))["geometry"] == VALID[name]


def test_only_type_and_coordinates_are_kept_and_the_height_is_dropped(draw):
    drawn = {"type": "Point", "coordinates": [1.5, 2.5, 300], "bbox": [0, 0, 1, 1], "crs": {"type": "name"}}
    assert draw(drawn).data["geometry"] == {"type": "Point", "coordinates": [1.5, 2.5]}
    high = ring((0, 0, 7), (2, 0, 7), (2, 2), (0, 0, 7))
    assert draw(high).data["geometry"] == ring((0, 0), (2, 0), (2, 2), (0, 0))


def test_numbers_keep_their_value(draw):
    text = '{"type": "Point", "coordinates": [12.345678901234, -0.000000123]}'
    assert draw(text).data["geometry"]["coordinates"] == [12.345678901234, -0.000000123]
    text = '{"type": "Point", "coordinates": [1.2e1, 3]}'
    assert draw(text).data["geometry"]["coordinates"] == [12, 3]


SQUARE = [[0, 0], [2, 0], [2, 2], [0, 2], [0, 0]]
INVALID = {
    "text": '"POINT(1 2)"', "a number": 5, "a list": [1, 2], "nothing": {},
    "no coordinates": {"type": "Polygon"}, "no type": {"coordinates": [1, 2]},
    "null coordinates": {"type": "Point", "coordinates": None},
    "another type": {"type": "LineString", "coordinates": [[0, 0], [1, 1]]},
    "many polygons": {"type": "MultiPolygon", "coordinates": [[SQUARE]]},
    "a feature": {"type": "Feature", "geometry": POLYGON, "properties": {}},
    "lower case": {"type": "point", "coordinates": [1, 2]},
    "no rings": {"type": "Polygon", "coordinates": []},
    "an empty ring": {"type": "Polygon", "coordinates": [[]]},
    "not closed": ring((0, 0), (2, 0), (2, 2), (0, 2)),
    "three positions": ring((0, 0), (2, 0), (0, 0)),
    "a bow tie": ring((0, 0), (2, 2), (2, 0), (0, 2), (0, 0)),
    "no width": ring((0, 0), (1, 0), (2, 0), (0, 0)),
    "a spike": ring((0, 0), (2, 0), (2, 2), (2, 5), (2, 2), (0, 2), (0, 0)),
    "a hole outside": {"type": "Polygon", "coordinates": [SQUARE, [[5, 5], [6, 5], [6, 6], [5, 5]]]},
    "crossing rings": {"type": "Polygon", "coordinates": [SQUARE, [[1, 1], [3, 1], [3, 1.5], [1, 1]]]},
    "one number": {"type": "Point", "coordinates": [1]},
    "no number": {"type": "Point", "coordinates": []},
    "four numbers": {"type": "Point", "coordinates": [1, 2, 3, 4]},
    "a nested point": {"type": "Point", "coordinates": [[1, 2]]},
    "a flat polygon": {"type": "Polygon", "coordinates": SQUARE},
    "numbers as text": {"type": "Point", "coordinates": ["1", "2"]},
    "a null among numbers": {"type": "Point", "coordinates": [1, None]},
    "too far east": {"type": "Point", "coordinates": [180.1, 0]},
    "too far west": {"type": "Point", "coordinates": [-180.0001, 0]},
    "too far north": {"type": "Point", "coordinates": [0, 90.5]},
    "too far south": {"type": "Point", "coordinates": [0, -91]},
    "a ring beyond the pole": ring((0, 0), (2, 0), (2, 91), (0, 0)),
    "beyond every number": '{"type": "Point", "coordinates": [1e400, 0]}',
    "one position too many": circle(10001),
    "too many in all": {"type": "Polygon", "coordinates": [
        SQUARE, *circle(9996)["coordinates"]]},
}


@pytest.mark.parametrize("name", INVALID)
def test_what_is_no_valid_shape_is_refused_with_the_reason(draw, name):
    names_fault(draw(INVALID[name]), "geometry", name)


def test_a_shape_that_is_costly_to_judge_is_refused(draw):
    holes = [[[n / 50, 0], [n / 50 + 50, 70], [n / 50 + 50, 70.005], [n / 50, 0]] for n in range(2498)]
    shape = {"type": "Polygon", "coordinates": [[[-1, -1], [110, -1], [110, 80], [-1, 80], [-1, -1]], *holes]}
    reply = draw(shape)
    names_fault(reply, "geometry", "long thin holes")
    assert "must be simpler" in reply.details["geometry"][0]


def test_a_farm_or_field_is_no_point(owner):
    user, crop = owner
    point = {"type": "Point", "coordinates": [1, 2]}
    for path in (f"/farms/{crop['farmId']}", f"/farms/{crop['farmId']}/fields/{crop['fieldId']}"):
        names_fault(user.put(path, {"boundaries": point}), "boundaries", path)
        assert user.put(path, {"boundaries": HOLED}).data["boundaries"] == HOLED
        assert user.put(path, {"boundaries": None}).data["boundaries"] is None


def test_a_shape_stands_next_to_other_faults(owner):
    user, crop = owner
    body = {"cropId": crop["id"], "geometry": {"type": "Point", "coordinates": [181, 0]}, "area": "x"}
    reply = user.post(blocks_of(crop), body)
    assert reply.status == 400
    assert {path.split(".")[0] for path in reply.details} == {"name", "geometry", "area"}
