"""Answers that come late, when a person has gone on to something else."""
from selenium.webdriver.common.action_chains import ActionChains

from access_test import keep_key
from pages import By, Keys, Land, button, choose, find, focused, fragment, gone, heading, held, hold, let_go, open_as, sees, texts, type_in, typed, visit, wait


def pick(browser, name):
    """Chooses a field or a block in the list next to the map."""
    next(each for each in browser.find_elements(By.CSS_SELECTOR, ".picks button") if each.text.startswith(name)).click()


def test_a_record_saved_late_leaves_the_form_of_another_one_open(browser, person):
    land = Land(person)
    task = land.task("Prune")
    land.task("Water")
    open_as(browser, person, "/#/tasks")
    button(browser, "Edit Prune").click()
    type_in(browser, "title", "Prune all", "dialog")
    hold(browser, f"/api/tasks/{task['id']}", answered=True)
    button(browser, "Save").click()
    held(browser)
    button(browser, "Cancel").click()
    button(browser, "Edit Water").click()
    type_in(browser, "title", "Water twi", "dialog")
    let_go(browser)
    assert typed(browser, "title") == ["Water twi"]
    sees(browser, "Prune all is saved.", "dialog")
    wait(browser, lambda: sorted(texts(browser, "tbody th")) == ["Prune all", "Water"])


def test_a_list_that_comes_without_a_record_leaves_its_form_open(browser, person):
    Land(person).task("Prune")
    open_as(browser, person, "/#/tasks")
    hold(browser, "limit=20", answered=True)
    choose(browser, "status", "completed")
    held(browser)
    button(browser, "Edit Prune").click()
    type_in(browser, "title", "Prune all", "dialog")
    let_go(browser)
    assert typed(browser, "title") == ["Prune all"]


def test_a_task_done_late_leaves_the_dialog_of_another_one_open(browser, person):
    land = Land(person)
    land.task("Prune", status="in_progress")
    land.task("Water", status="in_progress")
    open_as(browser, person)
    button(browser, "Complete Prune").click()
    hold(browser, "/complete", answered=True)
    button(browser, "Mark as done").click()
    held(browser)
    button(browser, "Cancel").click()
    button(browser, "Complete Water").click()
    type_in(browser, "notes", "Half of")
    let_go(browser)
    assert typed(browser, "notes") == ["Half of"]
    wait(browser, lambda: not browser.find_elements(By.CSS_SELECTOR, "[aria-label='Complete Prune']"))


def test_a_removal_answered_late_takes_nobody_to_another_page(browser, person):
    land = Land(person)
    Land(person, "Spring")
    open_as(browser, person, f"/#{land.path}")
    button(browser, "Remove").click()
    hold(browser, f"/api{land.path}", answered=True)
    button(browser, "Remove", "dialog").click()
    held(browser)
    button(browser, "Keep it").click()
    visit(browser, "#/tasks?new=1")
    type_in(browser, "title", "Water", "dialog")
    let_go(browser)
    assert fragment(browser) == "#/tasks?new=1" and typed(browser, "title") == ["Water"]


def leave_while_a_key_is_made(browser, person):
    """The answer waits for let_go."""
    open_as(browser, person, "/#/keys?new=1")
    type_in(browser, "name", "Sensor")
    button(browser, "Read only").click()
    hold(browser, "/api/api-keys", answered=True)
    button(browser, "Create the key").click()
    held(browser)
    button(browser, "Cancel").click()


def test_a_key_made_late_leaves_the_form_of_another_page_open(browser, person):
    leave_while_a_key_is_made(browser, person)
    visit(browser, "#/farms?new=1")
    type_in(browser, "name", "Oasis", "dialog")
    let_go(browser)
    assert typed(browser, "name") == ["Oasis"]


def test_a_boundary_is_drawn_on_the_record_that_it_was_asked_for_alone(browser, person):
    land = Land(person)
    open_as(browser, person, f"/#{land.path}")
    pick(browser, "Grove")
    hold(browser, f"/fields/{land.field['id']}", answered=True)
    button(browser, "Edit the boundary").click()
    held(browser)
    pick(browser, "Meadow")
    let_go(browser)
    assert not browser.find_elements(By.CSS_SELECTOR, ".drawing")


