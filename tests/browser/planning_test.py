"""Work that comes again, what is done on the land, and the crop library."""
import pytest

from conftest import look
from pages import By, Keys, Land, button, choose, complaints, find, focused, fragment, gone, heading, open_as, open_page, sees, settled, type_in, visit, wait


def set_input(browser, name, value):
    box = find(browser, f"dialog [name={name}]")
    browser.execute_script("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input', {bubbles: true}))", box, value)


def test_a_template_is_written_applied_and_removed(browser, person):
    land = Land(person)
    open_as(browser, person, "/#/planning")
    button(browser, "New template").click()
    button(browser, "Create").click()
    find(browser, "dialog .fault")
    type_in(browser, "name", "Check the emitters", "dialog")
    choose(browser, "category", "irrigation", "dialog")
    button(browser, "Create").click()
    gone(browser, "dialog")
    sees(browser, "Check the emitters", "tbody")
    template, = land.read("/task-templates")
    assert (template["category"], template["farmId"], template["isActive"]) == ("irrigation", None, True)
    button(browser, "Make a task of Check the emitters").click()
    find(browser, "dialog form")
    set_input(browser, "dueDate", "2030-05-01T06:30")
    button(browser, "Create").click()
    gone(browser, "dialog")
    task, = land.read("/tasks")
    assert (task["title"], task["farmId"], task["dueDate"]) == ("Check the emitters", land.farm["id"], "2030-05-01T03:30:00.000Z")
    button(browser, "Remove Check the emitters").click()
    button(browser, "Remove").click()
    gone(browser, "dialog")
    sees(browser, "No template here")
    assert land.read("/task-templates") == [] and complaints(browser) == []


def test_two_editors_of_a_template(browser, person):
    land = Land(person)
    template = land.make("/task-templates", {"name": "Walk the rows", "category": "inspection"})
    open_as(browser, person, f"/#/planning?edit={template['id']}")
    choose(browser, "isActive", "false", "dialog")
    land.change(f"/task-templates/{template['id']}", {"farmId": land.farm["id"]})
    button(browser, "Save").click()
    sees(browser, "Somebody changed this record", "dialog")
    text = find(browser, "dialog .diff").text
    assert "Oasis" in text and "No" in text
    button(browser, "Save my entries over theirs").click()
    gone(browser, "dialog")
    saved = land.read(f"/task-templates/{template['id']}")
    assert (saved["isActive"], saved["farmId"]) == (False, land.farm["id"])


def test_a_rule_is_made_filtered_and_changed(browser, person):
    land = Land(person)
    template = land.make("/task-templates", {"name": "Walk the rows", "category": "inspection"})
    open_as(browser, person, "/#/planning?list=recurring")
    button(browser, "New rule").click()
    choose(browser, "templateId", template["id"], "dialog")
    for day in (1, 4):
        find(browser, f"dialog [name=daysOfWeek][value='{day}']").click()
    set_input(browser, "startDate", "2030-05-06T06:00")
    button(browser, "Create").click()
    gone(browser, "dialog")
    rule, = land.read("/recurring-tasks")
    assert (rule["pattern"], rule["daysOfWeek"], rule["startDate"]) == ("weekly", [1, 4], "2030-05-06T03:00:00.000Z")
    sees(browser, "Weekly: Mon, Thu", "tbody")
    button(browser, "Edit Walk the rows").click()
    find(browser, "dialog [name=daysOfWeek]")
    choose(browser, "pattern", "monthly", "dialog")
    gone(browser, "dialog [name=daysOfWeek]")
    type_in(browser, "dayOfMonth", "40", "dialog")
    button(browser, "Save").click()
    find(browser, "dialog .fault")
    focused(browser, "dayOfMonth")
    type_in(browser, "dayOfMonth", "31", "dialog")
    button(browser, "Save").click()
    gone(browser, "dialog")
    rule = land.read(f"/recurring-tasks/{rule['id']}")
    assert (rule["pattern"], rule["dayOfMonth"]) == ("monthly", 31)
    choose(browser, "pattern", "daily")
    sees(browser, "Nothing matches")
    assert "pattern=daily" in fragment(browser) and "list=recurring" in fragment(browser)
    button(browser, "Clear the filters").click()
    sees(browser, "Monthly", "tbody")
    assert complaints(browser) == []


