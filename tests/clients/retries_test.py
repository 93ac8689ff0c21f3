"""When and how the Python client asks again, on a service that is played."""
import asyncio
import datetime
import gzip
import json
from decimal import Decimal

import httpx
import pytest

from tilth import (AsyncTilth, Conflict, ConnectionFailed, InvalidRequest, RateLimited, Retries, ServiceError, Tilth,
                   TilthError)
from tilth.records import LatLng

FARM = {"data": {"id": "a", "name": "Oasis"}}
BUSY = {"error": "Service Unavailable", "code": "SERVICE_UNAVAILABLE", "message": "Busy."}


class Played:
    """Answers requests with what it is given, one after another, and keeps them."""

    def __init__(self, *answers):
        self.answers, self.requests = list(answers), []

    def __call__(self, request):
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def client(self, **options):
        return Tilth("key", "http://played", http=httpx.Client(transport=httpx.MockTransport(self)), **options)


@pytest.fixture
def waits(monkeypatch):
    """The seconds that were waited, without waiting."""
    waited = []
    monkeypatch.setattr("time.sleep", waited.append)
    return waited


def test_it_asks_again_after_what_passes(waits):
    played = Played(httpx.ConnectError("refused"), httpx.ReadTimeout("slow"), httpx.Response(503, json=BUSY),
                    httpx.Response(409, headers={"Retry-After": "1"}, json={}), httpx.Response(201, json=FARM))
    assert played.client().farms.create(name="Oasis", total_area=1).name == "Oasis"
    assert len({request.headers["Idempotency-Key"] for request in played.requests}) == 1
    assert len({request.content for request in played.requests}) == 1
    assert len(waits) == 4 and waits[3] == 1


def test_it_waits_as_long_as_the_service_says(waits):
    played = Played(httpx.Response(429, headers={"Retry-After": "7"}, json={}), httpx.Response(200, json=FARM))
    played.client().farms.get("a")
    assert waits == [7]


def test_it_does_not_wait_for_an_hour(waits):
    played = Played(httpx.Response(429, headers={"Retry-After": "3000"}, json={"code": "RATE_LIMIT_EXCEEDED"}))
    with pytest.raises(RateLimited) as refused:
        played.client().farms.get("a")
    assert refused.value.retry_after == 3000 and waits == []


def in_seconds(seconds):
    """An X-RateLimit-Reset of the service."""
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return {"X-RateLimit-Reset": at.isoformat(timespec="milliseconds").replace("+00:00", "Z")}


def test_it_waits_until_the_rate_limit_resets(waits):
    played = Played(httpx.Response(429, headers=in_seconds(20), json={}), httpx.Response(200, json=FARM))
    played.client().farms.get("a")
    assert waits == [pytest.approx(20, abs=2)]
    with pytest.raises(RateLimited) as refused:
        Played(httpx.Response(429, headers=in_seconds(3000), json={})).client().farms.get("a")
    assert refused.value.retry_after == pytest.approx(3000, abs=2) and len(waits) == 1


@pytest.mark.parametrize("status, headers", [
    (429, in_seconds(-20)), (429, {"X-RateLimit-Reset": "soon"}), (429, {"X-RateLimit-Reset": "2026-03-01T00:00:00"}),
    (429, {**in_seconds(20), "Retry-After": "1"}), (503, in_seconds(20))])
def test_any_other_rate_limit_reset_changes_no_wait(waits, status, headers):
    played = Played(httpx.Response(status, headers=headers, json={}), httpx.Response(200, json=FARM))
    played.client().farms.get("a")
    assert len(waits) == 1 and 0 < waits[0] <= 1


@pytest.mark.parametrize("status, error", [(400, InvalidRequest), (409, Conflict)])
def test_it_does_not_ask_again_for_what_stays_refused(waits, status, error):
    with pytest.raises(error):
        Played(httpx.Response(status, json={"code": "X"})).client().farms.create(name="Oasis", total_area=1)
    assert waits == []


