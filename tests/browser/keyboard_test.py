"""The main path of each page by keyboard alone: Tab, Enter, arrows and letters, from where the page puts the focus."""
from farm_test import instant
from pages import By, Keys, Land, button, complaints, find, fragment, gone, heading, open_as, sees, settled, visit, wait

NAME = """const at = document.activeElement;
return at ? [at.getAttribute("aria-label"), at.getAttribute("name"), at.id, at.innerText?.trim(), at.getAttribute("href")] : [];"""


def press(browser, *keys):
    for key in keys:
        browser.switch_to.active_element.send_keys(key)


def tab_to(browser, name, most=60, key=Keys.TAB):
    """Presses Tab until what has this name, label, id, words or address has the focus, and can be seen to have it."""
    for _ in range(most):
        if name in browser.execute_script(NAME):
            ring = browser.execute_script("const at = document.activeElement, style = getComputedStyle(at); return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0")
            assert ring, f"{name} has the focus, which cannot be seen"
            return browser.switch_to.active_element
        press(browser, key)
    raise AssertionError(f"{name} cannot be reached with Tab")


def in_dialog(browser):
    """A dialog takes the focus, and Tab does not leave it."""
    wait(browser, lambda: browser.execute_script("return document.querySelector('dialog[open]')?.contains(document.activeElement)"))


def test_a_farmers_morning(browser, person):
    open_as(browser, person)
    tab_to(browser, "Add your first farm").send_keys(Keys.ENTER)
    in_dialog(browser)
    press(browser, "Oasis")
    tab_to(browser, "totalArea").send_keys("12")
    tab_to(browser, "Create").send_keys(Keys.ENTER)
    gone(browser, "dialog")
    sees(browser, "Oasis", "tbody")
    farm = person.ask("GET", "/api/farms").data[0]
    for title, due in (("Open the sluice", instant(hours=-1)), ("Prune", instant(days=2))):
        assert person.ask("POST", "/api/tasks", {"farmId": farm["id"], "title": title, "category": "other", "dueDate": due}).status == 201
    tab_to(browser, "Today", key=Keys.SHIFT + Keys.TAB).send_keys(Keys.ENTER)
    heading(browser, "Overdue")
    settled(browser)
    tab_to(browser, "Reschedule Prune").send_keys(Keys.ENTER)
    in_dialog(browser)
    tab_to(browser, "In a week").send_keys(Keys.ENTER)
    tab_to(browser, "Save the date").send_keys(Keys.ENTER)
    gone(browser, "dialog")
    settled(browser)
    tab_to(browser, "Complete Open the sluice").send_keys(Keys.ENTER)
    in_dialog(browser)
    tab_to(browser, "notes").send_keys("Half open")
    tab_to(browser, "Mark as done").send_keys(Keys.ENTER)
    gone(browser, "dialog")
    wait(browser, lambda: [each["status"] for each in person.ask("GET", "/api/tasks?open=false").data] == ["completed"])
    assert complaints(browser) == []


def test_tasks_and_the_past(browser, person):
    land = Land(person)
    land.task("Prune", status="completed")
    open_as(browser, person, "/#/tasks")
    tab_to(browser, "status").send_keys(Keys.ARROW_DOWN)
    wait(browser, lambda: "status=all" in fragment(browser))
    settled(browser)
    tab_to(browser, "Prune").send_keys(Keys.ENTER)
    in_dialog(browser)
    press(browser, Keys.ESCAPE)
    gone(browser, "dialog")
    browser.execute_script("document.querySelector('h1').focus()")
    tab_to(browser, "As it was").send_keys(Keys.ENTER)
    tab_to(browser, "as-of").send_keys(Keys.HOME)
    wait(browser, lambda: "as-of=" in fragment(browser))
    tab_to(browser, "Back to now").send_keys(Keys.ENTER)
    wait(browser, lambda: "as-of=" not in fragment(browser))


def stays_at(browser, name):
    """Waits until the focus is at what has this name, where it stays."""
    wait(browser, lambda: name in browser.execute_script(NAME))
    settled(browser)
    assert name in browser.execute_script(NAME), browser.execute_script(NAME)


def test_the_focus_goes_on_in_the_list_when_a_task_is_begun_or_done(browser, person):
    land = Land(person)
    for title, days in (("Clean the filters", -1), ("Prune", 1), ("Weed", 2)):
        land.task(title, dueDate=instant(days=days))
    open_as(browser, person)
    tab_to(browser, "Start Prune").send_keys(Keys.ENTER)
    gone(browser, "[aria-label='Start Prune']")
    stays_at(browser, "Reschedule Prune")
    for title, then in (("Prune", "Complete Weed"), ("Weed", "In the next seven days"), ("Clean the filters", "Today")):
        tab_to(browser, f"Complete {title}").send_keys(Keys.ENTER)
        in_dialog(browser)
        tab_to(browser, "Mark as done").send_keys(Keys.ENTER)
        gone(browser, f"[aria-label='Complete {title}']")
        stays_at(browser, then)
        browser.execute_script("if (document.activeElement.matches('h2')) document.querySelector('h1').focus()")
    assert complaints(browser) == []


