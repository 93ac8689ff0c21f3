"""The tiles below a map: from the configured server, or none."""
import base64
import http.server
import threading

import pytest

from pages import By, Land, complaints, find, open_as, sees, wait
from person import Person
from service import Service

PIXEL = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")


@pytest.fixture
def tiles():
    """A server of tiles, and what it was asked for."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append((self.path, self.headers.get("Referer")))
            self.send_response(200)
            self.send_header("Content-Type", "image/png")
            self.end_headers()
            self.wfile.write(PIXEL)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}", asked
    server.shutdown()


def test_configured_tiles_lie_below_the_fields(browser, tiles, tmp_path):
    address, asked = tiles
    service = Service(tmp_path, config=f'[dashboard]\ntiles = "{address}/{{z}}/{{x}}/{{y}}.png"\ntiles_attribution = "© <b>Example</b>"\n', clock=None).start()
    try:
        person = Person(service, name="Aisha")
        land = Land(person)
        open_as(browser, person, f"/#{land.path}")
        wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, ".leaflet-tile-loaded"))
        sees(browser, "© <b>Example</b>", ".leaflet-control-attribution")
        assert asked and all(path.count("/") == 3 and referrer in (None, f"http://{service.address}/") for path, referrer in asked)
        assert complaints(browser) == []
        browser.get("about:blank")
        service.stop()
    finally:
        service.kill()


def test_without_tiles_a_map_asks_no_other_server(browser, tilth, person):
    land = Land(person)
    open_as(browser, person, f"/#{land.path}")
    find(browser, ".leaflet-tooltip.name")
    assert not browser.find_elements(By.CSS_SELECTOR, ".leaflet-tile, .leaflet-control-attribution")
    asked = browser.execute_script("return performance.getEntriesByType('resource').map(each => new URL(each.name).host)")
    assert set(asked) == {tilth.address}