def test_it_gives_up_at_last(waits):
    with pytest.raises(ServiceError):
        Played(*[httpx.Response(503, json=BUSY) for _ in range(3)]).client().farms.get("a")
    with pytest.raises(ConnectionFailed):
        Played(httpx.ConnectError("refused")).client(retries=Retries(attempts=1)).farms.get("a")
    assert len(waits) == 2 and waits == sorted(waits)


def test_what_a_proxy_answers_is_an_error_too(waits):
    with pytest.raises(ServiceError) as error:
        Played(httpx.Response(502, text="<html>")).client(retries=Retries(attempts=1)).farms.get("a")
    assert error.value.status == 502


def test_a_page_in_the_place_of_an_answer_is_asked_for_again(waits):
    page, broken = httpx.Response(200, html="<html>"), httpx.DecodingError("invalid block")
    assert Played(page, broken, httpx.Response(200, json=FARM)).client().farms.get("a").name == "Oasis"
    with pytest.raises(ConnectionFailed, match="text/html"):
        Played(page).client(retries=Retries(attempts=1)).farms.get("a")
    with pytest.raises(ConnectionFailed, match="text/html"):
        next(Played(page).client().events.follow())


@pytest.mark.parametrize("body", [b"<html>Sign in</html>", b'{"data": {"id"', b"\xff", b""])
def test_a_body_that_is_not_json_is_asked_for_again(waits, body):
    page = httpx.Response(200, headers={"Content-Type": "application/json"}, content=body)
    assert Played(page, httpx.Response(200, json=FARM)).client().farms.get("a").name == "Oasis"
    reads = [lambda client: client.farms.get("a"), lambda client: list(client.farms.list()),
             lambda client: client.farms.health_score("a"), lambda client: client.regional_prices.list(country="SA"),
             lambda client: client.farms.create(name="Oasis", total_area=1), lambda client: client.batch().send()]
    for read in reads:
        with pytest.raises(ConnectionFailed, match="status 200. is not JSON"):
            read(Played(page).client(retries=Retries(attempts=1)))


def test_a_body_that_is_not_json_is_an_error_with_an_event_loop_too():
    page = httpx.Response(200, headers={"Content-Type": "application/json"}, content=b"<html>")
    http = httpx.AsyncClient(transport=httpx.MockTransport(Played(page)))
    with pytest.raises(ConnectionFailed, match="status 200. is not JSON"):
        asyncio.run(AsyncTilth("key", "http://played", http=http, retries=Retries(attempts=1)).farms.get("a"))


def test_events_that_are_not_json_are_asked_for_again(waits):
    def lines(text):
        return httpx.Response(200, headers={"Content-Type": "application/x-ndjson"}, content=text)

    whole, cut = json.dumps(event(1)) + "\n", json.dumps(event(1))[:-5]
    assert [one.id for one in Played(lines(cut), lines(whole)).client().events.list()] == ["1"]
    assert list(Played(lines("")).client().events.list()) == []
    with pytest.raises(ConnectionFailed, match="status 200. is not JSON"):
        list(Played(lines(cut)).client(retries=Retries(attempts=1)).events.list())
    followed = Played(httpx.Response(200, content=f"data: {cut}\n\n"), httpx.Response(200, content=f"data: {whole}\n"))
    assert next(followed.client().events.follow()).id == "1"


def test_a_removal_needs_no_body(waits):
    for done in (httpx.Response(204), httpx.Response(200)):
        Played(done).client().farms.delete("a")


@pytest.mark.parametrize("kept", [0.5, 0.9])
def test_compressed_bytes_that_break_off_are_asked_for_again(waits, kept):
    packed = gzip.compress(json.dumps(FARM).encode())
    cut = httpx.Response(200, headers={"Content-Type": "application/json", "Content-Encoding": "gzip"},
                         stream=httpx.ByteStream(packed[:int(len(packed) * kept)]))
    assert Played(cut, httpx.Response(200, json=FARM)).client().farms.get("a").name == "Oasis"
    whole = httpx.Response(200, headers=cut.headers, stream=httpx.ByteStream(packed))
    assert Played(whole).client().farms.get("a").name == "Oasis" and len(waits) == 1


