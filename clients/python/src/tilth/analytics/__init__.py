"""The history in DuckDB: a view for each record and for each type of event.

    >>> from tilth import analytics
    >>> farms = analytics.open("history.jsonl")
    >>> farms.sql("SELECT name, total_area FROM farms ORDER BY name").show()
"""
from ._connection import open

__all__ = ["open"]