def test_an_irrigation_of_a_day_in_the_farms_zone(browser, person):
    land = Land(person)
    field = f"{land.path}/fields/{land.field['id']}"
    # 23:30 of the day before in UTC, 2:30 of the day in Riyadh
    land.make(f"{field}/irrigations", {"startedAt": "2026-03-01T23:30:00Z", "durationMinutes": 60, "waterVolume": 42})
    open_as(browser, person, f"/#{field}?tab=irrigations&from=2026-03-02&to=2026-03-02")
    sees(browser, "2:30", "tbody")
    open_page(browser, person.service, f"/#{field}?tab=irrigations&to=2026-03-01")
    sees(browser, "Nothing matches")
    button(browser, "Clear the filters").click()
    button(browser, "New irrigation").click()
    type_in(browser, "durationMinutes", "90", "dialog")
    type_in(browser, "waterVolume", "much", "dialog")
    button(browser, "Create").click()
    find(browser, "dialog .fault")
    type_in(browser, "waterVolume", "12.5", "dialog")
    button(browser, "Create").click()
    gone(browser, "dialog")
    assert sorted(each["waterVolume"] for each in land.read(f"{field}/irrigations")) == ["12.5", "42"]
    sees(browser, "12.5", "tbody")
    button(browser, "Remove 12.5 m³").click()
    button(browser, "Remove").click()
    gone(browser, "dialog")
    assert len(land.read(f"{field}/irrigations")) == 1 and complaints(browser) == []


def test_samples_and_fertigations_are_recorded(browser, person):
    land = Land(person)
    field, block = f"{land.path}/fields/{land.field['id']}", f"{land.blocks}/{land.block['id']}"
    open_as(browser, person, f"/#{field}?tab=soil-samples&new=1")
    for name, text in (("ph", "7.4"), ("depthFromCm", "0"), ("depthToCm", "30")):
        type_in(browser, name, text, "dialog")
    button(browser, "Create").click()
    gone(browser, "dialog")
    sees(browser, "7.4", ".facts")
    for path, members in ((f"{block}?tab=fertigations&new=1", {"product": "Potassium nitrate", "amount": "25", "nPercent": "13"}),
                          (f"{block}?tab=leaf-samples&new=1", {"lab": "Ministry", "nitrogen": "2.1"})):
        open_page(browser, person.service, f"/#{path}")
        for name, text in members.items():
            type_in(browser, name, text, "dialog")
        button(browser, "Create").click()
        gone(browser, "dialog")
        for text in (members.get("product", members.get("lab")),):
            sees(browser, text, "tbody")
    assert land.read(f"{field}")["soilPh"] == "7.4" and land.read(f"{block}/leaf-samples")[0]["nitrogen"] == "2.1"


def test_the_library_is_searched_and_a_crop_is_put_on_the_list(browser, tilth, person):
    tilth.operate("POST", "/operator/v1/library", {"crops": [
        {"name": "Fig", "scientificName": "Ficus carica", "category": "fruit", "soilPhMin": 6, "soilPhMax": 7.5,
         "varieties": [{"varietyName": "Brown Turkey"}]}, {"name": "Guava", "category": "fruit"}]})
    open_as(browser, person, "/#/crops?list=library")
    box = find(browser, "[name=search]")
    box.send_keys("ficus\n")
    sees(browser, "1 record")
    button(browser, "Fig").click()
    sees(browser, "Brown Turkey", "dialog")
    sees(browser, "6 – 7.5", "dialog")
    button(browser, "Put on my list").click()
    gone(browser, "dialog")
    open_page(browser, tilth, "/#/crops?list=mine")
    sees(browser, "Fig", "tbody")
    button(browser, "New crop on the list").click()
    wait(browser, lambda: len(find(browser, "dialog [name=adminCropId]").find_elements(By.TAG_NAME, "option")) >= 3)
    browser.find_element(By.XPATH, "//dialog//select[@name='adminCropId']/option[.='Guava']").click()
    type_in(browser, "customName", "<b>Ours</b>", "dialog")
    button(browser, "Create").click()
    gone(browser, "dialog")
    sees(browser, "<b>Ours</b>", "tbody")
    button(browser, "Remove Fig").click()
    button(browser, "Remove").click()
    gone(browser, "dialog")
    assert [each["customizations"] for each in person.ask("GET", "/api/user-crops").data] == [{"customName": "<b>Ours</b>"}]
    assert complaints(browser) == []


def test_planning_by_keyboard_alone(browser, person):
    land = Land(person)
    land.make("/task-templates", {"name": "Walk the rows", "category": "inspection"})
    look(browser)
    open_as(browser, person, "/#/planning")
    button(browser, "Make a task of Walk the rows").send_keys("\n")
    find(browser, "dialog form")
    focused(browser, "title")
    browser.switch_to.active_element.send_keys(" now\n")
    gone(browser, "dialog")
    assert [each["title"] for each in land.read("/tasks")] == ["Walk the rows now"]
    settled(browser)
    heading(browser, "Planning")