@pytest.mark.parametrize("body", [{"details": [{"reason": "busy"}]}, {"details": "busy"}, {"code": 14, "error": {"code": 14}}])
def test_errors_of_a_proxy_may_have_any_form(waits, body):
    with pytest.raises(ServiceError) as error:
        Played(httpx.Response(503, json=body)).client(retries=Retries(attempts=1)).farms.get("a")
    assert (error.value.code, error.value.details) == ("503", {})


@pytest.mark.parametrize("time", ["Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 -0000", "Sun, 06 Nov 1994 08:49:37 GMT"])
def test_a_time_to_wait_for_may_be_in_any_form_of_http(waits, time):
    played = Played(httpx.Response(503, headers={"Retry-After": time}, json=BUSY), httpx.Response(200, json=FARM))
    played.client().farms.get("a")
    assert waits == [0]


@pytest.mark.parametrize("identifier", ["", ".", ".."])
def test_what_would_lead_to_another_path_is_no_id(identifier):
    played = Played(httpx.Response(204))
    with pytest.raises(ValueError, match="is no id"):
        played.client().fields.delete("a", identifier)
    assert played.requests == []


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf"), Decimal("NaN"), Decimal("-Infinity")])
def test_a_number_that_is_not_finite_is_refused_before_it_is_sent(number):
    played = Played()
    client = played.client()
    with pytest.raises(ValueError, match="^totalArea is .*finite"):
        client.farms.create(name="Oasis", total_area=number)
    with pytest.raises(ValueError, match="^location.lat is .*finite"):
        client.farms.create(name="Oasis", total_area=1, location={"lat": number, "lng": 1})
    with pytest.raises(ValueError, match="^location.lat is .*finite"):
        client.farms.create(name="Oasis", total_area=1, location=LatLng(lat=number, lng=1))
    with pytest.raises(ValueError, match="^geometry.coordinates.1 is .*finite"):
        client.batch().blocks.create("a", "b", crop_id="c", name="A", geometry={"type": "Point", "coordinates": [1, number]})
    with pytest.raises(ValueError, match="^limit is .*finite"):
        client.farms.list(limit=number)
    assert played.requests == []


def test_a_datetime_is_sent_as_it_is_written():
    late = datetime.datetime(2026, 3, 1, 23, tzinfo=datetime.timezone(datetime.timedelta(hours=-5)))
    played = Played(*[httpx.Response(201, json=FARM) for _ in range(3)])
    client = played.client()
    client.crops.update("a", planting_date=late)
    client.tasks.update("a", due_date=late)
    client.user_crops.create(admin_crop_id="a", source="manual_search", customizations={"sown": [late]})
    day, instant, inner = [json.loads(request.content) for request in played.requests]
    assert day == {"plantingDate": "2026-03-01"}
    assert instant == {"dueDate": "2026-03-01T23:00:00.000-05:00"}
    assert inner["customizations"] == {"sown": ["2026-03-01T23:00:00.000-05:00"]}
    with pytest.raises(ValueError, match="^dueDate .*no time zone"):
        client.tasks.update("a", due_date=late.replace(tzinfo=None))


def test_a_key_is_shown_nowhere():
    played = Played(httpx.Response(200, json=FARM))
    client = Tilth("svc_live_secret\n", http=httpx.Client(transport=httpx.MockTransport(played)))
    client.farms.get("a")
    assert played.requests[0].headers["Authorization"] == "Bearer svc_live_secret"
    assert "secret" not in repr(client._transport.session)
    for key in ("svc_live\nsecret", "svc_live_secret\u2026"):
        with pytest.raises(ValueError) as refused:
            Tilth(key)
        assert "secret" not in str(refused.value)


