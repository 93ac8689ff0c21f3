"""Every route of the land as the specification lists it: path, methods, scope family, id slots."""
import re

from entries import KINDS, PRICE_REPORTS

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
TASKS = ("/tasks", "GET POST", "tasks")
TASK = ("/tasks/{id}", "GET PUT DELETE", "tasks")
TASK_COMPLETE = (TASK[0] + "/complete", "POST", "tasks")
TASK_RESCHEDULE = (TASK[0] + "/reschedule", "PUT", "tasks")
TEMPLATES = ("/templates", "GET POST", "tasks")
TEMPLATE = ("/templates/{id}", "GET PUT DELETE", "tasks")
TEMPLATE_APPLY = (TEMPLATE[0] + "/apply", "POST", "tasks")
RULES = ("/recurring-tasks", "GET POST", "tasks")
RULE = ("/recurring-tasks/{id}", "GET PUT DELETE", "tasks")
TEMPLATE_PATHS = [TEMPLATES, TEMPLATE, TEMPLATE_APPLY]

REGIONAL_PRICES = ("/market/regional-prices", "GET", "market")
ADMIN_CROPS = ("/crop-library/crops", "GET", "library")
VARIETIES = ("/crop-library/varieties", "GET", "library")
EVENTS = ("/events", "GET", "events")
SHORTLISTS = [("/crop-library/user-crops", "GET POST", "library"), ("/user-crops", "GET POST", "library")]
ANALYTICS = [("/farms/{id}/health-score", "GET", "analytics"), ("/farms/{id}/yield-prediction", "GET", "analytics")]
SUMMARY = ("/farms/{id}/financial-summary", "GET", "finance")
WEBHOOKS = ("/webhooks", "GET POST", "webhooks")
WEBHOOK = ("/webhooks/{id}", "GET PUT DELETE", "webhooks")
WEBHOOK_ROTATE = (WEBHOOK[0] + "/rotate", "POST", "webhooks")
WEBHOOK_TEST = (WEBHOOK[0] + "/test", "POST", "webhooks")
WEBHOOK_REPLAY = (WEBHOOK[0] + "/replay", "POST", "webhooks")
DELIVERIES = (WEBHOOK[0] + "/deliveries", "GET", "webhooks")
RESEND = (DELIVERIES[0] + "/{deliveryId}/resend", "POST", "webhooks")
PATHS = [FARMS, FARM, CROPS, CROP, CROP_STATUS, FIELDS, FIELD, BLOCKS, BLOCK, PLANTS, PLANT,
         TASKS, TASK, TASK_COMPLETE, TASK_RESCHEDULE, RULES, RULE, *TEMPLATE_PATHS,
         *((path.replace("/templates", "/task-templates"), *rest) for path, *rest in TEMPLATE_PATHS),
         ADMIN_CROPS, VARIETIES, *SHORTLISTS, *ANALYTICS, SUMMARY, REGIONAL_PRICES, EVENTS,
         WEBHOOKS, WEBHOOK, WEBHOOK_ROTATE, WEBHOOK_TEST, WEBHOOK_REPLAY, DELIVERIES, RESEND,
         *((kind.path, "GET POST", kind.family) for kind in KINDS),
         *((kind.one, kind.methods, kind.family) for kind in KINDS)]
ROUTES = [(method, path, f"{family}:{'read' if method == 'GET' else 'write'}")
          for path, methods, family in PATHS for method in methods.split()]

# Bodies that are valid, so that only the ids of the path decide.
BODIES = {"/farms": {"name": "Any", "totalArea": 1},
          FIELDS[0]: {"name": "Any", "area": 1},
          PLANTS[0]: {"label": "Any"},
          CROP_STATUS[0]: {"status": "growing"},
          TEMPLATES[0]: {"name": "Any", "category": "other"},
          TASK_RESCHEDULE[0]: {"dueDate": "2030-01-01T00:00:00Z"},
          WEBHOOKS[0]: {"url": "https://farm.invalid/", "isActive": False},
          WEBHOOK_REPLAY[0]: {"since": "2026-01-01"},
          **{kind.path: kind.body for kind in KINDS}}


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
    if (method, path) == ("POST", "/tasks"):
        return {"farmId": ids["farmId"], "title": "Any", "category": "other"}
    if (method, path) == ("POST", RULES[0]):
        return {"farmId": ids["farmId"], "templateId": ids["templateId"], "pattern": "yearly",
                "startDate": "2030-01-01T00:00:00Z"}
    path = path.replace("/task-templates", "/templates")
    if (method, path) == ("POST", TEMPLATE_APPLY[0]):
        return {"farmId": ids["farmId"]}
    if path == PRICE_REPORTS.path:
        return {**PRICE_REPORTS.body, "farmId": ids["farmId"]}
    return BODIES.get(path, {})


# The webhooks of tests of routes are not active, so that nothing changes them while it is compared.
NO_DELIVERY = "019ca816-ea40-7b78-8d6b-e0e7d60645bc"

# Which record the slot {id} of a path means.
OWN_IDS = {"/crops": "crop", "/tasks": "task", "/recurring-tasks": "rule", "/templates": "template",
           "/task-templates": "template", "/webhooks": "webhook"}


def entry_at(path):
    """The kind of entry that this path reaches, or None."""
    return next((kind for kind in KINDS if kind.one == path), None)


def kind_of(path, slot="id"):
    entry = entry_at(path)
    if entry and entry.slot == slot:
        return entry.name
    return OWN_IDS.get("/" + path.split("/")[1], "farm") if slot == "id" else slot


def ids_of(land, path):
    """The ids that a path's slots take to reach these records."""
    farm, field, crop, block, plant, task, template, rule = (record["id"] for record in land)
    ids = {"farmId": farm, "fieldId": field, "cropId": crop, "blockId": block, "plantId": plant,
           "taskId": task, "templateId": template, "ruleId": rule,
           "deliveryId": NO_DELIVERY}
    if path.startswith(WEBHOOKS[0]):
        ids["webhookId"] = land.webhook()["id"]
    if (own := ids.get(kind_of(path) + "Id")):
        ids["id"] = own
    if (entry := entry_at(path)):
        ids[entry.slot] = land.entry(entry)["id"]
    return ids
