"""The Python client on the service."""
import asyncio
import datetime
from decimal import Decimal

import pytest

from tilth import (AsyncTilth, AuthenticationError, Conflict, FailedDependency, InvalidRequest, NotFound,
                   PreconditionFailed, Tilth, TilthError)
from tilth.records import GridMetadata, LatLng


def test_a_record_is_typed(client):
    farm = client.farms.create(name="Oasis", total_area="12.50", location=LatLng(lat=24.5, lng=39.6))
    assert (farm.name, farm.total_area, farm.location, farm.currency) == ("Oasis", Decimal("12.5"), LatLng(24.5, 39.6), None)
    assert farm.created_at.tzinfo is not None
    assert client.farms.get(farm) == client.farms.get(farm.id) == farm


def test_what_was_read_can_be_written(client):
    farm = client.farms.create(name="Oasis", total_area=1)
    field = client.fields.create(farm, name="North", area=Decimal("0.5"))
    crop = client.crops.create(farm_id=farm, field_id=field, crop_type="Date palm", planting_date=datetime.date(2026, 3, 1))
    grid = GridMetadata(pattern="square", row_count=3, column_count=4, row_orientation=0, origin_lat_lng=None)
    block = client.blocks.create(farm, field, crop_id=crop, name="A", grid_metadata=grid,
                                 geometry={"type": "Point", "coordinates": [39.6177, 24.4396]})
    other = client.blocks.create(farm, field, crop_id=crop, name="B", grid_metadata=block.grid_metadata,
                                 geometry=block.geometry)
    assert other.grid_metadata == grid and other.geometry == {"type": "Point", "coordinates": [39.6177, 24.4396]}
    assert crop.planting_date == datetime.date(2026, 3, 1)


def test_a_datetime_keeps_its_day_where_a_date_is_expected(client):
    late = datetime.datetime(2026, 3, 1, 23, tzinfo=datetime.timezone(datetime.timedelta(hours=-5)))
    farm = client.farms.create(name="Oasis", total_area=1)
    field = client.fields.create(farm, name="North", area=1)
    for planted in (late, late.replace(tzinfo=None)):
        crop = client.crops.create(farm_id=farm, field_id=field, crop_type="Wheat", planting_date=planted)
        assert crop.planting_date == datetime.date(2026, 3, 1)
    expense = client.expenses.create(farm, amount=1, category="fuel", transaction_date=late)
    assert list(client.expenses.list(farm, from_=late, to=late)) == [expense]
    batch = client.batch()
    sold, listed = batch.crops.update(crop, planting_date=late), batch.expenses.list(farm, from_=late, to=late)
    assert batch.send().ok and sold.result().planting_date == datetime.date(2026, 3, 1) and listed.result() == [expense]


def test_an_instant_may_have_any_offset(client):
    late = datetime.datetime(2026, 3, 1, 23, tzinfo=datetime.timezone(datetime.timedelta(hours=-5)))
    farm = client.farms.create(name="Oasis", total_area=1)
    task = client.tasks.create(farm_id=farm, title="Prune", category="other", due_date=late)
    assert task.due_date == late
    soon = late + datetime.timedelta(minutes=1)
    assert [one.id for one in client.tasks.list(due_after=late, due_before=soon)] == [task.id]
    changed = client.tasks.update(task, title="Prune the palms")
    before, east = task.updated_at, datetime.timezone(datetime.timedelta(hours=5, minutes=30))
    assert client.as_of(before.astimezone(east)).tasks.get(task).title == "Prune"
    assert next(client.events.list(since=changed.updated_at.astimezone(east))).type == "tilth.task.amended"
    odd = datetime.timezone(datetime.timedelta(minutes=36, seconds=45))  # an offset that RFC 3339 cannot write
    assert client.tasks.update(task, due_date=late.astimezone(odd)).due_date == late


def test_a_list_walks_its_pages(client):
    farm = client.farms.create(name="Oasis", total_area=100)
    for number in range(5):
        client.fields.create(farm, name=f"Field {number}", area=1)
    fields = client.fields.list(farm, sort="name", order="asc", limit=2)
    assert [len(page) for page in fields.pages()] == [2, 2, 1]
    assert [field.name for field in fields] == [f"Field {number}" for number in range(5)]
    assert fields.page().pagination.total == 5
    assert [field.name for field in client.fields.list(farm, sort="name", order="asc", limit=2, page=3)] == ["Field 4"]
    assert list(client.tasks.list()) == []


def test_none_clears_a_member_and_what_is_not_given_stays(client):
    farm = client.farms.create(name="Oasis", total_area=1, city="Medina", description="By the well")
    changed = client.farms.update(farm, description=None)
    assert (changed.city, changed.description) == ("Medina", None)


def test_if_match_refuses_a_change_of_what_has_changed(client):
    farm = client.farms.create(name="Oasis", total_area=1)
    client.farms.update(farm, total_area=2, if_match=farm.etag)
    with pytest.raises(PreconditionFailed):
        client.farms.update(farm, total_area=3, if_match=farm.etag)