def test_a_list_that_is_answered_at_once_ends_with_it(waits):
    rows = [{"id": str(number)} for number in range(3)]  # as for 10,000 records and more: all of them, and two pages
    played = Played(httpx.Response(200, json={"data": rows, "pagination": {"page": 1, "limit": 2, "total": 3, "totalPages": 2}}))
    assert [plant.id for plant in played.client().plants.list("a", "b", "c")] == ["0", "1", "2"]


def test_reads_carry_the_position_of_the_last_change(waits):
    played = Played(httpx.Response(201, headers={"Tilth-Position": "p0.7"}, json=FARM), httpx.Response(200, json=FARM))
    client = played.client()
    client.farms.create(name="Oasis", total_area=1)
    client.farms.get("a")
    assert [request.headers.get("Tilth-Min-Position") for request in played.requests] == [None, "p0.7"]


def test_a_position_only_moves_forward(waits):
    """Threads that share a client receive their responses in any order."""
    positions = ["p0.9", "p0.10", "p0.9", "p1.3", "p1.2"]
    played = Played(*[httpx.Response(201, headers={"Tilth-Position": position}, json=FARM) for position in positions])
    client, seen = played.client(), []
    for _ in positions:
        client.farms.create(name="Oasis", total_area=1)
        seen.append(client.position)
    assert seen == ["p0.9", "p0.10", "p0.10", "p1.3", "p1.3"]
    client.position = "p1.1"  # a program's own choice
    assert client.position == "p1.1"


def test_a_refusal_in_a_batch_says_when_to_ask_again():
    answers = [{"id": "r0", "status": 429, "headers": {"Retry-After": "3660"}, "body": {"code": "RATE_LIMIT_EXCEEDED"}},
               {"id": "r1", "status": 429, "headers": {}, "body": {"code": "RATE_LIMIT_EXCEEDED"}}]
    meta = {"succeeded": 0, "failed": 2, "notAttempted": 0}
    batch = Played(httpx.Response(200, json={"data": answers, "meta": meta})).client().batch()
    planned = [batch.farms.create(name=name, total_area=1) for name in ("Oasis", "Hill")]
    batch.send()
    for each, wait in zip(planned, (3660, None)):
        with pytest.raises(RateLimited) as refused:
            each.result()
        assert refused.value.retry_after == wait


def test_a_request_of_another_batch_is_refused():
    client = Played().client()
    one, other = client.batch(), client.batch()
    farm, own = one.farms.create(name="Oasis", total_area=1), other.farms.create(name="Hill", total_area=1)
    for refused in (lambda: other.fields.create(farm, name="North", area=1), lambda: other.fields.create(farm.id, name="North", area=1),
                    lambda: other.tasks.create(farm_id=farm, title="Prune", category="other"),
                    lambda: other.tasks.list(farm_id=farm)):
        with pytest.raises(TilthError, match="another batch"):
            refused()
    other.fields.create(own, name="North", area=1)
    other.tasks.create(farm_id=own, title="Prune", category="other")
    _, field, task = [planned.to_request() for planned in other.requests]
    assert (field["path"], task["body"]["farmId"]) == ("/v1/farms/{$r0}/fields", "{$r0}")


def event(number):
    return {"id": str(number), "type": "tilth.farm.amended", "time": "2026-03-01T00:00:00.000Z", "data": {},
            "position": f"p0.{number}"}


