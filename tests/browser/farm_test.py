"""A farmer's pages: what is due, the map, the tables and their forms, and the farm as it was."""
import contextlib
import datetime
import zoneinfo

import pytest
from selenium.webdriver.common.action_chains import ActionChains

from conftest import look
from pages import By, Keys, Land, button, choose, complaints, find, fragment, gone, heading, open_as, open_page, sees, settled, texts, type_in, violations, visit, wait


def instant(**away):
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(**away)).strftime("%Y-%m-%dT%H:%M:%S.000Z")


@contextlib.contextmanager
def without_zone(browser, zone):
    """Has the browser know no such zone, as one whose tz database is older than the service's."""
    script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": f"""const known = Intl.DateTimeFormat;
      Intl.DateTimeFormat = function (locales, options) {{
        if (options?.timeZone === "{zone}") throw new RangeError("Invalid time zone specified: {zone}");
        return new known(locales, options);
      }};"""})
    try:
        yield
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


def due_in(browser, title):
    """The heading of the part of Today that lists the task."""
    return wait(browser, lambda: next((card.find_element(By.TAG_NAME, "h2").text for card in browser.find_elements(By.CSS_SELECTOR, "main .card")
                                       if title in card.text), None))


def test_the_first_farm_is_made_with_one_button(browser, person):
    open_as(browser, person, "/")
    button(browser, "Add your first farm").click()
    heading(browser, "New farm")
    button(browser, "Create").click()
    wait(browser, lambda: len(browser.find_elements(By.CSS_SELECTOR, "dialog .fault")) == 2)
    type_in(browser, "name", "Oasis", "dialog")
    type_in(browser, "totalArea", "18.4", "dialog")
    button(browser, "Create").click()
    gone(browser, "dialog")
    farm, = person.ask("GET", "/api/farms").data
    assert (farm["name"], farm["totalArea"]) == ("Oasis", "18.4")
    button(browser, "Oasis").click()
    heading(browser, "Oasis")
    button(browser, "Add the first field")
    assert complaints(browser) == []


def test_what_needs_a_farm_leads_to_the_first_one(browser, person):
    for page in ("tasks", "crops"):
        open_as(browser, person, f"/#/{page}")
        button(browser, "Add your first farm", "main").click()
        heading(browser, "New farm")


def test_today_has_what_is_overdue_due_today_and_due_this_week(browser, person):
    land = Land(person)
    late = land.task("Clean the filters", dueDate=instant(days=-2))
    land.task("Cut the alfalfa", dueDate=instant(days=3), priority="urgent")
    land.task("Order seedlings", dueDate=instant(days=30))
    land.task("Under way", status="in_progress")
    open_as(browser, person)
    assert due_in(browser, "Clean the filters") == "Overdue"
    assert due_in(browser, "Cut the alfalfa") == "In the next seven days"
    assert due_in(browser, "Under way") == "Under way, due later or without a date"
    assert "Order seedlings" not in find(browser, "main").text
    button(browser, "Complete Clean the filters").click()
    type_in(browser, "notes", "All eight.", "dialog")
    type_in(browser, "photoUrl", "nothing", "dialog")
    button(browser, "Mark as done").click()
    find(browser, "dialog .fault")
    type_in(browser, "photoUrl", "https://photos.example/1.jpg", "dialog")
    button(browser, "Mark as done").click()
    gone(browser, "dialog")
    wait(browser, lambda: "Overdue" not in find(browser, "main").text)
    done = land.read(f"/tasks/{late['id']}")
    assert (done["status"], done["completionNotes"], done["photoUrl"]) == ("completed", "All eight.", "https://photos.example/1.jpg")


def test_a_task_is_started_and_rescheduled(browser, person):
    land = Land(person)
    task = land.task("Cut the alfalfa", dueDate="2030-05-01T03:30:00.000Z")
    soon = land.task("Prune", dueDate=instant(days=2))
    open_as(browser, person, f"/#/tasks?task={task['id']}")
    sees(browser, "6:30", "dialog dl")  # in the farm's zone, which is not the browser's
    button(browser, "Reschedule").click()
    box = find(browser, "[name=dueDate]")
    assert box.get_attribute("value") == "2030-05-01T06:30"
    browser.execute_script("arguments[0].value = '2030-06-02T07:00'; arguments[0].dispatchEvent(new Event('input', {bubbles: true}))", box)
    button(browser, "Save the date").click()
    wait(browser, lambda: land.read(f"/tasks/{task['id']}")["dueDate"] == "2030-06-02T04:00:00.000Z")
    open_page(browser, person.service, "/#/today")
    button(browser, "Start Prune").click()
    wait(browser, lambda: land.read(f"/tasks/{soon['id']}")["status"] == "in_progress")


def test_the_map_shows_fields_plants_and_draws_a_boundary(browser, person):
    land = Land(person)
    open_as(browser, person, f"/#{land.path}")
    find(browser, ".leaflet-tooltip.name")
    sees(browser, "2 plants", ".legend")
    ActionChains(browser).move_to_element(find(browser, ".map")).click().perform()
    sees(browser, "P0 · Alive", ".leaflet-popup")
    assert find(browser, ".leaflet-popup a").get_attribute("href").endswith(f"#{land.blocks}/{land.block['id']}")
    find(browser, ".picks button").click()
    heading(browser, "Grove")
    sees(browser, "Drawn", ".facts")
    assert f"on={land.field['id']}" in fragment(browser)
    browser.refresh()
    heading(browser, "Grove")
    next(each for each in browser.find_elements(By.CSS_SELECTOR, ".picks button") if "Meadow" in each.text).click()
    heading(browser, "Meadow")
    button(browser, "Draw the boundary").click()
    sees(browser, "0 corners")
    box = find(browser, ".map")
    for corners, (x, y) in enumerate(((-60, -60), (60, -60), (60, 60)), 1):
        ActionChains(browser).move_to_element_with_offset(box, x, y).click().perform()
        sees(browser, f"{corners} corner")
    button(browser, "Save the boundary").click()
    wait(browser, lambda: land.read(f"{land.path}/fields/{land.meadow['id']}")["boundaries"])
    ring, = land.read(f"{land.path}/fields/{land.meadow['id']}")["boundaries"]["coordinates"]
    assert len(ring) == 4 and ring[0] == ring[-1]
    assert complaints(browser) == []


def test_a_boundary_is_drawn_with_the_keyboard_alone(browser, person):
    land = Land(person)
    open_as(browser, person, f"/#{land.path}?on={land.meadow['id']}")
    find(browser, ".leaflet-tooltip.name")
    button(browser, "Draw the boundary").send_keys(Keys.ENTER)
    sees(browser, "0 corners")
    box = find(browser, ".map")
    corners = 0
    for arrow in (Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.ARROW_LEFT):
        before = browser.execute_script("return document.querySelector('.leaflet-map-pane').style.transform")
        box.send_keys(arrow)
        wait(browser, lambda: browser.execute_script("const pane = document.querySelector('.leaflet-map-pane'); return pane.classList.contains('leaflet-pan-anim') ? arguments[0] : pane.style.transform", before) != before)
        box.send_keys(Keys.ENTER)
        corners += 1
        sees(browser, f"{corners} corner")
    box.send_keys(Keys.ENTER)
    sees(browser, "4 corners")
    box.send_keys(Keys.BACKSPACE)
    sees(browser, "3 corners")
    button(browser, "Save the boundary").send_keys(Keys.ENTER)
    wait(browser, lambda: land.read(f"{land.path}/fields/{land.meadow['id']}")["boundaries"])


# How the colours of the plants differ from the land below them, as contrast.
CONTRASTS = """
const light = color => { const [r, g, b] = color.match(/[\\d.]+/g).map(each => each / 255).map(each => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const land = light(getComputedStyle(document.querySelector(".map")).backgroundColor);
return [...document.querySelectorAll(".legend .swatch")].filter(each => each.style.borderRadius).map(each => { const own = light(getComputedStyle(each).backgroundColor); return (Math.max(own, land) + 0.05) / (Math.min(own, land) + 0.05); });
"""


def test_a_phone_shows_the_map_while_a_boundary_is_drawn(browser, person):
    land = Land(person)
    look(browser, 390, 844)
    open_as(browser, person, f"/#{land.path}?on={land.field['id']}")
    find(browser, ".leaflet-tooltip.name")
    button(browser, "Edit the boundary").click()
    find(browser, ".handle")
    top, bottom, save = browser.execute_script("const map = document.querySelector('.map').getBoundingClientRect(); return [map.top, map.bottom, [...document.querySelectorAll('.button.primary')].at(-1).getBoundingClientRect().bottom]")
    assert top >= 0 and bottom <= 844 and save - bottom < 500, (top, bottom, save)
    assert browser.execute_script("return document.activeElement.matches('.map')")
    button(browser, "Save the boundary").click()
    sees(browser, "The boundary is saved", "#status")
    assert complaints(browser) == []


def test_a_dialog_returns_to_a_button_that_got_no_focus(browser, person):
    land = Land(person)
    for at in range(9):
        land.task(f"Row {at}", dueDate=instant(days=1, minutes=at))
    look(browser, 390, 844)
    open_as(browser, person)
    browser.execute_script("addEventListener('mousedown', event => event.preventDefault())")  # as Safari has it: buttons get none
    clicked = find(browser, "[aria-label='Complete Row 7']")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", clicked)
    before = browser.execute_script("return scrollY")
    clicked.click()
    button(browser, "Cancel").click()
    gone(browser, "dialog")
    wait(browser, lambda: browser.switch_to.active_element == clicked)
    assert before > 400 and browser.execute_script("return scrollY") == before


def test_the_map_asks_for_the_blocks_of_many_fields_at_once(browser, person):
    land = Land(person)
    made = person.ask("POST", "/api/batch", {"requests": [each for at in range(30) for each in (
        {"id": f"f{at}", "method": "POST", "path": f"/v1{land.path}/fields", "body": {"name": f"Field {at:02}", "area": 1}},
        {"id": f"c{at}", "method": "POST", "path": "/v1/crops", "body": {"farmId": land.farm["id"], "fieldId": f"{{$f{at}}}", "cropType": "Wheat"}},
        {"method": "POST", "path": f"/v1{land.path}/fields/{{$f{at}}}/blocks", "body": {"cropId": f"{{$c{at}}}", "name": f"Block {at:02}"}})]})
    assert made.status == 200 and made.json["meta"]["failed"] == 0, made
    more = person.ask("POST", "/api/batch", {"requests": [{"method": "POST", "path": f"/v1{land.blocks}", "body": {"cropId": land.crop["id"], "name": f"Rows {at:03}"}} for at in range(105)]})
    assert more.status == 200 and more.json["meta"]["failed"] == 0, more
    open_as(browser, person, f"/#{land.path}")
    wait(browser, lambda: len(texts(browser, ".picks li")) == 32 + 30 + 106)
    asked = browser.execute_script("return performance.getEntriesByType('resource').filter(({name}) => /batch|blocks/.test(name) && !name.includes('/plants')).length")
    assert asked <= 4, asked


def test_a_farm_without_plants_says_so_when_it_is_near(browser, person):
    land = Land(person)
    for plant in land.read(f"{land.blocks}/{land.block['id']}/plants"):
        assert person.ask("DELETE", f"/api{land.blocks}/{land.block['id']}/plants/{plant['id']}").status in (200, 204)
    open_as(browser, person, f"/#{land.path}")
    sees(browser, "No single plant is recorded here.", ".legend")
    # a click while the map still zooms may be passed over
    wait(browser, lambda: "Zoom in to see single plants." in find(browser, ".legend").text or find(browser, ".leaflet-control-zoom-out").click())


@pytest.mark.parametrize("dark", [False, True])
def test_plants_stand_out_from_the_land_in_each_theme(browser, person, axe, dark):
    land = Land(person)
    for status in ("sick", "dead", "replaced"):
        land.make(f"{land.blocks}/{land.block['id']}/plants", {"label": status, "status": status, "position": {"lat": 24.4316, "lng": 39.6116}})
    look(browser, dark=dark)
    open_as(browser, person, f"/#{land.path}")
    sees(browser, "5 plants", ".legend")
    contrasts = browser.execute_script(CONTRASTS)
    assert len(contrasts) == 4 and min(contrasts) >= 4.5, contrasts
    ActionChains(browser).move_to_element(find(browser, ".map")).click().perform()
    find(browser, ".leaflet-popup a")
    # it fades in, and what is half transparent has too little contrast
    wait(browser, lambda: browser.execute_script("return getComputedStyle(document.querySelector('.leaflet-popup')).opacity") == "1")
    assert violations(browser, axe) == []


def test_plants_that_could_not_be_loaded_come_when_the_map_moves(browser, person):
    land = Land(person)
    script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
      let broken = true;
      window.Worker = class extends Worker { constructor(url, options) { super(broken ? "/assets/nothing.js" : url, options); broken = false; } };"""})
    try:
        open_as(browser, person, f"/#{land.path}")
        sees(browser, "The service cannot be reached.", "#status")
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
    find(browser, ".leaflet-control-zoom-in").click()
    sees(browser, "2 plants", ".legend")