def test_errors_are_types_with_details(client, tilth):
    with pytest.raises(InvalidRequest) as refused:
        client.farms.create(name="", total_area=1)
    assert (refused.value.code, refused.value.details) == ("VALIDATION_ERROR", {"name": ["must not be empty"]})
    client.farms.create(name="Oasis", total_area=1)
    with pytest.raises(Conflict):
        client.farms.create(name="Oasis", total_area=1)
    with pytest.raises(NotFound):
        client.farms.get("00000000-0000-4000-8000-000000000000")
    with pytest.raises(AuthenticationError) as unknown, Tilth("svc_live_" + "0" * 32, f"http://{tilth.address}") as stranger:
        list(stranger.farms.list())
    assert unknown.value.request_id


def test_an_id_cannot_leave_its_place_in_the_path(client):
    with pytest.raises(InvalidRequest):
        client.farms.get("../tasks?x=")


def test_a_change_is_made_once_under_one_key(client):
    key = "7b0f3a52-2f0c-4d5e-9d0c-1c9f6a1e8b11"
    first, second = (client.farms.create(name="Once", total_area=1, idempotency_key=key) for _ in range(2))
    assert first == second


def test_another_program_sees_a_change_by_its_position(client):
    farm = client.farms.create(name="Oasis", total_area=1)
    with Tilth() as other:
        other.position = client.position
        assert other.position and other.farms.get(farm) == farm
        other.position = "nonsense"
        with pytest.raises(InvalidRequest):
            other.farms.get(farm)


def test_the_past_can_be_read_and_not_written(client):
    farm = client.farms.create(name="Before", total_area=1)
    client.farms.update(farm, name="After")
    past = client.as_of(farm.created_at)
    assert past.farms.get(farm).name == "Before" and client.farms.get(farm).name == "After"
    with pytest.raises(TypeError):
        past.farms.delete(farm)


def test_requests_of_a_batch_refer_to_each_other(client):
    batch = client.batch()
    farm = batch.farms.create(name="Wadi Farm", total_area=12)
    field = batch.fields.create(farm, name="North", area=4)
    refused = batch.fields.create(farm, name="", area=4)
    block = batch.blocks.create(farm, refused, crop_id=field, name="A")
    listed = batch.fields.list(farm, limit=5)
    with pytest.raises(TilthError):
        farm.result()
    outcome = batch.send()
    assert (outcome.succeeded, outcome.failed, outcome.ok) == (3, 2, False)
    assert client.fields.get(farm, field) == field.result() and field.result().farm_id == farm.id
    assert [one.name for one in listed.result()] == ["North"]
    with pytest.raises(InvalidRequest) as why:
        refused.result()
    assert "name" in why.value.details
    with pytest.raises(FailedDependency):
        block.result()
    assert client.farms.update(farm, name="Later", if_match=farm.result().etag).name == "Later"


def test_computed_answers_are_typed(client):
    farm = client.farms.create(name="Oasis", total_area=1, country="Saudi Arabia")
    client.expenses.create(farm, amount="12.5", category="fuel", transaction_date=datetime.date(2026, 3, 1))
    summary = client.farms.financial_summary(farm)
    amounts = [summary.net, summary.expenses.total, summary.expenses.by_category["fuel"],
               summary.expenses.by_currency["SAR"].original]
    assert amounts == [Decimal("-12.5"), Decimal("12.5"), Decimal("12.5"), Decimal("12.5")]
    assert all(isinstance(amount, Decimal) for amount in amounts)
    assert client.farms.health_score(farm).farm_id == farm.id
    assert client.farms.yield_prediction(farm).predictions == []
    assert client.regional_prices.list(country="SA").meta.currency == "SAR"
    assert client.varieties.list(admin_crop_id=farm) == []
    assert client.usage.get().farms_count == 1


def test_the_history_is_read_in_order(client):
    farm = client.farms.create(name="Oasis", total_area=1)
    client.farms.delete(farm)
    events = list(client.events.list(type="tilth.farm.*"))
    assert [event.type for event in events] == ["tilth.farm.registered", "tilth.farm.removed"]
    assert list(client.events.list(after=events[0].position, type="tilth.farm.*")) == events[1:]


def test_following_goes_on_after_an_event_a_position_or_a_time(client):
    farm = client.farms.create(name="Oasis", total_area=1)
    position = client.position
    changed = client.farms.update(farm, total_area=2)
    registered = next(client.events.follow())
    assert registered.type == "tilth.farm.registered"
    for start in (registered, position, changed.updated_at, changed.to_json()["updatedAt"]):
        assert next(client.events.follow(from_=start)).type == "tilth.farm.amended"


def test_the_same_is_done_with_an_event_loop(account):
    async def run():
        async with AsyncTilth() as client:
            farm = await client.farms.create(name="Oasis", total_area=10)
            batch = client.batch()
            fields = [batch.fields.create(farm, name=f"Field {number}", area=1) for number in range(3)]
            assert (await batch.send()).ok
            listed = [field async for field in client.fields.list(farm, limit=2, sort="name", order="asc")]
            assert listed == [field.result() for field in fields]
            assert (await client.as_of(farm.created_at).fields.list(farm).page()).data == []
            assert [event.type async for event in client.events.list(type="tilth.farm.*")] == ["tilth.farm.registered"]
            async for event in client.events.follow(from_=farm.created_at, type="tilth.field.*"):
                assert event.data["name"] == "Field 0"
                break
            with pytest.raises(NotFound):
                await client.farms.get("00000000-0000-4000-8000-000000000000")

    asyncio.run(run())
