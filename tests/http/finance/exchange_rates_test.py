"""Exchange rates as operators import them."""
import pytest

RATES = "/operator/v1/exchange-rates"
DAILY = "Date, USD, JPY, \n02 March 2026, 1.0834, 162.35, \n"


@pytest.fixture
def give(tilth):
    def post(text, source=None, status=200, content_type="text/csv"):
        path = RATES + (f"?source={source}" if source is not None else "")
        reply = tilth.operator.send("POST", path, text, headers={"Content-Type": content_type})
        assert reply.status == status, reply
        return reply.data if status == 200 else reply
    return post


def imported(tilth):
    return [event["data"] for event in tilth.events("reference") if event["type"] == "tilth.exchange_rate.imported"]


def test_the_values_of_a_daily_file_are_counted(tilth, give):
    assert give(DAILY) == {"days": 1, "rates": 2, "changed": 2}
    assert imported(tilth)[-1] == {
        "source": "ECB", "changed": 2, "importedAt": tilth.now(),
        "days": [{"day": "2026-03-02", "rates": [{"currency": "USD", "perEuro": "1.0834"},
                                                  {"currency": "JPY", "perEuro": "162.35"}]}]}


def test_only_what_is_new_or_different_is_changed(tilth, give):
    give("Date,CHF,SEK\n2020-01-02,1,2\n2020-01-03,1,2\n")
    assert give("Date,CHF,SEK\n2020-01-02,1.0,2.5\n2020-01-03,1,N/A\n2020-01-04,3,\n") == {
        "days": 3, "rates": 4, "changed": 2}
    assert imported(tilth)[-1]["days"] == [{"day": "2020-01-02", "rates": [{"currency": "SEK", "perEuro": "2.5"}]},
                                           {"day": "2020-01-04", "rates": [{"currency": "CHF", "perEuro": "3"}]}]


def test_the_same_file_again_is_no_event_but_from_another_source_it_is(tilth, give):
    text = "Date,NOK\n2020-01-02,10\n"
    give(text)
    before = len(imported(tilth))
    assert give(text)["changed"] == 0 and len(imported(tilth)) == before
    assert give(text, source="Norges%20Bank")["changed"] == 0
    assert imported(tilth)[-1]["source"] == "Norges Bank" and len(imported(tilth)) == before + 1


def test_a_long_history_is_several_events_of_bounded_size(tilth, give):
    codes = ["AUD", "BRL", "CAD", "CNY", "CZK", "DKK", "GBP", "HKD", "HUF", "IDR", "ILS", "INR"]
    lines = [f"{year}-{month:02}-{day:02}," + ",".join(f"{year - 1990}.{month}{day}{i}" for i in range(len(codes))) + ","
             for year in range(2001, 2004) for month in range(1, 13) for day in range(1, 29)]
    before = len(imported(tilth))
    text = "Date," + ",".join(codes) + ",\n" + "\n".join(reversed(lines)) + "\n"
    assert give(text) == {"days": 1008, "rates": 12096, "changed": 12096}
    events = imported(tilth)[before:]
    assert len(events) == 7
    assert sum(event["changed"] for event in events) == 12096
    assert give(text)["changed"] == 0


def test_one_bad_line_refuses_the_file(tilth, give):
    before = imported(tilth)
    good = "Date,USD\n" + "".join(f"20{year:02}-01-01,{year + 1}\n" for year in range(99))
    reply = give(good + "2026-02-30,1\n", status=400)
    assert reply.json["code"] == "VALIDATION_ERROR"
    assert reply.json["details"] == {"body": ["line 101: '2026-02-30' is no date"]}
    for text in ("", "{}", "Date,QQQ\n", "Date,USD\n2026-01-01,-1\n", b"Date,USD\n\xff,1\n"):
        give(text, status=400)
    assert imported(tilth) == before


def test_only_csv_is_taken(give):
    assert give(DAILY, status=415, content_type="application/json").json["code"] == "UNSUPPORTED_MEDIA_TYPE"
    give(DAILY, status=415, content_type="text/csv; charset=latin-1")
    give(DAILY, content_type="Text/CSV; charset=UTF-8")


def test_a_source_has_a_name(give):
    for source in ("", "x" * 101, "a&source=b", "a%00b"):
        assert "source" in give(DAILY, source, status=400).json["details"]
    give(DAILY, "x" * 100)


def test_it_needs_the_operators_token(tilth):
    assert tilth.stranger().send("POST", RATES, DAILY).status in (401, 404)
    assert tilth.operator.send("GET", RATES).status == 405
