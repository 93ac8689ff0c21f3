"""The pages of all farms: tasks that are still open, and each page as it was."""
import json

from farm_test import due_in, instant
from looks_test import sound
from pages import By, Keys, Land, button, choose, complaints, find, fragment, gone, heading, open_as, sees, settled, texts, type_in, visit, wait


def titles(browser):
    return texts(browser, "[aria-label='Tasks'] tbody th")


def test_tasks_are_the_open_ones_unless_others_are_asked_for(browser, person):
    land = Land(person)
    for title, members in (("Late", {"dueDate": instant(days=-3)}), ("Begun", {"dueDate": instant(days=1), "status": "in_progress"}),
                           ("Soon", {"dueDate": instant(days=2)}), ("Some day", {}), ("Done", {"status": "completed"}), ("Given up", {"status": "cancelled"})):
        land.task(title, **members)
    open_as(browser, person, "/#/tasks")
    wait(browser, lambda: titles(browser) == ["Late", "Begun", "Soon", "Some day"])
    sees(browser, "4 records", ".pager")
    choose(browser, "status", "all")
    wait(browser, lambda: sorted(titles(browser)) == ["Begun", "Done", "Given up", "Late", "Some day", "Soon"])
    browser.refresh()
    wait(browser, lambda: len(titles(browser)) == 6)
    choose(browser, "status", "completed")
    wait(browser, lambda: titles(browser) == ["Done"])
    choose(browser, "status", "open")
    wait(browser, lambda: len(titles(browser)) == 4 and "status" not in fragment(browser))
    visit(browser, "#/tasks?status=overdue&priority=low")
    button(browser, "Clear the filters").click()
    wait(browser, lambda: len(titles(browser)) == 4)
    assert complaints(browser) == []


def test_what_was_open_on_a_farm_is_shown_as_it_was(browser, person):
    land = Land(person)
    task = land.task("Prune the palms")
    assert person.ask("POST", f"/api/tasks/{task['id']}/complete", {"notes": "All of them"}).status == 200
    open_as(browser, person, f"/#{land.path}?tab=tasks")
    sees(browser, "No open task")
    visit(browser, f"#{land.path}?tab=tasks&as-of={task['createdAt']}")
    wait(browser, lambda: titles(browser) == ["Prune the palms"])
    find(browser, "[aria-label='Tasks'] tbody a").click()
    sees(browser, "Pending", "dialog")
    assert f"as-of={task['createdAt']}" in fragment(browser).replace("%3A", ":")
    assert not browser.find_elements(By.CSS_SELECTOR, "dialog .body .button")


def test_each_page_of_all_farms_is_shown_as_it_was(browser, person, axe):
    land = Land(person)
    task = land.task("Clean the drip filters", dueDate=instant(days=1))
    template = land.make("/task-templates", {"name": "Walk the rows", "category": "inspection"})
    land.make("/recurring-tasks", {"templateId": template["id"], "farmId": land.farm["id"], "pattern": "weekly", "startDate": "2030-05-06T03:00:00Z"})
    person.ask("POST", f"/api/tasks/{task['id']}/complete", {})
    for path in (f"/crops/{land.crop['id']}", f"/task-templates/{template['id']}", land.path):
        assert person.ask("DELETE", "/api" + path).status == 204
    then = template["createdAt"]
    for page, said in (("today", "Clean the drip filters"), ("tasks", "Clean the drip filters"), ("farms", "Oasis"), ("crops", "Date palm"), ("planning", "Walk the rows")):
        open_as(browser, person, f"/#/{page}")
        assert said not in find(browser, "main").text, page
        visit(browser, f"#/{page}?as-of={then}")
        sees(browser, said, "main")
        sees(browser, "As it was", ".as-of")
        assert not [each for each in browser.find_elements(By.CSS_SELECTOR, "main .card .button") if each.is_displayed()], page
        sound(browser, axe, f"{page} as it was")
    visit(browser, "#/farms?as-of=2001-01-01T00:00:00Z")
    sees(browser, "Choose a later time.")
    button(browser, "Back to now").click()
    gone(browser, ".as-of")
    assert complaints(browser) == []