def test_a_boundary_saved_late_leaves_the_next_one_as_far_as_it_is_drawn(browser, person):
    land = Land(person)
    open_as(browser, person, f"/#{land.path}")
    pick(browser, "Grove")
    button(browser, "Edit the boundary").click()
    save = button(browser, "Save the boundary")
    hold(browser, f"/fields/{land.field['id']}", answered=True)
    save.click()
    held(browser)
    pick(browser, "Meadow")
    button(browser, "Draw the boundary").click()
    wait(browser, lambda: browser.execute_script("return document.activeElement.matches('.map.drawing')"))
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    sees(browser, "1 corner")
    let_go(browser)
    assert browser.find_elements(By.CSS_SELECTOR, ".drawing .handle")


def test_a_change_found_late_takes_nobody_into_the_past(browser, person):
    land = Land(person)
    land.task("Water")
    open_as(browser, person, "/#/tasks")
    button(browser, "As it was").click()
    earlier = button(browser, "Earlier change")
    hold(browser, "limit=10000", answered=True)
    earlier.click()
    held(browser)
    button(browser, "Edit Water").click()
    type_in(browser, "title", "Water twi", "dialog")
    let_go(browser)
    assert typed(browser, "title") == ["Water twi"] and "as-of" not in fragment(browser)
    visit(browser, f"#{land.path}")
    earlier = button(browser, "Earlier change")
    hold(browser, "limit=10000", answered=True)
    earlier.click()
    held(browser)
    visit(browser, "#/tasks")
    let_go(browser)
    assert fragment(browser) == "#/tasks"