class Broken(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body that breaks off."""

    def __init__(self, *numbers):
        self.numbers = numbers

    def __iter__(self):
        for number in self.numbers:
            yield f": still here\n\nid: p0.{number}\nevent: tilth.farm.amended\ndata: {json.dumps(event(number))}\n\n".encode()
        yield b"id: p0.99\ndata: {\"id\": \"half an"
        raise httpx.ReadError("reset")

    async def __aiter__(self):
        for part in self:
            yield part


def interrupted():
    return Played(httpx.Response(200, stream=Broken(1, 2)), httpx.ConnectError("refused"), httpx.Response(503, json=BUSY),
                  httpx.Response(200, stream=Broken(3)))


def test_following_resumes_after_a_broken_connection(waits):
    played = interrupted()
    followed = played.client().events.follow(from_="p0.0")
    assert [next(followed).id for _ in range(3)] == ["1", "2", "3"]
    assert [request.url.params["after"] for request in played.requests] == ["p0.0", "p0.2", "p0.2", "p0.2"]
    assert len(waits) == 3


def test_following_resumes_with_an_event_loop_too(monkeypatch):
    async def at_once(seconds):
        pass

    async def run(played):
        http = httpx.AsyncClient(transport=httpx.MockTransport(played))
        followed = AsyncTilth("key", "http://played", http=http).events.follow(from_="p0.0")
        return [(await followed.__anext__()).id for _ in range(3)]

    monkeypatch.setattr("asyncio.sleep", at_once)
    assert asyncio.run(run(interrupted())) == ["1", "2", "3"]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_lines_of_events_end_only_where_they_do(waits, ending):
    name = "a\u2028b\u2029c\x85d"  # where Python, but no server-sent event, ends a line
    text = f"data: {json.dumps({**event(1), 'data': {'name': name}}, ensure_ascii=False)}{ending}{ending}".encode()
    pieces = [text[at:at + 1] for at in range(len(text))]
    followed = Played(httpx.Response(200, content=iter(pieces))).client().events.follow()
    assert next(followed).data == {"name": name}


def test_following_ends_when_the_key_does(waits):
    played = Played(httpx.Response(200, stream=Broken(1)), httpx.Response(401, json={"code": "INVALID_API_KEY"}))
    followed = played.client().events.follow()
    assert next(followed).id == "1"
    with pytest.raises(Exception, match="INVALID_API_KEY"):
        next(followed)


@pytest.mark.parametrize("url", ["played", "played:8080", "localhost:8080/api", "ftp://played", "http://", "https:///api"])
def test_a_url_without_http_or_a_host_is_told_at_once(url, monkeypatch):
    for kind in (Tilth, AsyncTilth):
        with pytest.raises(ValueError, match="http://"):
            kind("key", url)
        monkeypatch.setenv("TILTH_URL", url)
        with pytest.raises(ValueError, match="http://"):
            kind("key")


def test_a_url_may_end_with_a_slash_and_have_a_path():
    played = Played(httpx.Response(200, json=FARM))
    with httpx.Client(transport=httpx.MockTransport(played)) as http:
        Tilth("key", "HTTPS://played:8443/tilth/", http=http).farms.get("a")
    assert str(played.requests[0].url) == "https://played:8443/tilth/api/v1/farms/a"


@pytest.mark.parametrize("value", ['"v1"\n', '"v1"\r\nX: y', ' "v1"', '"\u0661"', "\t"])
def test_what_no_header_can_hold_is_refused_before_anything_is_sent(waits, value):
    played = Played()
    client, past = played.client(), played.client().as_of(value)
    asked = [lambda: client.farms.update("a", name="Oasis", if_match=value),
             lambda: client.farms.delete("a", if_match=value),
             lambda: client.farms.create(name="Oasis", total_area=1, idempotency_key=value),
             lambda: past.farms.get("a"),
             lambda: next(past.events.follow())]
    for ask in asked:
        with pytest.raises(ValueError, match="cannot be sent"):
            ask()
    client.position = value
    with pytest.raises(ValueError, match="Tilth-Min-Position"):
        client.farms.get("a")
    assert played.requests == [] and waits == []


def test_an_async_client_refuses_what_no_header_can_hold():
    played = Played()

    async def run():
        async with httpx.AsyncClient(transport=httpx.MockTransport(played)) as http:
            await AsyncTilth("key", "http://played", http=http).farms.delete("a", if_match='"v1"\n')

    with pytest.raises(ValueError, match="If-Match"):
        asyncio.run(run())
    assert played.requests == []