def test_a_time_in_the_future_is_told_as_one(browser, person):
    land = Land(person)
    future = "as-of=2999-01-01T00:00:00Z"
    for page in (land.path, f"{land.path}/fields/{land.field['id']}", "/today", "/tasks", "/farms", "/crops", "/planning?list=recurring"):
        open_as(browser, person, f"/#{page}{'&' if '?' in page else '?'}{future}")
        sees(browser, "That time lies in the future", "main")
        said = find(browser, "main").text
        assert not [each for each in ("Choose a later time", "not valid", "Try again", "As it was", ": now") if each in said], page
        button(browser, "Back to now", "main").click()
        wait(browser, lambda: "That time" not in find(browser, "main").text and "as-of" not in fragment(browser))
    assert complaints(browser) == []


def test_each_change_has_a_place_on_the_slider_however_close_they_are(browser, person):
    land = Land(person)  # made within a second, long before what follows
    task = land.task("Prune the palms", dueDate=instant(hours=2))
    person.ask("POST", f"/api/tasks/{task['id']}/complete", {})
    open_as(browser, person, "/#/today")
    heading(browser, "Nothing is due this week")
    button(browser, "As it was").click()
    slider = find(browser, "#as-of")
    slider.send_keys(Keys.HOME)
    wait(browser, lambda: "as-of=" in fragment(browser))
    wait(browser, lambda: 4 <= int(find(browser, "#as-of").get_attribute("max")) < 100)  # the changes are known
    assert "Prune the palms" not in find(browser, "main").text
    for _ in range(int(find(browser, "#as-of").get_attribute("max")) - 1):
        find(browser, "#as-of").send_keys(Keys.ARROW_RIGHT)
    wait(browser, lambda: due_in(browser, "Prune the palms"))
    find(browser, "#as-of").send_keys(Keys.ARROW_RIGHT)  # the last place is the present
    gone(browser, ".as-of.past")


def test_the_slider_of_all_farms_goes_from_change_to_change(browser, person):
    land = Land(person)
    task = land.task("Prune the palms", dueDate=instant(hours=2))
    person.ask("POST", f"/api/tasks/{task['id']}/complete", {})
    open_as(browser, person, "/#/today")
    heading(browser, "Nothing is due this week")
    button(browser, "As it was").click()
    button(browser, "Earlier change").click()
    wait(browser, lambda: "as-of=" in fragment(browser))
    assert due_in(browser, "Prune the palms")
    sees(browser, "Task created", ".as-of .change")
    browser.refresh()
    assert due_in(browser, "Prune the palms")
    browser.back()
    heading(browser, "Nothing is due this week")
    gone(browser, ".as-of.past")
    assert complaints(browser) == []


def test_an_address_with_a_time_that_is_none_shows_the_present(browser, person):
    land = Land(person)
    land.task("Prune the palms", dueDate=instant(hours=2))
    field = f"{land.path}/fields/{land.field['id']}"
    land.make(f"{field}/irrigations", {"startedAt": "2026-03-01T23:30:00Z", "durationMinutes": 60, "waterVolume": 42})
    open_as(browser, person, "/#/today")
    for page, said in (("/today?as-of=foo", "Prune the palms"), ("/tasks?as-of=2026-11-28T", "Prune the palms"), ("/tasks?as-of=0001-01-01T00:00:00Z", "Prune the palms"), ("/history?since=foo", "Task created"),
                       ("/history?days=1e300", "Task created"), (f"{land.path}?tab=money&from=foo&to=2026-02-31", "Month by month"), (f"{field}?tab=irrigations&from=foo", "42"), (f"{field}?tab=irrigations&from=0002-01-02", "42")):
        open_as(browser, person, f"/#{page}")
        sees(browser, said, "main")
        assert not browser.find_elements(By.CSS_SELECTOR, ".as-of.past"), page
        assert complaints(browser) == [], page


