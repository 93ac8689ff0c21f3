"""Many requests in one."""
from __future__ import annotations

import dataclasses
from typing import Any, List, Literal, Optional

from ._async import AsyncTransport
from ._batch_resources import BatchResources
from ._calls import Call, call
from ._planned import Planned, Planner
from ._sync import Transport

OnError = Literal["continue", "stop"]


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How the requests of a batch were answered."""

    succeeded: int
    failed: int
    not_attempted: int

    @property
    def ok(self) -> bool:
        """Whether every request succeeded."""
        return not self.failed and not self.not_attempted


class _Batch(BatchResources):
    """Up to 1,000 requests, carried out in order, each decided by itself."""

    def __init__(self, on_error: OnError) -> None:
        self._planner = Planner()
        self._on_error = on_error
        self._add_resources(self._planner)

    @property
    def requests(self) -> List[Planned[Any]]:
        """What the batch holds, in order."""
        return list(self._planner.requests)

    def __len__(self) -> int:
        return len(self._planner.requests)

    def _call(self, idempotency_key: Optional[str]) -> Call:
        return call("POST", "/v1/batch", idempotency_key=idempotency_key,
                    body={"requests": [one.to_request() for one in self.requests], "onError": self._on_error})

    def _take(self, body: Any) -> Outcome:
        for planned, answer in zip(self.requests, body["data"]):
            planned.answer(answer)
        meta = body["meta"]
        return Outcome(meta["succeeded"], meta["failed"], meta["notAttempted"])


class Batch(_Batch):
    """Up to 1,000 requests, carried out in order, each decided by itself.

    The methods are those of a client. Each returns a `Planned`, which later requests can refer to::

        batch = client.batch(on_error="stop")
        farm = batch.farms.create(name="Wadi Farm", total_area=12)
        batch.fields.create(farm, name="North", area=4)
        batch.send()
        print(farm.result().created_at)
    """

    def __init__(self, transport: Transport, on_error: OnError) -> None:
        super().__init__(on_error)
        self._transport = transport

    def send(self, *, idempotency_key: Optional[str] = None) -> Outcome:
        """Carries the requests out. Afterwards each `Planned` has its result."""
        return self._take(self._transport.send(self._call(idempotency_key)).body)


class AsyncBatch(_Batch):
    """A `Batch` whose `send` is awaited."""

    def __init__(self, transport: AsyncTransport, on_error: OnError) -> None:
        super().__init__(on_error)
        self._transport = transport

    async def send(self, *, idempotency_key: Optional[str] = None) -> Outcome:
        """Carries the requests out. Afterwards each `Planned` has its result."""
        return self._take((await self._transport.send(self._call(idempotency_key))).body)
