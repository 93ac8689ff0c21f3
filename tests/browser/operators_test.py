"""The operators' pages: signing in with the token, the node, projections, events, owners and reference data."""
import contextlib
import json

import pytest

from access_test import keep_key
from conftest import connect, look
from looks_test import sound
from pages import By, Keys, Land, button, choose, complaints, find, fragment, gone, heading, held, hold, hold_file, let_go, sees, settled, texts, type_in, typed, visit, wait
from person import Person
from service import served

TOKEN = "tilth-operator-token"


@pytest.fixture(scope="module")
def tilth(tmp_path_factory):
    """A service of their own: what operators pause or publish here concerns every account of a service."""
    with served(tmp_path_factory.mktemp("operators"), clock=None) as service:
        yield service


def token_of(service):
    return (service.data / "operator.token").read_text().strip()


def open_desk(browser, service, path=""):
    browser.get("about:blank")
    browser.get(f"http://{service.operator_address}/{path}")


@pytest.fixture
def desk(browser, tilth):
    """The browser at the operators' port, not signed in."""
    browser.get(f"http://{tilth.operator_address}/assets/icon.svg")
    browser.execute_cdp_cmd("Storage.clearDataForOrigin",
                            {"origin": f"http://{tilth.operator_address}", "storageTypes": "local_storage,session_storage"})
    browser.execute_script("sessionStorage.clear(); localStorage.clear()")
    browser.get_log("browser")
    return browser


@pytest.fixture
def operator(desk, tilth):
    """Signed in, at the overview."""
    desk.execute_script("sessionStorage.setItem(arguments[0], arguments[1])", TOKEN, token_of(tilth))
    open_desk(desk, tilth)
    heading(desk, "Overview")
    settled(desk)
    return desk


def look_again(browser):
    """As if somebody came back to the tab: what changes by itself is loaded then, not only some seconds later."""
    settled(browser)
    browser.execute_script("document.dispatchEvent(new Event('visibilitychange'))")


def order(service, name, what, status=200):
    return service.operate("POST", f"/operator/v1/projections/{name}/{what}", {}, status)


def test_the_token_opens_the_pages_and_is_kept_for_the_tab_alone(desk, tilth):
    open_desk(desk, tilth, "#/events?type=tilth.user.*")
    heading(desk, "Operators")
    type_in(desk, "token", "not the token" + Keys.ENTER)
    sees(desk, "This is not the token of this service.", "[role=alert]")
    type_in(desk, "token", token_of(tilth) + Keys.ENTER)
    heading(desk, "Events")
    assert fragment(desk) == "#/events?type=tilth.user.*"
    assert desk.execute_script("return [localStorage.length, document.cookie]") == [0, ""]
    desk.refresh()
    heading(desk, "Events")
    button(desk, "Sign out").click()
    heading(desk, "Operators")
    desk.refresh()
    heading(desk, "Operators")
    assert desk.execute_script("return sessionStorage.length") == 0
    open_desk(desk, tilth)
    desk.switch_to.new_window("tab")
    open_desk(desk, tilth)
    heading(desk, "Operators")


def test_a_token_that_is_no_longer_taken_leads_back_to_the_same_place(desk, tilth):
    desk.execute_script("sessionStorage.setItem(arguments[0], 'an old token of sixteen')", TOKEN)
    open_desk(desk, tilth, "#/owners?search=ada")
    heading(desk, "Operators")
    sees(desk, "The token is no longer taken.")
    type_in(desk, "token", token_of(tilth) + Keys.ENTER)
    heading(desk, "Owners")
    assert find(desk, "[name=search]").get_attribute("value") == "ada"


def test_nothing_is_in_anybodys_way(looks, tilth, person, axe, request):
    every = axe if "light" in request.node.name else None
    land = Land(person)
    land.task("W" * 180)
    last = tilth.events(person.id)[-1]
    place = f"{last['partition']}-{last['offset']}"
    looks.get(f"http://{tilth.operator_address}/assets/icon.svg")
    looks.execute_script("sessionStorage.clear(); localStorage.setItem('language', arguments[0])", "ar" if "arabic" in request.node.name else "en")
    open_desk(looks, tilth)
    find(looks, "input[name=token]")
    sound(looks, axe, "sign-in")
    looks.execute_script("sessionStorage.setItem(arguments[0], arguments[1])", TOKEN, token_of(tilth))
    open_desk(looks, tilth)
    find(looks, "#requests canvas")
    order(tilth, "market", "pause")
    order(tilth, "finance", "rebuild?switch=manual", 202)
    try:
        kinds = ("/overview", "/projections", f"/events?event={place}", f"/owners/{person.id}?tab=keys&new=key", "/reference")
        for path in ("/overview", "/overview?lag=events", "/projections", "/projections/market", "/projections?rebuild=all", "/events", f"/events?event={place}", "/events?type=nothing", "/owners", "/owners?new=1",
                     f"/owners/{person.id}", f"/owners/{person.id}?tab=keys", f"/owners/{person.id}?tab=keys&new=key", f"/owners/{person.id}?tab=requests", f"/owners/{person.id}?tab=sessions", "/reference", "/reference?of=templates",
                     "/reference?of=rates", "/audit", "/audit?by=operator", "/runbook", "/runbook/a-projection-is-paused", "/nowhere"):
            visit(looks, f"#{path}")
            sound(looks, axe if path in kinds else every, path)
    finally:
        order(tilth, "market", "resume")
        order(tilth, "finance", "switch")
        order(tilth, "finance", "release")
    assert complaints(looks) == []