def test_a_hundred_thousand_plants_are_points_on_one_canvas(browser, person):
    open_as(browser, person, "/#/usage")
    found = browser.execute_async_script("""
      const done = arguments[0];
      import("/assets/core/map.js").then(async ({groupOf, loadLeaflet, pointsLayer}) => {
        const L = await loadLeaflet();
        const place = document.createElement("div");
        place.style.cssText = "width:600px;height:400px";
        document.body.append(place);
        const map = L.map(place, {preferCanvas: true}).setView([24.44, 39.62], 17);
        const layer = pointsLayer(L, 16).addTo(map);
        const rows = Array.from({length: 100000}, (_, i) => ({lat: 24.43 + Math.floor(i / 316) * 6e-5, lng: 39.61 + i % 316 * 6e-5}));
        const canvas = place.querySelector("canvas.leaflet-zoom-hide");
        const drawn = () => {
          if (canvas.hidden) return 0;
          const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
          return pixels.filter(pixel => pixel === 0xff457a1f).length;
        };
        for (let at = 0; at < rows.length; at += 5000) layer.add(groupOf(rows.slice(at, at + 5000), "#1f7a45"));
        await new Promise(requestAnimationFrame);
        const near = drawn(), point = map.latLngToContainerPoint([rows[50123].lat, rows[50123].lng]);
        const nearest = layer.nearest(point), found = nearest?.group.xs[nearest.at] === groupOf([rows[50123]], "#000000").xs[0] && nearest.at === 123;
        map.setZoom(15, {animate: false});
        const result = [place.querySelectorAll("*").length, near, found, drawn(), layer.nearest(point)];
        map.remove();
        place.remove();
        done(result);
      }).catch(error => done(String(error)))""")
    elements, near, nearest, far, nothing = found
    assert elements < 100 and near > 10_000 and nearest, found
    assert (far, nothing) == (0, None), "points are shown when they are near"


