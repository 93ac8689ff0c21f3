"""Uses the service only through the client that was generated from its description, in the folder `made`."""
import json
import sys

sys.path.insert(0, ".")

from made.api.farms import list_farms, register_farm  # noqa: E402
from made.client import AuthenticatedClient  # noqa: E402
from made.models.register_farm_body import RegisterFarmBody  # noqa: E402

client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])
farm = register_farm.sync(client=client, body=RegisterFarmBody(name="Oasis", total_area="12.50")).data
listed = list_farms.sync(client=client)
print(json.dumps({"name": farm.name, "totalArea": farm.total_area, "total": listed.pagination.total}))