@contextlib.contextmanager
def answering(browser, path, change):
    """Has pages see what the service answers at paths that end so as `change`, a statement, makes it: `json` is the answer."""
    source = f"""
      const ask = window.fetch;
      window.fetch = async (...request) => {{
        const response = await ask(...request);
        if (!String(request[0]).endsWith("{path}")) return response;
        const json = await response.json();
        {change}
        return new Response(JSON.stringify(json), {{status: 200, headers: {{"Content-Type": "application/json"}}}});
      }};"""
    script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": source})
    try:
        yield
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


# As a node answers whose disk is half empty: that of the machine which runs the tests may be almost full.
WITH_ROOM = """
  for (const [name, bytes] of [["diskBytes", 2e9], ["diskFreeBytes", 1e9]])
    for (const each of json.data.series) if (each.name === name) each.values = each.values.map(() => bytes);
"""


@pytest.fixture
def with_room(operator, tilth):
    with answering(operator, "/trends", WITH_ROOM):
        open_desk(operator, tilth)
        heading(operator, "Overview")
        settled(operator)
        yield operator


def test_the_overview_says_what_is_wrong_and_what_to_do(with_room, tilth):
    operator = with_room
    sees(operator, "Everything is as it should be.")
    sees(operator, tilth.operate("GET", "/operator/v1/status").data["node"], "main")
    order(tilth, "market", "pause")
    try:
        look_again(operator)
        sees(operator, "market is paused", ".problems")
        button(operator, "What to do: market is paused").click()
        heading(operator, "A projection is paused")
        sees(operator, "Resume it.", ".prose")
        operator.back()
    finally:
        order(tilth, "market", "resume")
    look_again(operator)
    sees(operator, "Everything is as it should be.")


# As a node on Kafka answers, with two others.
ON_KAFKA = """
  Object.assign(json.data.log, {kind: "kafka", topic: "farm.events", brokers: ["kafka-1:9092", "kafka-2:9092"], otherNodes: true, check: null});
  const own = json.data.nodes[0];
  json.data.nodes.push({...own, node: "tilth-second", self: false, address: "10.0.0.8:8080", lagEvents: 41, clockAheadSeconds: -2.4, warnings: ["Its clock is 2.4 s behind."]},
    {...own, node: "tilth-third", self: false, address: "10.0.0.9:8080", state: "dead", silentSeconds: 240, warnings: []});
"""


def test_the_overview_shows_the_nodes_on_kafka(operator, tilth, axe):
    with answering(operator, "/status", ON_KAFKA):
        open_desk(operator, tilth)
        for text in (tilth.operate("GET", "/operator/v1/status").data["node"], tilth.address, "tilth-second", "41 events behind",
                     "Its clock is 2.4 s behind.", "tilth-third", "Vanished", "last heard 4 min ago", "farm.events", "kafka-2:9092"):
            sees(operator, text, "#nodes")
        sees(operator, "The clock of tilth-second differs", ".problems")
        button(operator, "What to do: tilth-third has vanished").click()
        heading(operator, "A node has vanished")
        operator.back()
        sound(operator, axe, "overview on Kafka")


def test_every_problem_has_a_section_of_the_runbook(operator, tilth):
    told = operator.execute_async_script("""const done = arguments[0];
      (async () => {
        const { problemsOf } = await import("/assets/operators/status.js");
        const { RUNBOOK } = await import("/assets/operators/runbook-text.js");
        const projection = more => ({name: "p", state: "running", reason: null, lagEvents: 0, lagSeconds: 0, skipped: [], building: null, ...more});
        const one = (name, of, ...values) => ({name, of, values});
        const node = more => ({node: "n", state: "live", silentSeconds: 0, clockAheadSeconds: 0, ...more});
        const status = {log: {reason: "gone", partitions: []}, nodes: [node(), node({state: "dead"}), node({state: "left"}), node({clockAheadSeconds: -3})], projections: [projection({state: "faulted", reason: "x"}), projection({state: "paused"}), projection({lagSeconds: 99}), projection({reason: "differs"}),
          projection({building: {state: "faulted"}}), projection({building: {state: "paused"}, skipped: [{}]})]};
        const trends = {secondsAgo: [100, 0], series: [one("requests", "5xx", 0, 99), one("diskBytes", "", 100, 100), one("diskFreeBytes", "", 50, 1), one("openFiles", "", 1, 99), one("mostFiles", "", 100, 100), one("commandsWaiting", "p", 0, 9999)]};
        const found = problemsOf(status, trends);
        done({found: found.length, without: found.filter(each => !RUNBOOK[each.runbook]), tones: found.map(each => each.tone), quiet: problemsOf({log: {reason: null, partitions: []}, nodes: [node()], projections: [projection({})]}, {secondsAgo: [0], series: []}).length});
      })();""")
    assert told["found"] == 14 and told["without"] == [] and told["quiet"] == 0
    assert told["tones"] == sorted(told["tones"])  # bad before warn


def test_the_overview_goes_on_by_itself(operator, tilth):
    connect(operator, offline=True)
    look_again(operator)
    sees(operator, "The service cannot be reached.")
    sees(operator, "Events in the log")
    connect(operator)
    gone(operator, ".notice.bad")