def set_due(browser, value):
    browser.execute_script("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input', {bubbles: true}))", find(browser, "[name=dueDate]"), value)


def test_a_year_has_four_digits(browser, person):
    land = Land(person)
    open_as(browser, person, f"/#{land.path}?tab=tasks&new=1")
    type_in(browser, "title", "Prune the palms")
    find(browser, "[name=dueDate]").send_keys("123120261030AM")
    wait(browser, lambda: find(browser, "[name=dueDate]").get_attribute("value") == "2026-12-31T10:30")
    set_due(browser, "0026-12-31T10:30")
    button(browser, "Create").click()
    sees(browser, "Finish the date, or empty it.", "dialog")
    set_due(browser, "2030-12-31T10:30")
    button(browser, "Create").click()
    gone(browser, "dialog")
    assert complaints(browser) == []


def test_the_last_minute_of_the_calendar_is_taken_or_refused_at_its_member(browser, person):
    land = Land(person)  # east of UTC, where it comes earlier
    for zone, taken in (("Asia/Riyadh", True), ("America/Lima", False)):
        land.change(land.path, {"timezone": zone})
        open_as(browser, person, f"/#{land.path}?tab=tasks&new=1")
        type_in(browser, "title", zone)
        set_due(browser, "9999-12-31T23:59")
        button(browser, "Create").click()
        if taken:
            gone(browser, "dialog")
        else:
            find(browser, "dialog .field:has([name=dueDate]) .fault")
    assert [task["dueDate"] for task in land.read("/tasks")] == ["9999-12-31T20:59:00.000Z"]
    assert complaints(browser) == []


def test_a_map_coloured_by_crop_shows_the_crops_of_its_time(browser, person):
    land = Land(person)
    inked = """let green = 0;
      for (const canvas of document.querySelectorAll('.map canvas')) {
        const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 40 && data[at + 1] - data[at] > 40) ++green;
      }
      return green"""
    before_blocks = land.crop["createdAt"]
    open_as(browser, person, f"/#{land.path}?by=crop&as-of={before_blocks}")
    find(browser, ".leaflet-tooltip.name")
    wait(browser, lambda: browser.execute_script(inked) > 500)
    visit(browser, f"#{land.path}?by=crop&as-of={land.meadow['createdAt']}")
    wait(browser, lambda: browser.execute_script(inked) < 500)
    visit(browser, f"#{land.path}?by=crop&as-of={before_blocks}")
    wait(browser, lambda: browser.execute_script(inked) > 500)


def test_the_map_asks_for_no_plants_of_blocks_that_were_not_there(browser, person):
    land = Land(person)
    open_as(browser, person, f"/#{land.path}?on={land.block['id']}")
    sees(browser, "2 plants", ".legend")
    find(browser, "#as-of").send_keys(Keys.HOME)
    sees(browser, "No single plant is recorded here.", ".legend")
    wait(browser, lambda: "Rows 1-2" not in find(browser, "main").text)
    settled(browser)
    assert find(browser, "#status").text == "" and "such" not in find(browser, "main").text


