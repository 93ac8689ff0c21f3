#!/usr/bin/env python3
"""Exchange rates as the command line imports them."""
import json
import unittest

from command_line import CommandLine as Case

FILE = "Date,USD,JPY\n2026-03-02,1.0834,162.35\n2026-03-03,1.09,N/A\n"
PATH = "/operator/v1/exchange-rates"


class Rates(Case):
    def setUp(self):
        super().setUp()
        self.file = self.directory / "rates.csv"
        self.file.write_text(FILE)

    def test_a_file_is_brought_in_as_it_stands(self):
        self.assertEqual(self.ask("rates", "import", str(self.file)), "3 rates of 2 days, 2 of them new or different.\n")
        self.assertEqual(self.last_request(), ("POST", PATH, {}, FILE))
        self.assertEqual(json.loads(self.ask("rates", "import", str(self.file), "--json"))["data"],
                         {"days": 2, "rates": 3, "changed": 2})

    def test_one_rate_is_one(self):
        self.fake.answer_next = (200, {"data": {"days": 1, "rates": 1, "changed": 0}})
        self.assertEqual(self.ask("rates", "import", str(self.file)), "1 rate of 1 day, 0 of them new or different.\n")

    def test_its_source_may_be_named(self):
        self.ask("rates", "import", str(self.file), "--source", "Norges Bank & Co")
        self.assertEqual(self.last_request()[2], {"source": "Norges Bank & Co"})

    def test_it_may_come_from_stdin(self):
        self.ask("rates", "import", "-", stdin=FILE)
        self.assertEqual(self.last_request()[3], FILE)

    def test_the_service_may_be_told_to_fetch_them(self):
        self.assertIn("new or different", self.ask("rates", "fetch", "--source", "SNB"))
        self.assertEqual(self.last_request(), ("POST", PATH + "/fetch", {"source": "SNB"}, None))

    def test_what_is_wrong_with_a_file_is_said(self):
        self.fake.answer_next = (400, {"code": "VALIDATION_ERROR", "message": "The exchange rates are not valid.",
                                       "details": {"body": ["line 2: 'x' is no date"]}})
        said = self.refuse(1, "rates", "import", str(self.file), *self.service())
        self.assertEqual(said, "The exchange rates are not valid (body: line 2: 'x' is no date).\n")
        missing = str(self.directory / "missing.csv")
        self.assertIn(missing, self.refuse(1, "rates", "import", missing, *self.service()))


if __name__ == "__main__":
    unittest.main()