def test_a_projection_is_rebuilt_switched_and_switched_back(operator, tilth, person):
    Land(person)
    before = tilth.operate("GET", "/operator/v1/status").data["projections"]
    generation = next(row["generation"] for row in before if row["name"] == "registry")
    visit(operator, "#/projections/registry")
    button(operator, "Rebuild registry").click()
    find(operator, "dialog [name=switch]:not(:checked)").click()
    button(operator, "Rebuild", "dialog").click()
    gone(operator, "dialog")
    sees(operator, "It follows the log until you switch to it.")
    assert violations_free(operator)
    button(operator, "Switch to it").click()
    button(operator, "Switch back registry").click()
    button(operator, "Switch back").click()
    gone(operator, "dialog")

    def row():
        return next(row for row in tilth.operate("GET", "/operator/v1/status").data["projections"] if row["name"] == "registry")
    wait(operator, lambda: row()["generation"] == generation and row()["previous"] == generation + 1)
    button(operator, "Release the former registry").click()
    sees(operator, "There is no way back to them.", "dialog")
    button(operator, "Release it").click()
    wait(operator, lambda: row()["previous"] is None)
    assert complaints(operator) == []


def violations_free(browser):
    return browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")


def test_a_projection_is_compared_and_the_result_outlives_a_reload(operator, tilth):
    visit(operator, "#/projections/access")
    button(operator, "Compare access").click()
    sees(operator, "all are the same.")
    operator.refresh()
    sees(operator, "all are the same.")


def test_a_projection_is_paused_after_a_question_and_resumed(operator, tilth):
    visit(operator, "#/projections")
    button(operator, "Pause finance").click()
    sees(operator, "until you resume it", "dialog")
    button(operator, "Keep it").click()
    gone(operator, "dialog")
    assert all(row["state"] == "running" for row in tilth.operate("GET", "/operator/v1/status").data["projections"])
    button(operator, "Pause finance").click()
    button(operator, "Pause", "dialog").click()
    sees(operator, "Paused by an operator.", "#projection-finance")
    button(operator, "Resume finance").click()
    gone(operator, "#projection-finance .notice")


def test_a_poison_event_is_shown_before_it_is_passed_over(operator, tilth, person):
    """The state is made up, the event and the request are real: an event that cannot be read needs a damaged log."""
    Land(person)
    event, later = tilth.events(person.id, type="tilth.field.registered")
    at = {"partition": event["partition"], "offset": event["offset"]}
    operator.execute_script("""window.sent = []; const real = fetch; window.fetch = async (url, options) => {
      if (options?.method === "POST") { sent.push([url, options.body]); return new Response('{"data": {}}', {headers: {"Content-Type": "application/json"}}); }
      const response = await real(url, options);
      if (!String(url).endsWith("/status")) return response;
      const body = await response.json(), row = body.data.projections.find(each => each.name === "registry");
      Object.assign(row, {state: "faulted", reason: "The event cannot be read.", faultedAt: window.at ?? arguments_[0]});
      return new Response(JSON.stringify(body), {headers: {"Content-Type": "application/json"}}); };""".replace("arguments_[0]", json.dumps(at)))
    visit(operator, "#/projections/registry")
    sees(operator, event["data"]["fieldId"], ".json")
    button(operator, "Pass over this event…").click()
    sees(operator, event["data"]["fieldId"], "dialog .json")
    sees(operator, "The event cannot be read.", "dialog")
    # Another operator passes over it meanwhile, and the projection stops at a later event.
    operator.execute_script("window.at = arguments[0]", {"partition": later["partition"], "offset": later["offset"]})
    wait(operator, lambda: later["data"]["fieldId"] in operator.execute_script("return document.querySelector('#projection-registry > .body').textContent"))
    button(operator, "Pass over it").click()
    gone(operator, "dialog")
    (url, body), = operator.execute_script("return sent")
    assert url.endswith("/projections/registry/skip") and json.loads(body) == at


def rows(browser):
    return texts(browser, ".events tbody tr th")


def test_the_history_is_searched_by_owner_type_and_time(operator, tilth, person):
    land = Land(person)
    events = tilth.events(person.id)
    visit(operator, "#/events")
    type_in(operator, "owner", person.email.upper() + Keys.ENTER)
    wait(operator, lambda: len(rows(operator)) == len(events))
    assert fragment(operator) == f"#/events?owner={person.id}"
    assert rows(operator) == [event["type"].removeprefix("tilth.") for event in reversed(events)]
    type_in(operator, "type", "tilth.plant.*" + Keys.ENTER)
    wait(operator, lambda: rows(operator) == ["plant.registered"] * 2)
    operator.refresh()
    wait(operator, lambda: rows(operator) == ["plant.registered"] * 2)
    button(operator, "Clear").click()
    type_in(operator, "has", land.block["id"] + Keys.ENTER)
    wait(operator, lambda: sorted(rows(operator)) == ["block.registered", "plant.registered", "plant.registered"])
    visit(operator, f"#/events?owner={person.id}&until=2020-01-01T00:00:00.000Z")
    sees(operator, "No event fits.")
    visit(operator, "#/events?at=3")
    wait(operator, lambda: len(rows(operator)) == 4)
    assert complaints(operator) == []


def test_what_is_typed_into_a_filter_stays_while_the_page_loads(operator, tilth):
    for page, name, other in (("events", "has", "#/events?type=tilth.plant.*"), ("owners", "search", "#/owners?order=asc")):
        visit(operator, f"#/{page}")
        find(operator, f"[name={name}]").send_keys("half")
        operator.execute_script("location.hash = arguments[0]", other)
        wait(operator, lambda: operator.execute_script("return !document.querySelector('[aria-busy=true]')"))
        visit(operator, other)
        assert find(operator, f"[name={name}]").get_attribute("value") == "half"


