"""What programs do with the API keys: the request log, and requests over time."""
from client import Client
from pages import Keys, choose, find, fragment, heading, open_as, sees, settled, texts, type_in, wait


def asked(person, **members):
    key = person.mint(**members)
    return Client(person.service.address, f"Bearer {key['key']}"), key


def rows(browser, label="Requests"):
    return texts(browser, f"[aria-label='{label}'] tbody tr", "th, td")


def test_requests_are_listed_filtered_and_shown_one_by_one(browser, person):
    person.signed_in()
    robot, key = asked(person, name="Robot", scopes=["farms:read"])
    other, _ = asked(person, name="Spreadsheet")
    open_as(browser, person, "/#/requests")
    sees(browser, "No program has asked for anything yet")
    robot.get("/farms", {"X-Request-Id": "first-one"})
    robot.get("/tasks")
    other.get("/nowhere")
    find(browser, ".page-head button").click()
    wait(browser, lambda: len(rows(browser)) == 3)
    assert [row[1:3] for row in rows(browser)] == [["GET /api/v1/nowhere", "404"], ["GET /api/v1/tasks", "403"], ["GET /api/v1/farms", "200"]]
    assert [row[4] for row in rows(browser)] == ["Spreadsheet", "Robot", "Robot"]
    choose(browser, "status", "4xx")
    wait(browser, lambda: len(rows(browser)) == 2)
    choose(browser, "key", key["id"])
    wait(browser, lambda: [row[1] for row in rows(browser)] == ["GET /api/v1/tasks"])
    type_in(browser, "path", "/api/v1/farms" + Keys.ENTER)
    sees(browser, "No such request")
    type_in(browser, "request", "first-one" + Keys.ENTER)
    sees(browser, "GET /api/v1/farms", "dialog")
    sees(browser, "Robot", "dialog")
    browser.get(browser.current_url.replace("first-one", "another"))
    sees(browser, "No request with this id is known.", "dialog")


def test_requests_over_time_are_shown_by_key_against_the_limit(browser, tilth, person):
    person.signed_in()
    robot, _ = asked(person, name="Robot")
    other, _ = asked(person, name="Spreadsheet", rateLimit=2)
    open_as(browser, person, "/#/usage")
    sees(browser, "No program has asked for anything in this time.")
    for _ in range(3):
        robot.get("/farms")
    for _ in range(5):
        other.get("/farms")
    for span, places in (("7d", range(168, 171)), ("24h", range(24, 27)), ("30d", range(30, 33))):
        choose(browser, "span", span)
        wait(browser, lambda: f"span={span}" in browser.current_url)
        settled(browser)
        table = find(browser, "#over-time details")
        browser.execute_script("arguments[0].open = true", table)
        wait(browser, lambda: len(rows(browser, "Requests over time")) in places)
        head = [each.text for each in table.find_elements("css selector", "thead th")]
        assert head[1:4] == ["Spreadsheet", "Robot", "Refused with 429"], head
        assert rows(browser, "Requests over time")[-1][1:4] == ["5", "3", "3"]
    sees(browser, "3 requests were refused since a limit was used up.")
    heading(browser, "Requests over time")


def test_back_empties_the_field_of_the_filter_that_it_takes_away(browser, person):
    open_as(browser, person, "/#/requests")
    type_in(browser, "path", "/api/v1/farms" + Keys.ENTER)
    wait(browser, lambda: "path=" in fragment(browser))
    browser.back()
    wait(browser, lambda: "path=" not in fragment(browser) and find(browser, "[name=path]").get_attribute("value") == "")