def test_the_map_of_an_earlier_time_asks_once_for_the_blocks_of_all_fields(browser, person):
    land = Land(person)
    made = person.ask("POST", "/api/batch", {"requests": [each for at in range(30) for each in (
        {"id": f"f{at}", "method": "POST", "path": f"/v1{land.path}/fields", "body": {"name": f"Field {at:02}", "area": 1}},
        {"id": f"c{at}", "method": "POST", "path": "/v1/crops", "body": {"farmId": land.farm["id"], "fieldId": f"{{$f{at}}}", "cropType": "Wheat"}},
        *({"method": "POST", "path": f"/v1{land.path}/fields/{{$f{at}}}/blocks", "body": {"cropId": f"{{$c{at}}}", "name": f"Block {at:02}{letter}"}} for letter in "ab"))]})
    assert made.status == 200 and made.json["meta"]["failed"] == 0, made
    gone_crop = land.make("/crops", {"farmId": land.farm["id"], "fieldId": land.meadow["id"], "cropType": "Oats"})
    gone_block = land.make(f"{land.path}/fields/{land.meadow['id']}/blocks", {"cropId": gone_crop["id"], "name": "Strip"})
    land.change(f"{land.blocks}/{land.block['id']}", {"name": "Rows 1-9", "status": "mature"})
    assert person.ask("DELETE", f"/api/crops/{gone_crop['id']}").status == 204
    elsewhere = Land(person, name="Elsewhere")
    then = elsewhere.block["createdAt"]
    land.change(f"{land.blocks}/{land.block['id']}", {"name": "Rows 1-99"})
    for field in land.read(f"{land.path}/fields?limit=100"):
        if field["name"] == "Field 07":
            assert person.ask("DELETE", f"/api{land.path}/fields/{field['id']}").status == 204
    names = "return [...document.querySelectorAll('.picks li bdi')].map(each => each.textContent)"
    for time, rows, removed in ((then, "Rows 1-9", False), (gone_block["createdAt"], "Rows 1-2", False), (None, "Rows 1-99", True)):
        open_as(browser, person, f"/#{land.path}" + (f"?as-of={time}" if time else ""))
        sees(browser, "Field 29", ".picks")
        asked = browser.execute_script("return performance.getEntriesByType('resource').filter(({name}) => /batch|blocks|events/.test(name) && !name.includes('/plants')).length")
        assert asked <= 2, asked
        fields = [each for at in range(30) if not (removed and at == 7) for each in (f"Field {at:02}", f"Block {at:02}b", f"Block {at:02}a")]
        assert browser.execute_script(names) == [*fields, "Grove", rows, "Meadow", *(["Strip"] if rows == "Rows 1-2" else [])], time
    assert complaints(browser) == []


def test_the_slider_knows_what_was_changed_since_it_was_touched(browser, person):
    land = Land(person)
    land.task("Walk the rows")
    field = f"{land.path}/fields/{land.field['id']}"
    open_as(browser, person, f"/#{field}")
    find(browser, "#as-of").send_keys(Keys.HOME)
    wait(browser, lambda: "as-of=" in fragment(browser))
    button(browser, "Back to now").click()
    gone(browser, ".as-of.past")
    settled(browser)
    button(browser, "Edit", "div[@class='page-head']").click()
    type_in(browser, "name", "Palm grove", "dialog")
    button(browser, "Save").click()
    gone(browser, "dialog")
    heading(browser, "Palm grove")
    button(browser, "Earlier change").click()
    wait(browser, lambda: "as-of=" in fragment(browser))
    heading(browser, "Grove")
    sees(browser, "Task created Walk the rows", ".as-of .change")
    button(browser, "Later change").click()
    gone(browser, ".as-of.past")
    heading(browser, "Palm grove")


def test_the_slider_names_the_zone_of_its_time(browser, person):
    land = Land(person)
    then = land.block["createdAt"]
    land.make("/farms", {"name": "Elsewhere", "totalArea": 3, "timezone": "America/Lima", "country": "PE"})
    land.task("Walk the rows")
    own = browser.execute_script("return Intl.DateTimeFormat().resolvedOptions().timeZone")
    for page, zone in ((f"/farms?as-of={then}", own), (f"/tasks?as-of={then}", "Asia/Riyadh"), (f"/tasks?as-of={land.task('Prune')['createdAt']}", own), (f"{land.path}?as-of={then}", "Asia/Riyadh"), (land.path, "Asia/Riyadh")):
        open_as(browser, person, f"/#{page}")
        sees(browser, zone, ".as-of")


