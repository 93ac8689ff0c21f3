#!/usr/bin/env python3
"""Global task templates as the command line imports them."""
import json
import unittest

from command_line import CommandLine as Case

DOCUMENT = {"templates": [{"name": "Scout", "category": "inspection"}, {"name": "Pick", "category": "harvesting"}]}


class Templates(Case):
    def setUp(self):
        super().setUp()
        self.file = self.directory / "templates.json"
        self.file.write_text(json.dumps(DOCUMENT))

    def test_a_document_is_brought_in(self):
        self.assertEqual(self.ask("templates", "import", str(self.file)), "2 templates, 1 of them new or different.\n")
        self.assertEqual(self.last_request(), ("POST", "/operator/v1/templates/import", {}, DOCUMENT))
        self.assertEqual(json.loads(self.ask("templates", "import", str(self.file), "--json"))["data"],
                         {"templates": 2, "changed": 1})

    def test_a_file_that_cannot_be_read_is_said(self):
        missing = str(self.directory / "missing.json")
        self.assertIn(missing, self.refuse(1, "templates", "import", missing, *self.service()))
        self.file.write_text("{")
        self.assertIn("holds no JSON", self.refuse(1, "templates", "import", str(self.file), *self.service()))
        self.refuse(2, "templates", "import")


if __name__ == "__main__":
    unittest.main()