def test_all_of_a_long_history_can_be_reached(operator, tilth, person):
    farm = person.signed_in().ask("POST", "/api/farms", {"name": "Long", "totalArea": 3}).data
    requests = [{"method": "POST", "path": "/v1/tasks", "body": {"farmId": farm["id"], "title": f"T{number}", "category": "other"}} for number in range(260)]
    assert person.ask("POST", "/api/batch", {"requests": requests}).status == 200
    visit(operator, f"#/events?owner={person.id}")
    earlier = "//button[normalize-space()='Show earlier ones' or normalize-space()='Look further back']"
    all_shown = lambda: "from the beginning of the log on" in find(operator, ".pager").text
    for _ in range(5):
        shown = find(operator, ".pager").text
        if all_shown():
            break
        wait(operator, lambda: operator.find_elements(By.XPATH, earlier))[0].click()
        wait(operator, lambda: find(operator, ".pager").text != shown)
        wait(operator, lambda: all_shown() or operator.find_elements(By.XPATH, earlier))
    sees(operator, "from the beginning of the log on")
    assert len(rows(operator)) == 261
    operator.refresh()
    wait(operator, lambda: len(rows(operator)) == 261)


def test_one_event_shows_what_it_says_what_caused_it_and_what_it_changed(operator, tilth, person):
    land = Land(person)
    visit(operator, f"#/events?owner={person.id}&type=tilth.plant.*")
    find(operator, ".events tbody th a").click()
    sees(operator, land.block["id"], ".detail .json")
    sees(operator, "registry has read it", ".detail")
    sees(operator, "plant.registered", ".detail .chain:last-child .this")
    event = tilth.events(person.id, type="tilth.plant.*")[-1]
    assert f"event={event['partition']}-{event['offset']}" in fragment(operator)
    sees(operator, event["correlationid"], ".detail")
    operator.refresh()
    sees(operator, land.block["id"], ".detail .json")
    find(operator, f".detail .chain a[href*='{land.block['id']}']").click()
    wait(operator, lambda: sorted(rows(operator)) == ["block.registered", "plant.registered", "plant.registered"])


def test_without_a_clipboard_what_an_event_says_is_selected(operator, tilth, person):
    Land(person)
    visit(operator, f"#/events?owner={person.id}&type=tilth.farm.registered")
    find(operator, ".events tbody a").click()
    sees(operator, "Oasis", ".detail pre")
    operator.execute_script("Object.defineProperty(navigator, 'clipboard', {value: undefined, configurable: true})")  # as on http from another host
    button(operator, "Copy as JSON").click()
    sees(operator, "Copy the selected text yourself.", "#status")
    assert json.loads(operator.execute_script("return getSelection().toString()"))["name"] == "Oasis"
    assert complaints(operator) == []


def test_what_else_a_request_did_is_shown_in_order(operator, tilth):
    crops = [{"name": f"Chain {number}", "category": "fruit"} for number in range(3)]
    tilth.operate("POST", "/operator/v1/library", {"crops": crops})
    events = [event for event in tilth.events("reference") if event["data"].get("name", "").startswith("Chain")]
    assert len(events) == 3 and len({event["correlationid"] for event in events}) == 1
    visit(operator, f"#/events?event={events[1]['partition']}-{events[1]['offset']}")
    sees(operator, events[1]["correlationid"], ".detail .chain .request")
    shown = operator.find_elements(By.CSS_SELECTOR, ".detail .chain .request ~ li")
    assert [row.text.split(" ")[-1].replace(",", "") for row in shown] == [f"{event['partition']}/{event['offset']}" for event in events]
    assert [row.get_attribute("class") for row in shown] == ["", "this", ""]
    shown[2].find_element(By.TAG_NAME, "a").click()
    wait(operator, lambda: f"event={events[2]['partition']}-{events[2]['offset']}" in fragment(operator))
    sees(operator, "Chain 2", ".detail .json")


def test_new_events_come_by_themselves(operator, tilth, person):
    person.signed_in()
    visit(operator, f"#/events?owner={person.id}")
    sees(operator, "No event fits.")
    button(operator, "Follow live").click()
    sees(operator, "Live", ".live")
    opened = "return performance.getEntriesByType('resource').some(each => each.name.includes('follow=new'))"
    wait(operator, lambda: operator.execute_script(opened) or tilth.operate("GET", "/operator/v1/status"))
    farm = person.ask("POST", "/api/farms", {"name": "Oasis", "totalArea": 3}).data
    wait(operator, lambda: rows(operator)[:1] == ["farm.registered"])
    person.ask("PUT", f"/api/farms/{farm['id']}", {"name": "Wadi"})
    wait(operator, lambda: rows(operator) == ["farm.amended", "farm.registered"])
    button(operator, "Stop").click()
    gone(operator, ".live")
    wait(operator, lambda: rows(operator) == ["farm.amended", "farm.registered"])


@pytest.fixture
def followed(operator, person):
    """The events of a person, followed live: without a connection while `down` is set."""
    person.signed_in()
    visit(operator, f"#/events?owner={person.id}")
    sees(operator, "No event fits.")
    operator.execute_script("""const ask = window.fetch;
      window.following = 0;
      window.fetch = (url, options) => {
        if (!String(url).includes("follow=new")) return ask(url, options);
        if (window.down) return Promise.reject(new TypeError("down"));
        ++window.following;
        const stop = new AbortController();
        window.cut = () => { window.down = true; stop.abort(); };
        return ask(url, {...options, signal: AbortSignal.any([options.signal, stop.signal])});
      };""")
    button(operator, "Follow live").click()
    wait(operator, lambda: operator.execute_script("return following"))
    return operator


def is_back(browser):
    browser.execute_script("window.down = false")
    button(browser, "Try again").click()


