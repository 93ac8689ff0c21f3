"""Uses the service only through the client that was generated from its description, in the folder `made`."""
import json
import sys

sys.path.insert(0, ".")

from made.api.crops import create_crop  # noqa: E402
from made.api.farms import create_farm, list_farms  # noqa: E402
from made.api.fields import create_block, create_field, update_block  # noqa: E402
from made.client import AuthenticatedClient  # noqa: E402
from made.models import (BlockCreate, BlockUpdate, CropCreate, Farm, FarmCreate, FieldCreate, Point,  # noqa: E402
                         PointType)

client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])
farm = create_farm.sync(client=client, body=FarmCreate(name="Oasis", total_area="12.50")).data
listed = list_farms.sync(client=client)
assert isinstance(farm, Farm) and isinstance(listed.data[0], Farm)
field = create_field.sync(farm.id, client=client, body=FieldCreate(name="North", area=4)).data
crop = create_crop.sync(client=client, body=CropCreate(farm.id, field.id, "Date palm")).data
place = Point(PointType.POINT, [39.6177, 24.4396])
block = create_block.sync(farm.id, field.id, client=client,
                          body=BlockCreate(crop_id=crop.id, name="A", geometry=place)).data
block = update_block.sync(farm.id, field.id, block.id, client=client, body=BlockUpdate(name="B")).data
print(json.dumps({"name": farm.name, "totalArea": farm.total_area, "total": listed.pagination.total,
                  "block": block.name, "geometry": block.geometry.to_dict()}))