def test_the_slider_stays_where_it_is_held_when_the_changes_come(browser, person):
    open_as(browser, person, f"/#{Land(person).path}")
    hold(browser, "limit=10000", answered=True)
    slider = find(browser, "#as-of")
    ActionChains(browser).move_to_element_with_offset(slider, 12 - slider.size["width"] // 2, 0).click_and_hold().perform()
    held(browser)
    let_go(browser)
    ActionChains(browser).release().perform()
    wait(browser, lambda: "as-of" in fragment(browser))


def test_what_is_typed_into_a_search_stays_when_the_farms_come(browser, person):
    Land(person)
    open_as(browser, person, "/#/usage")
    hold(browser, "/farms?sort=name&order=asc&limit=100&page=1", answered=True)
    visit(browser, "#/crops?list=library")
    held(browser)
    find(browser, "[name=search]").send_keys("toma")
    let_go(browser)
    assert typed(browser, "search") == ["toma"]
    focused(browser, "search")


def test_the_language_that_was_chosen_last_stays(browser, person):
    open_as(browser, person, "/#/tasks")
    browser.execute_async_script("""const select = document.querySelector('select[aria-label=Language]');
      for (const name of ['ar', 'en']) {
        select.value = name;
        select.dispatchEvent(new Event('change', {bubbles: true}));
      }
      Promise.all(['ar', 'ar-service'].map(name => import(`/assets/core/${name}.js`))).then(() => setTimeout(arguments[0], 20))""")
    assert browser.execute_script("return [document.documentElement.lang, localStorage.getItem('language')]") == ["en", "en"]


def test_the_dialog_of_a_task_is_that_of_the_address(browser, person):
    land = Land(person)
    prune, water = land.task("Prune"), land.task("Water")
    open_as(browser, person, f"/#/tasks?task={prune['id']}")
    button(browser, "Complete", "dialog").click()
    type_in(browser, "notes", "The east side is pruned.")
    visit(browser, f"#/tasks?task={water['id']}")
    heading(browser, "Water")
    assert typed(browser, "notes") == []
    button(browser, "Edit", "dialog").click()
    type_in(browser, "title", "Water twi")
    hold(browser, f"/api/tasks/{prune['id']}", answered=True)
    browser.execute_script("location.hash = arguments[0]", f"#/tasks?task={prune['id']}")
    held(browser)
    assert typed(browser, "title") == [] and "Water" not in find(browser, "dialog").text
    let_go(browser)
    heading(browser, "Prune")


def test_a_boundary_that_is_being_drawn_is_not_taken_into_the_past(browser, person):
    land = Land(person)
    open_as(browser, person, f"/#{land.path}?on={land.meadow['id']}")
    button(browser, "Draw the boundary").click()
    wait(browser, lambda: browser.execute_script("return document.activeElement.matches('.map.drawing')"))
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    sees(browser, "1 corner")
    find(browser, "#as-of").send_keys(Keys.ARROW_LEFT)
    wait(browser, lambda: "as-of" in fragment(browser))
    gone(browser, ".drawing, .handle")
    assert not browser.find_elements(By.XPATH, "//button[normalize-space()='Save the boundary']")
    sees(browser, "What you drew is not saved.", "#status")
    button(browser, "Back to now").click()
    button(browser, "Draw the boundary")
    assert not browser.find_elements(By.CSS_SELECTOR, ".drawing, .handle")


def test_a_boundary_that_comes_late_is_not_drawn_in_the_past(browser, person):
    land = Land(person)
    open_as(browser, person, f"/#{land.path}?on={land.meadow['id']}")
    hold(browser, f"/fields/{land.meadow['id']}", answered=True)
    button(browser, "Draw the boundary").click()
    held(browser)
    find(browser, "#as-of").send_keys(Keys.ARROW_LEFT)
    button(browser, "Back to now")
    let_go(browser)
    button(browser, "Back to now").click()
    button(browser, "Draw the boundary")
    assert not browser.find_elements(By.CSS_SELECTOR, ".drawing")


def test_a_page_that_comes_late_leaves_the_choice_of_a_language(browser, person):
    land = Land(person)
    open_as(browser, person)
    hold(browser, f"/api{land.path}", answered=True)
    browser.execute_script("location.hash = arguments[0]", f"#{land.path}")
    held(browser)
    select = find(browser, ".account select")
    browser.execute_script("arguments[0].focus()", select)
    let_go(browser)
    heading(browser, "Oasis")
    assert browser.switch_to.active_element == select


def asks_before_the_tab_is_lost(browser):
    return browser.execute_script("return !dispatchEvent(new Event('beforeunload', {cancelable: true}))")


def test_a_key_made_late_is_shown_once_the_person_is_back(browser, person):
    leave_while_a_key_is_made(browser, person)
    visit(browser, "#/tasks")
    let_go(browser)
    sees(browser, "The key Sensor is made. It waits on the page of API keys.", "#status")
    assert asks_before_the_tab_is_lost(browser)
    visit(browser, "#/keys")
    assert find(browser, "dialog input.key").get_attribute("value").count("_live_") == 1
    assert browser.execute_script("return JSON.stringify([{...localStorage}, {...sessionStorage}])").count("_live_") == 0
    keep_key(browser)
    assert not asks_before_the_tab_is_lost(browser)
    visit(browser, "#/tasks")
    visit(browser, "#/keys")
    assert not browser.find_elements(By.CSS_SELECTOR, "dialog")


def test_a_key_made_late_leaves_the_form_of_the_next_one_and_its_key(browser, person):
    leave_while_a_key_is_made(browser, person)
    button(browser, "New key").click()
    type_in(browser, "name", "Robot")
    let_go(browser)
    assert typed(browser, "name") == ["Robot"]
    button(browser, "Read only").click()
    button(browser, "Create the key").click()
    sees(browser, "Sensor", "dialog")
    first = find(browser, "dialog input.key").get_attribute("value")
    button(browser, "I have kept it").click()
    button(browser, "Close, I have it").click()
    sees(browser, "Robot", "dialog")
    assert find(browser, "dialog input.key").get_attribute("value") != first
    keep_key(browser)


def test_a_form_sent_again_while_its_first_try_is_under_way_is_carried_out_once(browser, person):
    open_as(browser, person, "/#/farms?new=1")
    browser.execute_script("""const ask = window.fetch;
      let tried = 0;
      window.fetch = async (...request) => {
        const answer = await ask(...request);
        if (request[1]?.method !== "POST" || ++tried > 1) return answer;
        return new Response(JSON.stringify({code: "CONFLICT", message: "The first request with this key is still under way."}), {status: 409, headers: {"Retry-After": "1"}});
      };""")
    type_in(browser, "name", "Oasis", "dialog")
    type_in(browser, "totalArea", "12", "dialog")
    button(browser, "Create").click()
    sees(browser, "still under way", "dialog")
    button(browser, "Create").click()
    gone(browser, "dialog")
    assert [each["name"] for each in person.ask("GET", "/api/farms").data] == ["Oasis"]


def lose(browser, method, arrives=True):
    """Has the page's next request of that method get no answer; whether it arrives."""
    browser.execute_script("""const [method, arrives] = arguments, ask = window.fetch;
      let lost = false;
      window.fetch = async (...request) => {
        if (lost || request[1]?.method !== method) return ask(...request);
        lost = true;
        if (arrives) await ask(...request);
        throw new TypeError("lost");
      };""", method, arrives)


def test_a_form_that_is_corrected_after_its_answer_was_lost_makes_no_second_record(browser, person):
    open_as(browser, person, "/#/farms?new=1")
    type_in(browser, "name", "Oassis", "dialog")
    type_in(browser, "totalArea", "12", "dialog")
    lose(browser, "POST")
    button(browser, "Create").click()
    sees(browser, "Nothing is lost", "dialog")
    type_in(browser, "name", "Oasis", "dialog")
    button(browser, "Create").click()
    sees(browser, "Oassis is saved all the same as you sent it first", "dialog .notice")
    assert find(browser, "dialog .toast").text == ""
    assert [each["name"] for each in person.ask("GET", "/api/farms").data] == ["Oassis"]
    sees(browser, "Oassis", "tbody")
    button(browser, "Cancel").click()
    sees(browser, "Oassis", "tbody")


def test_a_form_that_is_corrected_after_it_did_not_arrive_is_saved_as_corrected(browser, person):
    open_as(browser, person, "/#/farms?new=1")
    type_in(browser, "name", "Oassis", "dialog")
    type_in(browser, "totalArea", "12", "dialog")
    lose(browser, "POST", arrives=False)
    button(browser, "Create").click()
    sees(browser, "Nothing is lost", "dialog")
    type_in(browser, "name", "Oasis", "dialog")
    button(browser, "Create").click()
    gone(browser, "dialog")
    assert [each["name"] for each in person.ask("GET", "/api/farms").data] == ["Oasis"]


def test_an_edit_that_is_corrected_after_its_answer_was_lost_is_no_conflict(browser, person):
    land = Land(person)
    task = land.task("Prune", notes="By hand")
    open_as(browser, person, "/#/tasks")
    button(browser, "Edit Prune").click()
    type_in(browser, "title", "Prune all", "dialog")
    lose(browser, "PUT")
    button(browser, "Save").click()
    sees(browser, "Nothing is lost", "dialog")
    type_in(browser, "title", "Prune", "dialog")
    type_in(browser, "assignedTo", "Omar", "dialog")
    button(browser, "Save").click()
    sees(browser, "What you sent first is saved all the same", "dialog")
    button(browser, "Save").click()
    gone(browser, "dialog")
    now = land.read(f"/tasks/{task['id']}")
    assert (now["title"], now["assignedTo"], now["notes"]) == ("Prune", "Omar", "By hand")


def test_a_task_that_was_completed_meanwhile_is_not_started(browser, person):
    land = Land(person)
    task = land.task("Prune")
    open_as(browser, person, f"/#/tasks?task={task['id']}")
    button(browser, "Start")
    assert person.ask("POST", f"/api/tasks/{task['id']}/complete", {}).status == 200
    button(browser, "Start").click()
    sees(browser, "It was not started.", "dialog")
    sees(browser, "Completed", "dialog")
    assert land.read(f"/tasks/{task['id']}")["status"] == "completed"


def test_a_key_whose_answer_is_lost_is_listed_and_said_to_be_revoked(browser, person):
    open_as(browser, person, "/#/keys?new=1")
    type_in(browser, "name", "Robot", "dialog")
    find(browser, "dialog [data-preset=all]").click()
    browser.execute_script("""const ask = window.fetch;
      window.fetch = async (...request) => {
        const answer = await ask(...request);
        if (request[1]?.method === "POST" && String(request[0]).endsWith("/api-keys")) throw new TypeError("lost");
        return answer;
      };""")
    button(browser, "Create the key").click()
    sees(browser, "A key may have been made all the same", "dialog")
    assert "send it again" not in find(browser, "dialog").text
    button(browser, "Cancel").click()
    button(browser, "Revoke Robot")