def test_the_events_of_an_interruption_are_shown_once_it_is_over(followed, person):
    farm = person.ask("POST", "/api/farms", {"name": "Oasis", "totalArea": 3}).data
    wait(followed, lambda: rows(followed) == ["farm.registered"])
    followed.execute_script("cut()")
    sees(followed, "This page tries again by itself.", "main [role=alert]")
    sees(followed, "Interrupted", ".page-head")
    person.ask("PUT", f"/api/farms/{farm['id']}", {"name": "Wadi"})
    is_back(followed)
    wait(followed, lambda: rows(followed) == ["farm.amended", "farm.registered"])
    gone(followed, "main [role=alert]")
    sees(followed, "Live", ".page-head")
    assert person.ask("DELETE", f"/api/farms/{farm['id']}").status == 204
    wait(followed, lambda: rows(followed) == ["farm.removed", "farm.amended", "farm.registered"])


def test_a_connection_that_has_been_silent_for_long_is_made_again(followed, person):
    followed.execute_script("""const wait = setTimeout;
      window.late = [];
      window.setTimeout = (act, delay, ...rest) => (delay > 40_000 ? (late.push(act), 0) : wait(act, delay, ...rest));""")
    farm = person.ask("POST", "/api/farms", {"name": "Oasis", "totalArea": 3}).data
    wait(followed, lambda: rows(followed) == ["farm.registered"])
    followed.execute_script("late.at(-1)()")
    sees(followed, "This page tries again by itself.", "main [role=alert]")
    wait(followed, lambda: followed.execute_script("return following") == 2)
    person.ask("PUT", f"/api/farms/{farm['id']}", {"name": "Wadi"})
    wait(followed, lambda: rows(followed) == ["farm.amended", "farm.registered"])


def test_no_event_is_left_out_where_an_interruption_had_more_than_a_list_follows(followed, person):
    farm = person.ask("POST", "/api/farms", {"name": "Long", "totalArea": 3}).data
    wait(followed, lambda: rows(followed) == ["farm.registered"])
    followed.execute_script("cut()")
    sees(followed, "This page tries again by itself.", "main [role=alert]")
    requests = [{"method": "POST", "path": "/v1/tasks", "body": {"farmId": farm["id"], "title": f"T{number}", "category": "other"}} for number in range(520)]
    assert person.ask("POST", "/api/batch", {"requests": requests}).status == 200
    is_back(followed)
    wait(followed, lambda: len(rows(followed)) == 50 and set(rows(followed)) == {"task.created"})
    visit(followed, f"#/events?owner={person.id}&live=1&more=600")
    wait(followed, lambda: rows(followed) == ["task.created"] * 520 + ["farm.registered"])


def test_hostile_data_stays_text(operator, tilth, person):
    hostile = "<img src=x onerror=alert(1)>\u202e"
    person.signed_in().ask("POST", "/api/farms", {"name": hostile, "totalArea": 3})
    event = tilth.events(person.id)[-1]
    visit(operator, f"#/events?event={event['partition']}-{event['offset']}")
    sees(operator, "<img src=x", ".detail .json")
    sees(operator, "U+202E", ".detail .json")
    assert not operator.find_elements(By.CSS_SELECTOR, "img[src=x]") and complaints(operator) == []


def test_an_owner_is_found_and_changed(operator, tilth, person):
    visit(operator, "#/owners")
    type_in(operator, "search", person.email.split("@")[0] + "@" + Keys.ENTER)
    find(operator, f"tbody a[href='#/owners/{person.id}']").click()
    heading(operator, "Aisha")
    button(operator, "Name and plan").click()
    choose(operator, "plan", "sprout", "dialog")
    button(operator, "Save").click()
    sees(operator, "sprout", "main")
    assert tilth.operate("GET", f"/operator/v1/users/{person.id}").data["plan"] == "sprout"
    button(operator, "Set a password").click()
    type_in(operator, "password", "short", "dialog")
    button(operator, "Set it").click()
    sees(operator, "8", "dialog .fault")
    type_in(operator, "password", "a new password of ours", "dialog")
    button(operator, "Set it").click()
    gone(operator, "dialog")
    assert person.try_to_sign_in().status == 401 and person.try_to_sign_in("a new password of ours").status == 200
    assert complaints(operator) == []


def test_a_new_owner_is_made(operator, tilth):
    visit(operator, "#/owners?new=1")
    type_in(operator, "email", "not an email", "dialog")
    button(operator, "Create the owner").click()
    sees(operator, "must be an email address", "dialog")
    type_in(operator, "email", "nour@operators.example.org", "dialog")
    button(operator, "Create the owner").click()
    heading(operator, "nour@operators.example.org")


def test_an_owner_is_disabled_and_enabled(operator, tilth, person):
    visit(operator, f"#/owners/{person.id}")
    button(operator, "Disable").click()
    sees(operator, "no one can sign in", "dialog")
    button(operator, "Disable", "dialog").click()
    sees(operator, "Disabled", "main")
    assert person.try_to_sign_in().status == 401
    button(operator, "Enable").click()
    button(operator, "Disable")
    assert person.try_to_sign_in().status == 200


def test_an_owner_is_erased(operator, tilth, person):
    visit(operator, f"#/owners/{person.id}")
    button(operator, "Erase").click()
    sees(operator, "This cannot be undone", "dialog")
    button(operator, "Erase", "dialog").click()
    heading(operator, "Owners")
    assert person.try_to_sign_in().status == 401
    tilth.operate("GET", f"/operator/v1/users/{person.id}/erasure", None, 200)