def test_a_table_keeps_its_filter_sort_and_page_in_the_address(browser, person):
    land = Land(person)
    for number in range(23):
        land.task(f"Task {number:02}", priority="high" if number % 2 else "low", dueDate=instant(days=number + 1))
    open_as(browser, person, "/#/tasks")
    sees(browser, "23 records")
    button(browser, "Next").click()
    sees(browser, "page 2 of 2")
    assert "page=2" in fragment(browser)
    browser.refresh()
    sees(browser, "page 2 of 2")
    choose(browser, "priority", "high")
    sees(browser, "11 records")
    assert "priority=high" in fragment(browser) and "page" not in fragment(browser)
    button(browser, "Task").click()
    wait(browser, lambda: find(browser, "th[aria-sort] button").text.startswith("Task"))
    browser.back()
    browser.back()
    sees(browser, "page 2 of 2")
    choose(browser, "status", "cancelled")
    sees(browser, "Nothing matches")
    button(browser, "Clear the filters").click()
    sees(browser, "23 records")


def test_a_page_that_is_empty_gives_way_to_the_last_one(browser, person):
    land = Land(person)
    for number in range(21):
        land.task(f"Task {number:02}", dueDate=instant(days=number + 1))
    open_as(browser, person, "/#/tasks?page=2")
    button(browser, "Remove Task 20").click()
    button(browser, "Remove").click()
    gone(browser, "dialog")
    wait(browser, lambda: len(texts(browser, "[aria-label='Tasks'] tbody th")) == 20 and fragment(browser) == "#/tasks")
    sees(browser, "20 records", ".pager")
    open_as(browser, person, "/#/tasks?status=completed&page=7")
    sees(browser, "Nothing matches")
    wait(browser, lambda: fragment(browser) == "#/tasks?status=completed")
    assert complaints(browser) == []