def test_a_task_that_moves_to_another_part_of_today_keeps_the_focus(browser, person):
    land = Land(person)
    for title, days in (("Clean the filters", -2), ("Prune", -1), ("Weed", 1)):
        land.task(title, dueDate=instant(days=days))
    open_as(browser, person)
    tab_to(browser, "Reschedule Clean the filters").send_keys(Keys.ENTER)
    in_dialog(browser)
    tab_to(browser, "In 3 days").send_keys(Keys.ENTER)
    tab_to(browser, "Save the date").send_keys(Keys.ENTER)
    sees(browser, "Clean the filters", "[aria-label='In the next seven days']")
    stays_at(browser, "Reschedule Clean the filters")


def test_the_focus_stays_in_the_dialog_of_a_task_and_goes_back_to_the_table(browser, person):
    land = Land(person)
    for title in ("Prune", "Weed"):
        land.task(title, dueDate=instant(days=1 if title == "Prune" else 2))
    open_as(browser, person, "/#/tasks?status=all")
    tab_to(browser, "Prune").send_keys(Keys.ENTER)
    in_dialog(browser)
    tab_to(browser, "Start").send_keys(Keys.ENTER)
    sees(browser, "In progress", "dialog")
    stays_at(browser, "Reschedule")
    tab_to(browser, "Complete").send_keys(Keys.ENTER)
    tab_to(browser, "Mark as done").send_keys(Keys.ENTER)
    sees(browser, "Completed", "dialog")
    stays_at(browser, "Edit")
    tab_to(browser, "Remove").send_keys(Keys.ENTER)
    find(browser, "dialog dialog")
    tab_to(browser, "Remove").send_keys(Keys.ENTER)
    gone(browser, "dialog")
    wait(browser, lambda: "Prune" not in find(browser, "tbody").text)
    stays_at(browser, "Weed")
    assert complaints(browser) == []


def test_the_focus_goes_to_the_next_row_when_one_is_removed(browser, person):
    land = Land(person)
    for name in ("Robot", "Spreadsheet"):
        person.mint(name=name)
    for path, remove, confirm in ((f"{land.path}?tab=fields", "Remove", "Remove"), ("/keys", "Revoke", "Revoke it")):
        buttons = f"//tbody//button[normalize-space()='{remove}']"
        open_as(browser, person, f"/#{path}")
        count = len(wait(browser, lambda: browser.find_elements(By.XPATH, buttons)))
        assert count == 2, path
        browser.execute_script("arguments[0].focus()", browser.find_elements(By.XPATH, buttons)[0])
        while count:
            press(browser, Keys.ENTER)
            in_dialog(browser)
            tab_to(browser, confirm).send_keys(Keys.ENTER)
            count -= 1
            wait(browser, lambda: len(browser.find_elements(By.XPATH, buttons)) == count)
            settled(browser)
            at = browser.switch_to.active_element
            assert at.tag_name == ("button" if count else "h2") and (at.text == remove or not count), (path, at.tag_name, at.text)
    assert complaints(browser) == []


def test_the_focus_stays_at_what_makes_a_record_once_the_list_is_not_empty(browser, person):
    land = Land(person)
    open_as(browser, person, f"/#{land.path}?tab=money")
    button(browser, "New expense", "div[@class='empty']").send_keys(Keys.ENTER)
    in_dialog(browser)
    tab_to(browser, "amount").send_keys("12.5", Keys.ENTER)
    gone(browser, "dialog")
    sees(browser, "12.50", "[aria-label='Expenses'] tbody")
    stays_at(browser, "New expense")


def test_money_is_recorded(browser, person):
    land = Land(person)
    open_as(browser, person, f"/#{land.path}")
    tab_to(browser, "Money").send_keys(Keys.ENTER)
    settled(browser)
    tab_to(browser, "New expense").send_keys(Keys.ENTER)
    in_dialog(browser)
    tab_to(browser, "amount").send_keys("12.5")
    tab_to(browser, "Create").send_keys(Keys.ENTER)
    gone(browser, "dialog")
    assert [each["amount"] for each in land.read(f"{land.path}/expenses")] == ["12.5"]


def test_an_integrators_first_hour(browser, person):
    open_as(browser, person, "/#/keys")
    tab_to(browser, "new-key").send_keys(Keys.ENTER)
    in_dialog(browser)
    press(browser, "Robot")
    tab_to(browser, "Read only").send_keys(Keys.ENTER)
    tab_to(browser, "Create the key").send_keys(Keys.ENTER)
    find(browser, "dialog input.key")
    in_dialog(browser)
    press(browser, Keys.ESCAPE)
    assert find(browser, "dialog input.key").get_attribute("value").startswith("svc_live_")  # not lost
    tab_to(browser, "Close, I have it").send_keys(Keys.ENTER)
    gone(browser, "dialog")
    tab_to(browser, "Webhooks", key=Keys.SHIFT + Keys.TAB).send_keys(Keys.ENTER)
    heading(browser, "Webhooks")
    settled(browser)
    tab_to(browser, "new-webhook").send_keys(Keys.ENTER)
    in_dialog(browser)
    press(browser, "https://example.org/hook", Keys.ENTER)
    assert find(browser, "dialog input.key").get_attribute("value").startswith("whsec_")
    assert complaints(browser) == []


def test_the_password_is_changed(browser, person):
    open_as(browser, person)
    tab_to(browser, "#/account").send_keys(Keys.ENTER)
    heading(browser, "Your account")
    settled(browser)
    tab_to(browser, "oldPassword").send_keys(person.password, Keys.TAB, "new horse battery", Keys.ENTER)
    sees(browser, "The password is changed", ".toast:not(dialog *)")