def test_keys_are_made_shown_once_and_revoked(operator, tilth, person):
    visit(operator, f"#/owners/{person.id}?tab=keys")
    button(operator, "New key").click()
    type_in(operator, "name", "Robot", "dialog")
    find(operator, "dialog [data-preset=read]").click()
    scopes = [scope for scope in tilth.operate("GET", "/operator/v1/scopes").data if scope.endswith(":read")]
    assert typed(operator, "scopes") == [" ".join(scopes)] and "webhooks:read" in scopes
    button(operator, "Create the key").click()
    key = find(operator, "dialog input.key").get_attribute("value")
    from client import Client
    assert Client(tilth.address, f"Bearer {key}").get("/farms").status == 200
    keep_key(operator)
    button(operator, "Revoke Robot").click()
    button(operator, "Revoke it").click()
    sees(operator, "Revoked", "tbody")
    assert Client(tilth.address, f"Bearer {key}").get("/farms").status == 401


def test_what_an_owners_keys_asked_for_is_listed_by_outcome(operator, tilth, person):
    key = person.signed_in().mint(name="Robot", scopes=["farms:read"])["key"]
    from client import Client
    robot = Client(tilth.address, f"Bearer {key}")
    assert (robot.get("/farms").status, robot.get("/tasks").status) == (200, 403)
    visit(operator, f"#/owners/{person.id}?tab=requests")
    sees(operator, "/api/v1/farms", "tbody")
    sees(operator, "/api/v1/tasks", "tbody")
    visit(operator, f"#/owners/{person.id}?tab=requests&status=4xx")
    wait(operator, lambda: len(operator.find_elements(By.CSS_SELECTOR, "main tbody tr")) == 1)
    sees(operator, "403", "tbody")


def test_sessions_are_listed_and_ended(operator, tilth, person):
    first = person.signed_in().cookie
    person.signed_in()
    visit(operator, f"#/owners/{person.id}?tab=sessions")
    wait(operator, lambda: len(operator.find_elements(By.CSS_SELECTOR, "main tbody tr")) == 2)
    button(operator, "End it").click()
    wait(operator, lambda: len(operator.find_elements(By.CSS_SELECTOR, "main tbody tr")) == 1)
    button(operator, "End all").click()
    button(operator, "End them").click()
    sees(operator, "No one is signed in")
    assert first and person.ask("GET", "/api/me").status == 401


def test_all_that_is_kept_of_an_owner_is_downloaded(operator, tilth, person, tmp_path):
    Land(person)
    person.mint(name="Robot")
    Person(tilth)  # of whom nothing may be in it
    operator.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    visit(operator, f"#/owners/{person.id}")
    button(operator, "Export everything").click()
    file = wait(operator, lambda: next((each for each in tmp_path.iterdir() if each.suffix == ".json" and each.stat().st_size), None))
    kept = json.loads(file.read_text())
    assert kept["user"]["email"] == person.email and [key["name"] for key in kept["apiKeys"]] == ["Robot"] and len(kept["sessions"]) == 1
    account = [event for event in kept["events"] if event["subject"] == "access"]
    assert {event["data"]["userId"] for event in account} == {person.id} and not any(event["data"].get("passwordHash") for event in account)
    assert [event["id"] for event in kept["events"][len(account):]] == [event["id"] for event in tilth.events(person.id)]


def give(browser, tmp_path, name, content):
    file = tmp_path / name
    file.write_text(content)
    find(browser, "input[type=file]").send_keys(str(file))


def test_a_library_is_imported_after_a_preview(operator, tilth, tmp_path):
    document = {"crops": [{"name": "Preview palm", "category": "fruit", "kcMid": 0.95, "yieldPerHectare": {"low": 1, "high": 3},
                           "varieties": [{"varietyName": "First"}]}]}
    visit(operator, "#/reference")
    give(operator, tmp_path, "crops.json", json.dumps(document))
    sees(operator, "New: 1", "main")
    assert not any(crop["name"] == "Preview palm" for crop in tilth.operate("GET", "/operator/v1/library").json["crops"])
    button(operator, "Import").click()
    sees(operator, "1 crops and 1 varieties, 1 of the crops new or different.")
    sees(operator, "Preview palm", "main tbody")
    document["crops"][0]["kcMid"] = 1.5
    give(operator, tmp_path, "again.json", json.dumps(document))
    sees(operator, "kcMid: 0.95 → 1.5")
    button(operator, "Another file").click()
    document["crops"][0].update(kcMid="0.950", yieldPerHectare={"high": 3})
    give(operator, tmp_path, "same.json", json.dumps(document))
    sees(operator, "It would change nothing.")
    assert complaints(operator) == []


def test_templates_and_rates_are_imported_and_listed(operator, tilth, tmp_path):
    visit(operator, "#/reference?of=templates")
    give(operator, tmp_path, "templates.json", json.dumps({"templates": [{"name": "Preview rows", "category": "inspection"}]}))
    button(operator, "Import").click()
    sees(operator, "Preview rows", "main tbody")
    visit(operator, "#/reference?of=rates")
    give(operator, tmp_path, "rates.csv", "Date, USD, SAR\n2026-03-02, 1.08, 4.05\n2026-03-01, N/A, 4.04\n")
    sees(operator, "USD 1.08, SAR 4.05")
    button(operator, "Import").click()
    sees(operator, "3 rates of 2 days, 3 of them new or different.")
    sees(operator, "ECB: 3 rates", "main tbody")


@pytest.mark.parametrize("of, name, content, says", [
    ("library", "broken.json", "{", "not valid JSON"), ("library", "other.json", "{}", "a list named crops"), ("templates", "other.json", "[]", "a list named templates"),
    ("rates", "other.csv", "a,b\n1,2\n", "The first line has to be Date")])