def test_the_second_editor_is_told_and_shown_the_difference(browser, person):
    land = Land(person)
    open_as(browser, person, f"/#{land.path}?tab=fields&edit={land.field['id']}")
    type_in(browser, "name", "North grove", "dialog")
    land.change(f"{land.path}/fields/{land.field['id']}", {"name": "South grove", "soilPh": 7})
    button(browser, "Save").click()
    sees(browser, "Somebody changed this record", "dialog")
    text = find(browser, "dialog .diff").text
    assert "Grove" in text and "South grove" in text and "North grove" in text and "7" in text
    assert land.read(f"{land.path}/fields/{land.field['id']}")["name"] == "South grove"
    button(browser, "Save my entries over theirs").click()
    gone(browser, "dialog")
    saved = land.read(f"{land.path}/fields/{land.field['id']}")
    assert (saved["name"], saved["soilPh"]) == ("North grove", "7")


def test_a_part_that_there_is_not_is_the_first_one(browser, person):
    land = Land(person)
    open_as(browser, person, "/#/tasks?task=nope")
    sees(browser, "An id is not a UUID.", "dialog")
    assert "Try again" not in find(browser, "dialog").text
    for path, part, said in ((f"{land.path}?tab=nope", "Map", "On this farm"), (f"{land.path}?tab=constructor", "Map", "On this farm"), (f"{land.path}/fields/{land.field['id']}?tab=nope", "Blocks", "Rows 1-2"),
                             (f"{land.blocks}/{land.block['id']}?tab=nope", "Plants", "P1"), (f"{land.path}?tab=money&list=nope", "Expenses", "No expense here"), ("/crops?list=nope", "Growing", "Date palm")):
        visit(browser, f"#{path}")
        sees(browser, said, "main")
        assert texts(browser, ".tabs [aria-current=page]")[-1] == part, path
    assert complaints(browser) == []


def test_a_removal_says_what_goes_along(browser, person):
    land = Land(person)
    open_as(browser, person, f"/#{land.path}?tab=fields")
    button(browser, "Remove Grove").click()
    wait(browser, lambda: "1 Crops" in find(browser, "dialog").text and "1 Blocks" in find(browser, "dialog").text)
    wait(browser, lambda: browser.switch_to.active_element.text == "Keep it")
    button(browser, "Remove").click()
    gone(browser, "dialog")
    wait(browser, lambda: "Grove" not in find(browser, "main table").text)
    assert [field["name"] for field in land.read(f"{land.path}/fields")] == ["Meadow"]


