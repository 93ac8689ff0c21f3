"""A person whose name is in as many places as there are, and what is left of it."""
import random

from client import Client
from operated import order
from person import Person

NAME = "Zainab"
# What names the person, in as many places as there are.
WORDS = (NAME.encode(), b"zainab")


def owner(service):
    """A person whose name is everywhere: returns the person, signed in, and a client with a key."""
    person = Person(service, name=f"{NAME} Haddad").signed_in()
    key = person.mint(name=f"{NAME}'s robot", metadata={"of": NAME})
    user = Client(service.address, f"Bearer {key['key']}")
    user.id = person.id

    def made(path, **body):
        reply = user.post(path, body, {"Idempotency-Key": f"00000000-0000-4000-8000-{random.getrandbits(48):012x}"})
        assert reply.status == 201, reply
        return reply.data

    farms = [made("/farms", name=f"{NAME} {number}", totalArea=10, country="Japan", city=NAME, address=f"{NAME} road",
                  description=NAME, location={"lat": 24.4321987, "lng": 39.6}) for number in range(5)]
    farm = farms[0]
    field = made(f"/farms/{farm['id']}/fields", name=NAME, area=4, notes=f"{NAME} says: stony")
    crop = made("/crops", farmId=farm["id"], fieldId=field["id"], cropType="Wheat", notes=NAME)
    blocks = f"/farms/{farm['id']}/fields/{field['id']}/blocks"
    block = made(blocks, cropId=crop["id"], name=NAME)
    made(f"{blocks}/{block['id']}/plants", label=NAME, tagId=f"{NAME}-1", notes=NAME)
    made("/tasks", farmId=farm["id"], title=f"Call {NAME}", category="other", assignedTo=NAME,
         photoUrl=f"https://photos.invalid/{NAME}.jpg")
    template = made("/templates", name=f"{NAME}'s", category="other", description=NAME)
    made("/recurring-tasks", farmId=farm["id"], templateId=template["id"], pattern="daily",
         startDate="2026-03-01T00:00:00Z", assignedTo=NAME)
    made("/webhooks", url=f"https://{NAME}.invalid/", isActive=False, description=NAME)
    made(f"/crops/{crop['id']}/sales", quantity=2, unit="ton", pricePerUnit=100, currency="JPY", saleDate="2026-02-20",
         buyer=f"{NAME}'s aunt", note=NAME)
    for each in farms:
        made("/market/price-reports", farmId=each["id"], cropName="Wheat", price=100, unit="per_ton", quantity=1,
             currency="JPY", observedOn="2026-02-20")
    assert user.post("/farms", {"name": f"{NAME} 0", "totalArea": 1}).status == 409
    user.get(f"/farms?search={NAME}"), user.get(f"/farms/{NAME}")
    return person, user


def files_with_words(directory):
    return [str(path) for path in directory.rglob("*")
            if path.is_file() and any(word in path.read_bytes() for word in WORDS)]


def erase(service, user, reason="asked"):
    return service.operate("POST", f"/operator/v1/users/{user}/erase", {"reason": reason}).data


def events_of(service, user):
    return [event for stream in ("access", user) for event in service.events(stream)
            if stream == user or event["data"].get("userId") == user]


def verified(service):
    return [order(service, name, "verify")["differences"] for name in ("access", "registry", "finance", "market")]


def wait_until_complete(service, user):
    while not erase(service, user)["complete"]:  # repeating it waits for the one before
        pass