def test_the_slider_keeps_what_it_knows_while_pages_only_read(browser, person):
    land = Land(person)
    # Without an end: the slider's. In the past, the page reads a part up to its time.
    histories = "return performance.getEntriesByType('resource').filter(({name}) => name.includes('/api/events') && !name.includes('until=')).length"
    open_as(browser, person, f"/#{land.path}?tab=history")
    button(browser, "Earlier change").click()
    wait(browser, lambda: "as-of=" in fragment(browser))
    settled(browser)
    visit(browser, f"#{land.path}")
    sees(browser, "Rows 1-2", ".picks")  # the blocks are read by a batch
    settled(browser)
    asked = browser.execute_script(histories)
    button(browser, "Earlier change").click()
    wait(browser, lambda: "as-of=" in fragment(browser))
    assert browser.execute_script(histories) == asked


def test_the_history_of_a_farm_knows_records_from_before_its_window(browser, person):
    land = Land(person)
    other = land.make("/farms", {"name": "Elsewhere", "totalArea": 3, "timezone": "America/Lima", "country": "PE"})
    task = land.task("Prune the palms")
    since = land.task("Walk the rows")["createdAt"]
    land.change(f"{land.path}/fields/{land.field['id']}", {"name": "Palm grove"})
    assert person.ask("POST", f"/api/tasks/{task['id']}/complete", {}).status == 200
    open_as(browser, person, f"/#/history?since={since}&farm={land.farm['id']}")
    sees(browser, "Palm grove", ".timeline")
    sees(browser, "Task completed: Prune the palms", ".timeline")
    sees(browser, "Times are in Asia/Riyadh.")
    visit(browser, f"#/history?since={since}&farm={other['id']}")
    heading(browser, "Nothing happened in this time")


def test_a_long_history_is_read_to_its_end(browser, person):
    land = Land(person)
    plants = f"/v1{land.blocks}/{land.block['id']}/plants"
    for first in range(0, 10_100, 1_000):
        reply = person.ask("POST", "/api/batch", {"requests": [{"method": "POST", "path": plants, "body": {"label": f"Q{at}", "position": {"lat": 24.4315, "lng": 39.6115}}}
                                                               for at in range(first, min(first + 1_000, 10_100))]})
        assert reply.status == 200 and reply.json["meta"]["failed"] == 0, reply
    land.change(f"{land.path}/fields/{land.field['id']}", {"name": "Palm grove"})
    open_as(browser, person, f"/#{land.path}?tab=history")
    sees(browser, "Palm grove", ".timeline")


def test_the_arrows_go_from_change_to_change_where_the_history_is_too_long_to_be_read(browser, person):
    land = Land(person)
    task = land.task("Prune the palms")
    land.change(f"/tasks/{task['id']}", {"title": "Prune all palms"})
    first = json.dumps(next(event for event in person.service.events(person.id) if event["type"] == "tilth.farm.registered"))
    open_as(browser, person, f"/#{land.path}")
    # As if a hundred thousand other events had come first: it is the whole history that is asked for without an end.
    browser.execute_script("""const first = JSON.stringify({...JSON.parse(arguments[0]), position: "x"}) + "\\n", ask = window.fetch;
      window.fetch = (...request) => String(request[0]).includes("/api/events") && !String(request[0]).includes("until=")
        ? Promise.resolve(new Response(first.repeat(10_000), {status: 200})) : ask(...request);""", first)
    for arrow, change in (("Earlier change", "Task created Prune the palms"), ("Earlier change", "Plant registered P1"), ("Later change", "Task created Prune the palms")):
        button(browser, arrow).click()
        sees(browser, change, ".as-of .change")
    assert f"as-of={task['createdAt']}" in fragment(browser).replace("%3A", ":")
    button(browser, "Later change").click()
    gone(browser, ".as-of.past")
    assert complaints(browser) == []


def test_the_event_of_the_shown_instant_is_part_of_it_and_not_of_what_changed_since(browser, person):
    land = Land(person)
    field = f"{land.path}/fields/{land.field['id']}"
    shown = land.change(field, {"name": "Renamed"})["updatedAt"]
    open_as(browser, person, f"/#{land.path}?tab=history&as-of={shown}")
    sees(browser, "Renamed", ".timeline")
    button(browser, "What changed since").click()
    heading(browser, "Nothing happened in this time")