def test_a_plant_is_recorded_on_its_block(browser, person):
    land = Land(person)
    open_as(browser, person, f"/#{land.blocks}/{land.block['id']}")
    button(browser, "New plant").click()
    type_in(browser, "label", "A-01", "dialog")
    type_in(browser, "position", "24.431, 39.611", "dialog")
    button(browser, "Create").click()
    gone(browser, "dialog")
    sees(browser, "A-01", "tbody")
    plants = land.read(f"{land.blocks}/{land.block['id']}/plants")
    assert next(plant for plant in plants if plant["label"] == "A-01")["position"] == {"lat": 24.431, "lng": 39.611}


def test_a_block_is_made_on_a_crop_that_was_just_planted(browser, person):
    land = Land(person)
    field = f"{land.path}/fields/{land.meadow['id']}"
    open_as(browser, person, f"/#{field}?tab=crops&new=1")
    type_in(browser, "cropType", "Wheat", "dialog")
    button(browser, "Create").click()
    gone(browser, "dialog")
    visit(browser, f"#{field}?new=1")
    choose(browser, "cropId", land.read(f"/crops?fieldId={land.meadow['id']}")[0]["id"], "dialog")


def test_money_is_recorded_and_summed(browser, person):
    land = Land(person)
    land.change(land.path, {"currency": "SAR"})
    open_as(browser, person, f"/#{land.path}?tab=money")
    sees(browser, "SAR 0.00", ".figures")
    button(browser, "New expense").click()
    button(browser, "Create").click()
    find(browser, "dialog .fault")
    type_in(browser, "amount", "1840.50", "dialog")
    choose(browser, "category", "fuel", "dialog")
    button(browser, "Create").click()
    gone(browser, "dialog")
    wait(browser, lambda: "1,840.50" in find(browser, ".figures").text.replace("\u00a0", " "))
    sees(browser, "Fuel", "section.card > .table tbody")
    open_page(browser, person.service, f"/#{land.path}?tab=money&list=sales&new=1")
    for name, text in (("quantity", "10"), ("pricePerUnit", "19")):
        type_in(browser, name, text, "dialog")
    button(browser, "Create").click()
    gone(browser, "dialog")
    wait(browser, lambda: "190.00" in find(browser, ".figures").text)
    assert land.read(f"/crops/{land.crop['id']}/sales")[0]["totalAmount"] == "190"
    button(browser, "Remove 10 kg").click()
    button(browser, "Remove").click()
    gone(browser, "dialog")
    wait(browser, lambda: "190.00" not in find(browser, ".figures").text)
    assert complaints(browser) == []


def test_a_farm_is_shown_as_it_was(browser, person):
    land = Land(person)
    between = land.block["createdAt"]
    land.change(f"{land.path}/fields/{land.field['id']}", {"name": "Renamed"})
    open_as(browser, person, f"/#{land.path}?tab=fields")
    sees(browser, "Renamed", "tbody")
    open_page(browser, person.service, f"/#{land.path}?tab=fields&as-of={between}")
    sees(browser, "Grove", "tbody")
    assert not browser.find_elements(By.XPATH, "//button[starts-with(@aria-label, 'Edit')]")
    button(browser, "What changed since").click()
    sees(browser, "Field amended")
    sees(browser, "Renamed", ".timeline")
    open_page(browser, person.service, f"/#{land.path}?as-of=2001-01-01T00:00:00Z")
    sees(browser, "It was not there at that time")
    button(browser, "Back to now").click()
    heading(browser, "Oasis")


def test_the_history_says_figures_with_their_units_in_the_words_of_the_forms(browser, person):
    land = Land(person)
    land.make(f"{land.path}/fields/{land.field['id']}/irrigations", {"startedAt": "2026-03-01T23:30:00Z", "durationMinutes": 60, "waterVolume": 42})
    land.make(f"/crops/{land.crop['id']}/sales", {"quantity": 4.2, "unit": "ton", "pricePerUnit": 18500, "currency": "SAR", "saleDate": instant(days=-3)[:10]})
    open_as(browser, person, f"/#{land.path}?tab=history")
    sees(browser, "Lasted: 60 minutes, Water: 42", ".timeline")
    sees(browser, "Quantity: 4.2, Unit: ton, Price of one unit: 18,500", ".timeline")


def test_the_slider_moves_the_address_to_an_earlier_time(browser, person):
    land = Land(person)
    open_as(browser, person, f"/#{land.path}?tab=health")
    find(browser, "#as-of").send_keys(Keys.PAGE_DOWN)
    wait(browser, lambda: "as-of=" in fragment(browser))
    sees(browser, "As it was")
    button(browser, "Back to now").click()
    wait(browser, lambda: "as-of=" not in fragment(browser))