def test_a_file_that_is_something_else_says_so(operator, tilth, tmp_path, of, name, content, says):
    visit(operator, f"#/reference?of={of}")
    give(operator, tmp_path, name, content)
    sees(operator, says, "[role=alert]")


@pytest.mark.parametrize("path", ["constructor", "__proto__", "events?event=0-99999999", "projections/nothing", "owners/user_nobody", "runbook/constructor"])
def test_an_address_that_leads_nowhere_says_so(operator, path):
    visit(operator, f"#/{path}")
    wait(operator, lambda: any(words in find(operator, "main").text for words in ("There is nothing at this address.", "There is no", "has no such section")))
    assert complaints(operator) == []


def test_everything_can_be_done_with_a_keyboard(desk, tilth, person):
    Land(person)

    def focused():
        return desk.switch_to.active_element

    open_desk(desk, tilth)
    heading(desk, "Operators")
    wait(desk, lambda: focused().get_attribute("name") == "token")
    focused().send_keys(token_of(tilth), Keys.ENTER)
    heading(desk, "Overview")
    settled(desk)
    for _ in range(30):
        focused().send_keys(Keys.SHIFT + Keys.TAB)
        if (focused().get_attribute("href") or "").endswith("#/events"):
            break
    focused().send_keys(Keys.ENTER)
    heading(desk, "Events")
    settled(desk)
    for _ in range(30):
        focused().send_keys(Keys.TAB)
        if "event=" in (focused().get_attribute("href") or ""):
            break
    focused().send_keys(Keys.ENTER)
    find(desk, ".detail .json")
    wait(desk, lambda: focused().tag_name == "h2")


def test_the_pages_fit_two_hundred_percent(operator, tilth, person, axe):
    look(operator, 640, 450)
    for path in ("#/overview", "#/projections", "#/events?event=0-0", f"#/owners/{person.id}?tab=keys"):
        visit(operator, path)
        sound(operator, axe, path)


def test_arabic_is_chosen_and_kept(operator, tilth):
    operator.execute_script("const s = document.querySelector('.account select'); s.value = 'ar'; s.dispatchEvent(new Event('change', {bubbles: true}))")
    sees(operator, "نظرة عامة", "h1")
    operator.refresh()
    sees(operator, "نظرة عامة", "h1")
    assert operator.execute_script("return document.documentElement.dir") == "rtl"
    operator.execute_script("localStorage.clear()")


def test_the_two_kinds_of_pages_keep_apart(desk, tilth):
    person = Person(tilth)
    person.signed_in()
    reply = person.send("GET", "/", headers={"Host": tilth.address})
    assert reply.status == 200 and b"operators" not in reply.body


def test_the_audit_page_says_who_did_what(operator, tilth):
    amina = tilth.operate("POST", "/operator/v1/operators", {"name": "amina", "role": "operate"}, 201).data
    visit(operator, "#/audit")
    heading(operator, "Audit")
    sees(operator, "Add an operator", "tbody tr")
    sees(operator, amina["id"], "tbody tr")
    sees(operator, "amina", "select[name=by]")
    visit(operator, "#/audit?by=amina")
    sees(operator, "Nothing has been changed yet")
    visit(operator, "#/audit?by=operator")
    sees(operator, "Add an operator", "tbody tr")


def test_who_is_signed_in_is_named(desk, tilth):
    made = tilth.operate("POST", "/operator/v1/operators", {"name": "omar", "role": "read"}, 201).data
    open_desk(desk, tilth)
    type_in(desk, "token", made["token"] + Keys.ENTER)
    heading(desk, "Overview")
    sees(desk, "omar read", "#me")
    visit(desk, "#/projections")
    button(desk, "Pause market").click()
    button(desk, "Pause", "dialog").click()
    sees(desk, "The operator omar has the role read; this needs the role operate.")


def test_a_library_that_cannot_be_exported_is_told(operator, tilth):
    open_desk(operator, tilth, "#/reference")
    heading(operator, "Reference data")
    settled(operator)
    operator.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/library"]})
    button(operator, "Export").click()
    sees(operator, "The service cannot be reached.", "main")
    operator.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
    assert complaints(operator) == []


def test_an_event_that_comes_late_takes_nobody_out_of_a_filter(operator):
    visit(operator, "#/events")
    hold(operator, "/status", answered=True)
    find(operator, ".events tbody a").click()
    held(operator)
    find(operator, "[name=has]").send_keys("us")
    let_go(operator)
    operator.switch_to.active_element.send_keys("er")
    assert typed(operator, "has") == ["user"]


def test_the_owner_who_was_looked_for_last_is_shown(operator, tilth, person):
    other = Person(tilth, name="Omar")
    visit(operator, "#/events")
    hold(operator, f"email={person.email.replace('@', '%40')}", answered=True)
    type_in(operator, "owner", person.email + Keys.ENTER)
    held(operator)
    type_in(operator, "owner", other.email + Keys.ENTER)
    wait(operator, lambda: f"owner={other.id}" in fragment(operator))
    let_go(operator)
    assert f"owner={other.id}" in fragment(operator)


