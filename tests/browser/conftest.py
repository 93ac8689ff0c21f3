"""A service, a person with an account, and a browser without a session."""
import os
import pathlib
import sys

import pytest
from selenium import webdriver

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "http"))

from person import Person  # noqa: E402
from service import Service  # noqa: E402


@pytest.fixture(scope="session")
def tilth(tmp_path_factory):
    running = Service(tmp_path_factory.mktemp("tilth"), clock=None)
    try:
        yield running.start()
        running.stop()
    finally:
        running.kill()


@pytest.fixture
def person(tilth):
    return Person(tilth, name="Aisha", source="127.0.0.1")


def driver(dark=False, small=False):
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                     "--window-size=" + ("360,740" if small else "1200,900"), "--lang=en-GB"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
    media = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
             {"name": "prefers-reduced-motion", "value": "reduce"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
    if small:
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": True})
    return browser


@pytest.fixture(params=["light", "dark", "small"])
def looks(request):
    browser = driver(dark=request.param == "dark", small=request.param == "small")
    yield browser
    browser.quit()


@pytest.fixture
def browser():
    browser = driver()
    yield browser
    browser.quit()


@pytest.fixture(scope="session")
def axe():
    return pathlib.Path(os.environ["AXE"]).read_text()