@pytest.mark.parametrize("tab", ["irrigations", "money"])
def test_a_day_is_typed_into_a_filter(browser, person, tab):
    land = Land(person)
    field = f"{land.path}/fields/{land.field['id']}"
    land.make(f"{field}/irrigations", {"startedAt": "2026-03-01T09:30:00Z", "durationMinutes": 60, "waterVolume": 42})
    open_as(browser, person, f"/#{land.path}?tab=money" if tab == "money" else f"/#{field}?tab={tab}")
    box = find(browser, "[name=from]")
    box.send_keys("02022026")
    assert box.get_attribute("value") == "2026-02-02" and "from=" not in fragment(browser)
    box.send_keys(Keys.ENTER)
    wait(browser, lambda: "from=2026-02-02" in fragment(browser))
    settled(browser)
    box = find(browser, "[name=to]")
    box.send_keys("01010026" + Keys.TAB * 3)
    sees(browser, "Finish the date, or empty it.")
    assert "to=" not in fragment(browser)
    box.send_keys("03032026" + Keys.TAB * 3)
    wait(browser, lambda: "to=2026-03-03" in fragment(browser))
    settled(browser)
    assert "Finish the date" not in find(browser, "main").text and complaints(browser) == []
    browser.back()
    wait(browser, lambda: "to=" not in fragment(browser))
    assert "from=2026-02-02" in fragment(browser), "each day that was typed is one step back"


def test_an_address_with_a_day_that_is_none_shows_the_list(browser, person):
    land = Land(person)
    field = f"{land.path}/fields/{land.field['id']}"
    land.make(f"{field}/irrigations", {"startedAt": "2026-03-01T09:30:00Z", "durationMinutes": 60, "waterVolume": 42})
    for day in ("soon", "0002-02-01", "2026-02-31"):
        open_as(browser, person, f"/#{field}?tab=irrigations&from={day}")
        sees(browser, "42", "tbody")
    assert complaints(browser) == []


def test_how_often_a_rule_repeats_is_said_with_its_number(browser, person):
    land = Land(person)
    template = land.make("/task-templates", {"name": "Walk the rows", "category": "inspection"})
    for interval in (1, 2):
        land.make("/recurring-tasks", {"templateId": template["id"], "farmId": land.farm["id"], "pattern": "custom", "interval": interval, "startDate": "2030-05-06T06:00:00.000Z"})
    open_as(browser, person, "/#/planning?list=recurring")
    sees(browser, "Every day", "tbody")
    sees(browser, "Every 2 days", "tbody")
    browser.execute_script("localStorage.setItem('language', 'ar')")
    open_page(browser, person.service, "/#/planning?list=recurring")
    sees(browser, "كل يومين", "tbody")


def test_a_form_takes_figures_as_people_write_them(browser, person):
    land = Land(person)
    field = f"{land.path}/fields/{land.field['id']}"
    open_as(browser, person, f"/#{field}?tab=irrigations&new=1")
    type_in(browser, "durationMinutes", "٩٠", "dialog")
    type_in(browser, "waterVolume", "9,6", "dialog")
    button(browser, "Create").click()
    gone(browser, "dialog")
    irrigation, = land.read(f"{field}/irrigations")
    assert (str(irrigation["durationMinutes"]), irrigation["waterVolume"]) == ("90", "9.6")


def test_what_is_proposed_and_emptied_stays_empty(browser, person):
    land = Land(person)
    land.make("/task-templates", {"name": "Prune", "category": "maintenance", "defaultAssignee": "Salim"})
    open_as(browser, person, "/#/planning")
    button(browser, "Make a task of Prune").click()
    wait(browser, lambda: find(browser, "dialog [name=assignedTo]").get_attribute("value") == "Salim")
    browser.find_element("name", "assignedTo").send_keys(Keys.CONTROL + "a", Keys.DELETE)
    button(browser, "Create").click()
    gone(browser, "dialog")
    assert [each["assignedTo"] for each in land.read("/tasks")] == [None]
    visit(browser, f"#/tasks?new=1&farmId={land.farm['id']}")
    type_in(browser, "title", "Water", "dialog")
    choose(browser, "farmId", "", "dialog")
    button(browser, "Create").click()
    find(browser, "dialog [name=farmId][aria-invalid=true]")
    assert [each["title"] for each in land.read("/tasks")] == ["Prune"]


@pytest.mark.parametrize("written", ["24,5 39,5", "٢٤٫٥، ٣٩٫٥", "24.5,39.5", "24,5; 39,5", "24.5 , 39.5"])
def test_a_position_is_taken_as_people_write_it(browser, person, written):
    land = Land(person)
    open_as(browser, person, f"/#{land.blocks}/{land.block['id']}?new=1")
    type_in(browser, "label", "A1", "dialog")
    type_in(browser, "position", "24, 39, 5", "dialog")
    button(browser, "Create").click()
    find(browser, "dialog [name=position][aria-invalid=true]")
    type_in(browser, "position", written, "dialog")
    button(browser, "Create").click()
    gone(browser, "dialog")
    made, = [each["position"] for each in land.read(f"{land.blocks}/{land.block['id']}/plants") if each["label"] == "A1"]
    assert {name: float(value) for name, value in made.items()} == {"lat": 24.5, "lng": 39.5}
