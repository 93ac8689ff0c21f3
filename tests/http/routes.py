"""Every route of the land as the specification lists it: path, methods, scope family, id slots."""
import re

FARMS = ("/farms", "GET POST", "farms")
FARM = ("/farms/{id}", "GET PUT DELETE", "farms")
CROPS = ("/crops", "GET POST", "crops")
CROP = ("/crops/{id}", "GET PUT DELETE", "crops")
CROP_STATUS = ("/crops/{id}/status", "PUT", "crops")
FIELDS = ("/farms/{id}/fields", "GET POST", "fields")
FIELD = ("/farms/{id}/fields/{fieldId}", "GET PUT DELETE", "fields")
BLOCKS = (FIELD[0] + "/blocks", "GET POST", "fields")
BLOCK = (FIELD[0] + "/blocks/{blockId}", "GET PUT DELETE", "fields")
PLANTS = (BLOCK[0] + "/plants", "GET POST", "fields")
PLANT = (BLOCK[0] + "/plants/{plantId}", "GET PUT DELETE", "fields")

ADMIN_CROPS = ("/crop-library/crops", "GET", "library")
VARIETIES = ("/crop-library/varieties", "GET", "library")
SHORTLISTS = [("/crop-library/user-crops", "GET POST", "library"), ("/user-crops", "GET POST", "library")]

PATHS = [FARMS, FARM, CROPS, CROP, CROP_STATUS, FIELDS, FIELD, BLOCKS, BLOCK, PLANTS, PLANT, ADMIN_CROPS,
         VARIETIES, *SHORTLISTS]
ROUTES = [(method, path, f"{family}:{'read' if method == 'GET' else 'write'}")
          for path, methods, family in PATHS for method in methods.split()]

# What a body needs so that only the ids of the path decide.
BODIES = {"/farms": {"name": "Any", "totalArea": 1},
          FIELDS[0]: {"name": "Any", "area": 1},
          PLANTS[0]: {"label": "Any"},
          CROP_STATUS[0]: {"status": "growing"}}


def slots(path):
    return re.findall(r"{(\w+)}", path)


def filled(path, ids):
    return re.sub(r"{(\w+)}", lambda slot: ids[slot[1]], path)


def body_for(method, path, ids):
    if method not in ("POST", "PUT"):
        return None
    if (method, path) == ("POST", BLOCKS[0]):
        return {"cropId": ids["cropId"], "name": "Any"}
    if (method, path) == ("POST", "/crops"):
        return {"farmId": ids["farmId"], "fieldId": ids["fieldId"], "cropType": "Any"}
    return BODIES.get(path, {})


def ids_of(land, path):
    """The ids that a path's slots take to reach these records."""
    farm, field, crop, block, plant = (record["id"] for record in land)
    return {"id": crop if path.startswith("/crops") else farm, "farmId": farm, "fieldId": field,
            "cropId": crop, "blockId": block, "plantId": plant}