def test_hostile_text_stays_text(browser, person):
    hostile = "<img src=x onerror=alert(1)>\u202e\"'`${7*7}"
    land = Land(person)
    land.change(land.path, {"name": hostile, "city": hostile})
    land.change(f"{land.path}/fields/{land.field['id']}", {"name": hostile + "W" * 100, "soilType": hostile})
    land.task(hostile, assignedTo=hostile, fieldName=hostile, photoUrl="https://x.example/?javascript:alert(1)", dueDate=instant(days=1))
    for path in ("/#/today", "/#/tasks", f"/#{land.path}", f"/#{land.path}?tab=fields", f"/#{land.path}?tab=history", f"/#{land.path}/fields/{land.field['id']}"):
        open_as(browser, person, path)
        sees(browser, "<img src=x")
        assert "49" not in find(browser, "h1").text and not browser.find_elements(By.CSS_SELECTOR, "img[src=x]")
        assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth"), path
    assert complaints(browser) == []


def test_a_wide_table_moves_and_the_page_does_not(browser, person):
    land = Land(person)
    land.change(land.path, {"name": "W" * 200})
    land.make("/crops", {"farmId": land.farm["id"], "fieldId": land.meadow["id"], "cropType": "W" * 100, "plantingDate": "2025-03-01",
                         "actualHarvestDate": "2026-03-01", "actualYield": "999999999999999999.99999999", "status": "harvested"})
    look(browser, 900)
    open_as(browser, person, "/#/crops")
    sees(browser, "WWW", "tbody")
    assert browser.execute_script("const { scrollWidth, clientWidth } = document.querySelector('.table'); return scrollWidth > clientWidth")
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")


