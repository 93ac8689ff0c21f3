"""The pages of all farms: tasks that are still open, and each page as it was."""
from farm_test import due_in, instant
from looks_test import sound
from pages import By, Keys, Land, button, choose, complaints, find, fragment, gone, heading, open_as, sees, texts, visit, wait


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
