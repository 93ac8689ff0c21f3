"""/docs: the API's description in the look of the pages, searched, with examples and a way to try each request."""
import json
import subprocess

import pytest

from conftest import look
from layout_test import FLAWS
from pages import By, Keys, button, complaints, find, fragment, heading, open_page, sees, settled, type_in, violations, visit, wait


@pytest.fixture
def reference(browser, tilth):
    open_page(browser, tilth, "/docs")
    heading(browser, "API reference")
    return browser


def test_v1_comes_first_and_what_the_pages_use_is_apart(reference):
    titles = [each.text for each in reference.find_elements(By.CSS_SELECTOR, "#sections h2")]
    first, last = [[each.text for each in part.find_elements(By.CSS_SELECTOR, "li")] for part in reference.find_elements(By.CSS_SELECTOR, "#sections > div")]
    assert titles == ["Version 1", "Of the pages"] and first[:2] == ["Farms", "Fields"] and last == ["Sessions and keys"]
    paths = [each.text for each in reference.find_elements(By.CSS_SELECTOR, ".operations code")]
    kinds = [path.startswith("/api/v1/") for path in paths]
    assert len(paths) > 80 and kinds == sorted(kinds, reverse=True)
    assert complaints(reference) == []


def test_a_word_finds_operations_and_stays_in_the_address(reference):
    type_in(reference, "search", "yield")
    sees(reference, "Predict what a farm's crops yield")
    assert "q=yield" in fragment(reference)
    reference.refresh()
    heading(reference, "Found: 1")
    type_in(reference, "search", "nothing of that kind")
    sees(reference, "Nothing fits")


def test_an_operation_says_what_it_takes_and_what_it_answers(reference):
    visit(reference, "#/tasks/createTask")
    heading(reference, "Create a task")
    sees(reference, "tasks:write", "main")
    for text in ("farmId", "required", "at most 200 characters", "soil_management"):
        sees(reference, text, "#body")
    sees(reference, "Quba" if "Quba" in find(reference, "#responses").text else "Check the drip lines", "#responses")
    body = json.loads(find(reference, "textarea.body").get_attribute("value"))
    for words, begins in (("curl", "curl -X POST"), ("Python", "import json"), ("TypeScript", "const response")):
        button(reference, words).click()
        wait(reference, lambda: find(reference, "pre[aria-label=Example]").text.startswith(begins))
        if words == "Python":  # what is shown is Python, and says the same
            shown = find(reference, "pre[aria-label=Example]").text
            code = "import json\n" + shown.split("json.dumps(", 1)[1].rsplit(").encode()", 1)[0].join(("print(json.dumps(", "))"))
            assert json.loads(subprocess.run(["python3", "-c", code], capture_output=True, check=True, text=True).stdout) == body
    assert "in=typescript" in fragment(reference)


def test_a_request_is_tried_with_a_key_that_the_tab_keeps(reference, person):
    key = person.signed_in().mint(scopes=["farms:read"])["key"]
    visit(reference, "#/farms/listFarms")
    button(reference, "Send GET").click()
    sees(reference, "401", "[role=status]")
    type_in(reference, "key", key)
    button(reference, "Send GET").click()
    sees(reference, '"pagination"', "pre.answer")
    reference.refresh()
    settled(reference)
    assert find(reference, "[name=key]").get_attribute("value") == key
    visit(reference, "#/farms/createFarm")
    find(reference, "textarea.body").send_keys(Keys.END + "{")
    assert button(reference, "Send POST").get_attribute("aria-disabled") == "true"
    visit(reference, "#/farms/getFarm")
    type_in(reference, "p-id", "01a1fd7b-5a82-79f9-b28d-45d753e0ffda")
    button(reference, "Send GET").click()
    sees(reference, "404", ".try [role=status]")
    assert "Content Security Policy" not in str(reference.get_log("browser"))


def test_the_reference_is_read_in_arabic_around_a_description_in_english(reference, axe):
    visit(reference, "#/tasks/createTask")
    reference.execute_script("const s = document.querySelector('.account select'); s.value = 'ar'; s.dispatchEvent(new Event('change', {bubbles: true}))")
    sees(reference, "إرسال POST", ".try")
    assert reference.execute_script("return [document.documentElement.lang, document.documentElement.dir]") == ["ar", "rtl"]
    heading(reference, "Create a task")
    for width in (360, 1280):
        look(reference, width)
        for path in ("#/", "#/tasks", "#/tasks/createTask", "#/dashboard", "#/nothing"):
            visit(reference, path)
            assert reference.execute_script(FLAWS) == [], (width, path)
            assert reference.execute_script(UNMARKED) == [], path
            if width == 1280 and path != "#/":
                assert violations(reference, axe) == [], path
    reference.refresh()
    sees(reference, "لا توجد صفحة كهذه", "h1")
    look(reference)


# Texts of two English words or more that do not say that they are English, and code that is not written from the left.
UNMARKED = """
const found = [], walker = document.createTreeWalker(document.getElementById("app"), NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const text = walker.currentNode, element = text.parentElement;
  if (/[A-Za-z]+ [A-Za-z]+/.test(text.data) && !element.closest("[lang=en], code, pre, textarea, .brand")) found.push(text.data);
}
for (const code of document.querySelectorAll("code, pre, textarea.body")) if (getComputedStyle(code).direction !== "ltr") found.push(code.textContent);
return found;
"""


@pytest.mark.parametrize("dark", [False, True])
def test_the_reference_looks_like_the_pages(reference, axe, dark):
    for width in (390, 1280):
        look(reference, width, dark=dark)
        for path in ("#/", "#/tasks", "#/tasks/createTask", "#/dashboard", "#/nothing"):
            visit(reference, path)
            assert reference.execute_script(FLAWS) == [], (width, path)
            if width == 1280 and path != "#/":
                assert violations(reference, axe) == [], path
    light = reference.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert light == ("rgb(16, 20, 17)" if dark else "rgb(246, 247, 243)")
    look(reference)


def test_a_word_is_typed_from_a_group_letter_by_letter(reference):
    visit(reference, "#/tasks")
    heading(reference, "Tasks")
    box = find(reference, "[name=search]")
    box.click()
    for letter in "harvest":
        reference.switch_to.active_element.send_keys(letter)
    wait(reference, lambda: "q=harvest" in fragment(reference))
    sees(reference, "Found:", "h1")
    assert reference.switch_to.active_element.get_attribute("name") == "search"
    reference.back()
    heading(reference, "Tasks")
    assert fragment(reference) == "#/tasks"


def test_without_a_clipboard_the_example_is_left_to_the_reader(reference):
    visit(reference, "#/farms/listFarms")
    reference.execute_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")  # as on http from another host
    button(reference, "Copy").click()
    sees(reference, "Copy the text yourself.", "#status")
    assert complaints(reference) == []