def test_no_event_is_left_out_when_reading_on_failed(operator, tilth, person):
    farm = person.signed_in().ask("POST", "/api/farms", {"name": "Long", "totalArea": 3}).data
    requests = [{"method": "POST", "path": "/v1/tasks", "body": {"farmId": farm["id"], "title": f"T{number}", "category": "other"}} for number in range(160)]
    assert person.ask("POST", "/api/batch", {"requests": requests}).status == 200
    visit(operator, f"#/events?owner={person.id}")
    connect(operator, offline=True)
    button(operator, "Show earlier ones").click()
    sees(operator, "The service cannot be reached.", "[role=alert]")
    connect(operator)
    earlier = "//button[normalize-space()='Show earlier ones' or normalize-space()='Look further back']"
    while "from the beginning of the log on" not in (shown := find(operator, ".pager").text):
        wait(operator, lambda: operator.find_elements(By.XPATH, earlier))[0].click()
        wait(operator, lambda: find(operator, ".pager").text != shown)
        settled(operator)
    assert len(rows(operator)) == 161


def test_a_change_of_an_owner_answered_late_leaves_what_was_opened_since(operator, tilth, person):
    visit(operator, f"#/owners/{person.id}")
    button(operator, "Name and plan").click()
    hold(operator, f"/users/{person.id}", answered=True)
    button(operator, "Save").click()
    held(operator)
    button(operator, "Cancel").click()
    button(operator, "Set a password").click()
    type_in(operator, "password", "a new pass")
    let_go(operator)
    assert typed(operator, "password") == ["a new pass"]
    visit(operator, "#/owners?new=1")
    type_in(operator, "email", f"late.{person.email}")
    hold(operator, "/users", answered=True)
    button(operator, "Create the owner").click()
    held(operator)
    button(operator, "Cancel").click()
    visit(operator, "#/events")
    let_go(operator)
    assert fragment(operator) == "#/events"


def test_a_key_revoked_late_leaves_the_question_about_another_one(operator, tilth, person):
    one, _ = [tilth.operate("POST", f"/operator/v1/users/{person.id}/api-keys", {"name": name, "scopes": ["all"], "environment": "live"}, 201).data for name in ("one", "two")]
    visit(operator, f"#/owners/{person.id}?tab=keys")
    button(operator, "Revoke one").click()
    hold(operator, one["id"], answered=True)
    button(operator, "Revoke it").click()
    held(operator)
    button(operator, "Keep it").click()
    button(operator, "Revoke two").click()
    let_go(operator)
    sees(operator, "Revoke this key? two", "dialog")


def test_a_refusal_of_the_token_before_does_not_end_the_present_one(desk, tilth):
    made = tilth.operate("POST", "/operator/v1/operators", {"name": "salma", "role": "operate"}, 201).data
    open_desk(desk, tilth, "#/projections")
    type_in(desk, "token", made["token"] + Keys.ENTER)
    compare = button(desk, "Compare market")
    tilth.operate("DELETE", "/operator/v1/operators/salma", None, 204)
    hold(desk, "/verify", answered=True)
    compare.click()
    held(desk)
    heading(desk, "Operators")
    type_in(desk, "token", token_of(tilth) + Keys.ENTER)
    heading(desk, "Projections")
    let_go(desk)
    assert not desk.find_elements(By.CSS_SELECTOR, ".door")


def drop(browser, name, text):
    """Drops a file where one is asked for."""
    browser.execute_script("""const files = new DataTransfer();
      files.items.add(new File([arguments[1]], arguments[0]));
      document.querySelector('.drop').dispatchEvent(new DragEvent('drop', {dataTransfer: files, bubbles: true, cancelable: true}))""", name, text)


RATES = "Date,USD\n2026-01-0{day},1.1\n"


def test_a_file_that_is_read_late_leaves_the_one_chosen_since(operator):
    visit(operator, "#/reference?of=rates")
    hold_file(operator, "slow.csv")
    drop(operator, "slow.csv", RATES.format(day=5))
    held(operator)
    drop(operator, "quick.csv", RATES.format(day=6))
    sees(operator, "quick.csv", "main")
    let_go(operator)
    sees(operator, "quick.csv", "main")


def test_an_import_answered_late_leaves_the_file_chosen_since(operator):
    visit(operator, "#/reference?of=rates")
    drop(operator, "one.csv", RATES.format(day=7))
    sees(operator, "one.csv", "main")
    hold(operator, "/exchange-rates", answered=True)
    button(operator, "Import").click()
    held(operator)
    button(operator, "Another file").click()
    drop(operator, "two.csv", RATES.format(day=8))
    sees(operator, "two.csv", "main")
    let_go(operator)
    sees(operator, "1 rates of 1 days", "#status")
    sees(operator, "two.csv", "main")


def leave_while_a_key_is_made(operator, person):
    """The answer waits for let_go."""
    visit(operator, f"#/owners/{person.id}?tab=keys&new=key")
    type_in(operator, "name", "Sensor")
    hold(operator, f"/users/{person.id}/api-keys", answered=True)
    button(operator, "Create the key").click()
    held(operator)
    button(operator, "Cancel").click()


def test_a_key_made_late_is_shown_once_the_operator_is_back(operator, tilth, person):
    leave_while_a_key_is_made(operator, person)
    visit(operator, "#/events")
    let_go(operator)
    visit(operator, f"#/owners/{person.id}?tab=keys")
    sees(operator, "Sensor", "dialog")
    assert "_live_" in find(operator, "dialog input.key").get_attribute("value")
    keep_key(operator)


def test_a_key_made_late_is_not_shown_to_the_next_operator(operator, tilth, person):
    leave_while_a_key_is_made(operator, person)
    button(operator, "Sign out").click()
    heading(operator, "Operators")
    let_go(operator)
    type_in(operator, "token", token_of(tilth) + Keys.ENTER)
    sees(operator, person.email, "main")
    settled(operator)
    assert not operator.find_elements(By.CSS_SELECTOR, "dialog")