def test_joiners_of_names_stay_and_what_hides_is_spelled_out(browser, person):
    names = ["باغ می\u200cرود", "क्\u200dष", "അവന്\u200d", "👨\u200d👩\u200d👧", "🏳️\u200d🌈", "👩🏽\u200d🌾", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"]
    hidden = {"pass\u200dword": "passU+200Dword", "north\u200c": "northU+200C", "می\u200c\u200cرود": "میU+200CU+200Cرود", "x\U000e0041y": "xU+E0041y", "🏴\U000e0078\U000e0078": "🏴U+E0078U+E0078", "a\u202eb": "aU+202Eb",
              "می\u200cرود\u200f": "می\u200cرودU+200F"}
    land = Land(person)
    for name in (*names, *hidden):
        land.make(f"{land.path}/fields", {"name": name, "area": 1})
    open_as(browser, person, f"/#{land.path}?tab=fields")
    sees(browser, "U+200D", "tbody")
    assert set(texts(browser, "tbody th")) == {"Grove", "Meadow", *names, *hidden.values()}
    said = browser.execute_script("return [...document.querySelectorAll('tbody .actions')].map(each => each.querySelector('button').getAttribute('aria-label').replace('Edit ', ''))")
    assert set(said) == {"Grove", "Meadow", *names, *hidden.values()}


def test_what_was_done_in_a_dialog_is_said_once_it_has_gone(browser, person):
    land = Land(person)
    task = land.task("Cut the alfalfa", dueDate=instant(days=3))
    open_as(browser, person)
    button(browser, "Complete Cut the alfalfa").click()
    button(browser, "Mark as done").click()
    sees(browser, "Cut the alfalfa is done.", "#status")
    open_page(browser, person.service, f"/#/tasks?status=all&task={task['id']}")
    button(browser, "Remove", "dialog").click()
    heading(browser, "Remove this task? Cut the alfalfa")
    button(browser, "Remove").click()
    sees(browser, "Cut the alfalfa is removed.", "#status")
    open_page(browser, person.service, f"/#{land.path}?tab=fields&new=1")
    type_in(browser, "name", "Orchard", "dialog")
    type_in(browser, "area", "2", "dialog")
    button(browser, "Create").click()
    sees(browser, "Orchard is saved.", "#status")
    assert complaints(browser) == []


def test_a_boundary_keeps_its_holes_and_the_second_editor_is_told(browser, person):
    land = Land(person)
    address = f"{land.path}/fields/{land.field['id']}"
    outer = land.field["boundaries"]["coordinates"][0]
    pond = [[39.6118, 24.4305], [39.6124, 24.4305], [39.6124, 24.431], [39.6118, 24.431], [39.6118, 24.4305]]
    land.change(address, {"boundaries": {"type": "Polygon", "coordinates": [outer, pond]}})
    open_as(browser, person, f"/#{land.path}?on={land.field['id']}")
    button(browser, "Edit the boundary").click()
    sees(browser, "4 corners")
    button(browser, "Undo").click()
    sees(browser, "3 corners")
    land.change(address, {"name": "Old grove"})
    button(browser, "Save the boundary").click()
    sees(browser, "Somebody changed this record")
    assert len(land.read(address)["boundaries"]["coordinates"][0]) == 5
    button(browser, "Save my entries over theirs").click()
    sees(browser, "The boundary is saved.", "#status")
    saved = land.read(address)
    ring, hole = saved["boundaries"]["coordinates"]
    assert (saved["name"], len(ring), hole) == ("Old grove", 4, pond)
    sees(browser, "Old grove", ".picks")
    button(browser, "Edit the boundary").click()
    sees(browser, "3 corners")
    button(browser, "Undo").click()
    assert button(browser, "Save the boundary").get_attribute("aria-disabled") == "true" and not browser.find_elements(By.CSS_SELECTOR, ".spinner")
    assert complaints(browser) == []


def morning():
    """A zone in which it is about eight in the morning."""
    ahead = 8 - datetime.datetime.now(datetime.timezone.utc).hour
    ahead += 24 if ahead < -12 else 0
    return f"Etc/GMT{-ahead:+d}"


def test_more_tasks_than_today_lists_are_counted(browser, person):
    land = Land(person)
    land.change(land.path, {"timezone": morning()})
    for number in range(52):
        land.task(f"Row {number}", dueDate=instant(hours=2))
    land.task("Order seedlings", dueDate=instant(days=3))
    land.task("Mow the verge", dueDate=instant(days=7, hours=10))  # in the evening of the seventh day
    land.task("Wash the truck", dueDate=instant(days=7, hours=20))  # early on the eighth
    open_as(browser, person)
    today, week = ([part for part in browser.find_elements(By.CSS_SELECTOR, "main .card") if title in part.text][0] for title in ("Due today", "In the next seven days"))
    assert find(browser, "main .card .badge.count").text == "52"
    assert "Show all" in today.text and len(today.find_elements(By.CSS_SELECTOR, "li")) == 50
    assert texts(browser, "[aria-label='In the next seven days'] .what a") == ["Order seedlings", "Mow the verge"]
    assert week.find_element(By.CSS_SELECTOR, ".badge.count").text == "2"


def test_all_that_is_under_way_can_be_reached(browser, person):
    land = Land(person)
    land.change(land.path, {"timezone": morning()})
    tasks = [*({"title": f"Row {number}", "dueDate": instant(days=2)} for number in range(55)), {"title": "Build a shed", "dueDate": instant(days=40)},
             *({"title": f"Some day {number}"} for number in range(60))]
    made = person.ask("POST", "/api/batch", {"requests": [{"method": "POST", "path": "/v1/tasks", "body": {"farmId": land.farm["id"], "category": "other", "status": "in_progress", **each}} for each in tasks]})
    assert made.status == 200 and made.json["meta"]["failed"] == 0, made
    open_as(browser, person)
    label = "Under way, due later or without a date"
    sees(browser, label)
    part = next(card for card in browser.find_elements(By.CSS_SELECTOR, "main .card") if label in card.text)
    assert part.find_element(By.CSS_SELECTOR, ".badge.count").text == "61"
    shown = texts(browser, f"[aria-label='{label}'] .what a")
    assert shown[0] == "Build a shed" and len(shown) == 50 and all("Some day" in each for each in shown[1:])
    part.find_element(By.LINK_TEXT, "Show all").click()
    sees(browser, "116 records", ".pager")


@contextlib.contextmanager
def as_if_it_were(browser, time):
    """Pages that are opened have a clock that shows the time; `shift` is by how much it is ahead, and `late` has what is to be done in some hours."""
    ahead = int((time - datetime.datetime.now(datetime.timezone.utc)).total_seconds() * 1_000)
    script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
      window.shift = SHIFT;
      window.late = [];
      const Real = Date, wait = setTimeout;
      window.Date = class extends Real {
        constructor(...given) { super(...(given.length ? given : [Real.now() + shift])); }
        static now() { return Real.now() + shift; }
      };
      window.setTimeout = (act, delay, ...rest) => (delay > 600_000 ? (late.push(act), 0) : wait(act, delay, ...rest));""".replace("SHIFT", str(ahead))})
    try:
        yield
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


def test_the_day_begins_at_midnight_of_the_farms_zone(browser, person):
    land = Land(person)
    zone = zoneinfo.ZoneInfo("Asia/Riyadh")
    morrow = datetime.datetime.now(zone).date() + datetime.timedelta(days=1)
    midnight = datetime.datetime.combine(morrow, datetime.time(), zone)
    land.task("Prune", dueDate=(midnight + datetime.timedelta(hours=10)).astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"))
    with as_if_it_were(browser, midnight - datetime.timedelta(hours=1)):
        open_as(browser, person)
        assert due_in(browser, "Prune") == "In the next seven days"
        sees(browser, "tomorrow", "main")
        assert morrow.strftime("%A") not in find(browser, ".page-head").text
        browser.execute_script("shift += 3_700_000; for (const act of late) act()")
        wait(browser, lambda: due_in(browser, "Prune") == "Due today")
        assert morrow.strftime("%A") in find(browser, ".page-head").text and "tomorrow" not in find(browser, "main").text


def test_tomorrow_is_the_next_day_where_clocks_change_in_between(browser, person):
    land = Land(person)
    land.change(land.path, {"timezone": "Europe/Berlin"})
    land.task("Prune", status="in_progress")
    evening = datetime.datetime(2027, 3, 27, 22, 30, tzinfo=datetime.timezone.utc)  # half past eleven; the next day has 23 hours
    with as_if_it_were(browser, evening):
        open_as(browser, person)
        button(browser, "Reschedule Prune").click()
        for words, day in (("In 3 days", 30), ("Tomorrow", 28)):
            button(browser, words, "dialog").click()
            wait(browser, lambda: find(browser, "dialog [name=dueDate]").get_attribute("value") == f"2027-03-{day}T08:00")


def test_a_zone_that_the_browser_does_not_know_is_shown_as_utc(browser, person):
    land = Land(person)
    land.change(land.path, {"timezone": "Asia/Qostanay"})
    land.task("Prune", dueDate="2024-05-01T12:30:00Z")
    with without_zone(browser, "Asia/Qostanay"):
        open_as(browser, person)
        sees(browser, "Times are in UTC.")
        sees(browser, "12:30", ".tasks")
        visit(browser, f"#{land.path}?tab=history")
        sees(browser, "Prune", ".timeline")
        assert complaints(browser) == []


@pytest.mark.parametrize("due", ["0000-02-29T10:00:00Z", "0026-03-01T10:00:00Z"])
def test_a_task_of_the_first_century_is_shown(browser, person, due):
    land = Land(person)
    task = land.task("Prune", dueDate=due)
    open_as(browser, person)
    sees(browser, "days ago", ".tasks")
    visit(browser, f"#/tasks?task={task['id']}")
    sees(browser, "Prune", "main")
    assert complaints(browser) == []


def test_the_history_shows_a_text_that_looks_like_a_date_and_is_none(browser, person):
    land = Land(person)
    for notes in ("2026-13-45", "2026-99-99T99:99Z"):
        land.change(f"{land.path}/fields/{land.field['id']}", {"notes": notes})
        open_as(browser, person, f"/#{land.path}?tab=history")
        sees(browser, f"Notes: {notes}", ".timeline")
    assert complaints(browser) == []


def test_a_form_proposes_the_day_of_the_farms_zone(browser, person):
    land = Land(person)
    zone = "Pacific/Kiritimati" if datetime.datetime.now(datetime.timezone.utc).hour >= 12 else "Pacific/Pago_Pago"  # not the day of UTC
    land.change(land.path, {"timezone": zone})
    day = datetime.datetime.now(zoneinfo.ZoneInfo(zone)).date().isoformat()
    in_utc = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    for tab, expected in (("money", day), ("money&list=prices", min(day, in_utc))):  # of a price, the service takes none after today in UTC
        open_as(browser, person, f"/#{land.path}?tab={tab}&new=1")
        assert find(browser, "dialog input[type=date]").get_attribute("value") == expected


def test_a_price_below_a_cent_is_shown_as_it_is(browser, person):
    land = Land(person)
    land.make(f"/crops/{land.crop['id']}/sales", {"quantity": "1000", "unit": "kg", "pricePerUnit": "0.004", "saleDate": "2026-03-01", "currency": "USD"})
    open_as(browser, person, f"/#{land.path}?tab=money&list=sales")
    sees(browser, "0.004", "tbody")


def test_amounts_are_shown_to_their_last_digit(browser, person):
    land = Land(person)
    land.change(land.path, {"currency": "SAR"})
    for amount in ("1234567890123456.78", "0.004"):
        land.make(f"{land.path}/expenses", {"amount": amount, "category": "fuel", "transactionDate": instant(days=-3)[:10], "cropId": land.crop["id"]})
    open_as(browser, person, f"/#{land.path}?tab=money")
    shown, exact = "SAR 1,234,567,890,123,456.78", "SAR 1,234,567,890,123,456.784"  # the service rounds totals to the smallest coin
    assert [each.replace("\u00a0", " ") for each in texts(browser, ".figures .figure")] == ["SAR 0.00", shown, "SAR 0.00", f"-{shown}"]
    assert {each.replace("\u00a0", " ") for each in texts(browser, "[aria-label='Expenses'] td.num")} == {"SAR 1,234,567,890,123,456.78", "SAR 0.004"}
    month = browser.execute_script("return document.querySelector(\".chart [aria-label='Month by month'] tbody\").textContent")
    assert shown in month.replace("\u00a0", " ")
    visit(browser, f"#{land.path}?tab=money&list=by-crop")
    sees(browser, "Result of a hectare")
    assert [each.replace("\u00a0", " ") for each in texts(browser, "section.card > .table[aria-label='Crops'] td.num")][1:4] == ["SAR 0.00", exact, f"-{exact}"]
    visit(browser, f"#{land.path}?tab=history")
    sees(browser, "1,234,567,890,123,456.78", ".timeline")


def test_the_menu_closes_when_the_page_that_is_shown_is_chosen(browser, person):
    look(browser, 390, 844)
    Land(person)
    open_as(browser, person)
    button(browser, "Menu").click()
    find(browser, "#side.open a[aria-current=page]").click()
    gone(browser, "#side.open")
