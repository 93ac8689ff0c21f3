"""A service, a person with an account, and a browser without a session."""
import contextlib
import os
import pathlib
import sys
import tempfile

import pytest
from selenium import webdriver

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "http"))

from pages import SECONDS  # noqa: E402
from person import Person  # noqa: E402
from service import served  # noqa: E402


@pytest.fixture(scope="session")
def tilth(tmp_path_factory):
    with served(tmp_path_factory.mktemp("tilth"), clock=None) as service:
        yield service


@pytest.fixture
def person(tilth):
    return Person(tilth, name="Aisha")


@contextlib.contextmanager
def chromium():
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--lang=en-GB"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    # Chromium leaves a directory of its own in the one for temporary files at each start.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        service = webdriver.ChromeService("/usr/bin/chromedriver", env={**os.environ, "TMPDIR": temporary})
        started = webdriver.Chrome(options=options, service=service)
        try:
            started.set_script_timeout(SECONDS)
            yield started
        finally:
            started.quit()


@pytest.fixture(scope="session")
def driver():
    """One Chromium for all tests: starting one takes longer than most of them."""
    with chromium() as browser:
        yield browser


def look(browser, width=1280, height=900, dark=False):
    media = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
             {"name": "prefers-reduced-motion", "value": "reduce"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})


def connect(browser, offline=False, latency=0, throughput=-1):
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd("Network.emulateNetworkConditions",
                            {"offline": offline, "latency": latency, "downloadThroughput": throughput, "uploadThroughput": throughput})


@pytest.fixture
def browser(driver, tilth):
    """The browser as it would be started: one tab, no cookie, nothing stored."""
    for handle in driver.window_handles[1:]:
        driver.switch_to.window(handle)
        driver.close()
    driver.switch_to.window(driver.window_handles[0])
    connect(driver)
    look(driver)
    driver.get(f"http://{tilth.address}/assets/icon.svg")
    driver.delete_all_cookies()
    driver.execute_cdp_cmd("Storage.clearDataForOrigin",
                           {"origin": f"http://{tilth.address}", "storageTypes": "local_storage,session_storage"})
    driver.get_log("browser")
    return driver


@pytest.fixture(params=["light", "dark", "small", "wide", "arabic"])
def looks(request, browser):
    width = {"small": 390, "wide": 1920}.get(request.param, 1280)
    look(browser, width, 844 if width == 390 else 900, dark=request.param in ("dark", "small"))
    if request.param == "arabic":
        browser.execute_script("localStorage.setItem('language', 'ar')")
    return browser


@pytest.fixture(scope="session")
def axe():
    return (pathlib.Path(os.environ["MODULES"]) / "axe-core" / "axe.min.js").read_text()
