"""The resources, as a program sees them that awaits answers.

Made by clients/generate.py of the OpenAPI document; do not edit."""

from __future__ import annotations

from typing import Any, List, Literal, Mapping, Optional, Sequence, Union

from ._calls import Maybe, call
from ._async import AsyncResource, AsyncListing, AsyncTransport
from ._pages import Table
from ._records import UNSET, Date, Id, Instant, Number, date_of
from .records import (
    AdminCrop,
    Block,
    Crop,
    Expense,
    Farm,
    Fertigation,
    Field,
    FinancialSummary,
    GridMetadata,
    HealthScore,
    Irrigation,
    KeyUsage,
    LatLng,
    LeafSample,
    Overhead,
    Plant,
    PriceReport,
    RecurringTask,
    RegionalPrice,
    RegionalPricesMeta,
    Sale,
    SoilSample,
    Task,
    TaskTemplate,
    Usage,
    UsageHistoryMeta,
    UserCrop,
    Variety,
    Webhook,
    WebhookDelivery,
    WebhookTest,
    WebhookWithSecret,
    YieldPrediction,
)

class AsyncAdminCropsResource(AsyncResource):
    """The library of crops and varieties, and the owner's shortlist of them."""

    def list(
        self,
        *,
        search: Maybe[str] = UNSET,
        category: Maybe[str] = UNSET,
        sort: Maybe[Literal["name", "createdAt"]] = UNSET,
        page: Maybe[int] = UNSET,
        limit: Maybe[int] = UNSET,
        order: Maybe[Literal["asc", "desc"]] = UNSET,
    ) -> AsyncListing[AdminCrop]:
        """List the library's crops.

        Lists the verified crops that every owner can choose from, by name. Returns one page, the newest first
        by default; `pagination.total` counts all matching 

        Args:
            search: Part of name or scientificName, without case and accents.
            category: Returns only records with this `category`.
            sort: What the list is sorted by; the first is the default.
            page: The number of the page, from 1.
            limit: The most records in a page.
            order: The direction of the sort: ascending or descending.
        """
        return self._list(call(
            "GET",
            "/v1/crop-library/crops",
            query={"search": search, "category": category, "sort": sort, "page": page, "limit": limit, "order":
                order},
        ), AdminCrop)

    async def get(self, admin_crop: Id) -> AdminCrop:
        """Show a crop of the library.

        Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the record has
        not changed.
        """
        return await self._one(call("GET", ("/v1/crop-library/crops/{}", admin_crop)), AdminCrop)


class AsyncBlocksResource(AsyncResource):
    """Fields and what is on them: blocks, plants, irrigations, fertigations, samples."""

    def list(
        self,
        farm: Id,
        field: Id,
        *,
        status: Maybe[Literal["planned", "planted", "established", "mature", "declined", "harvested", "removed"]] = UNSET,
        crop_id: Maybe[Id] = UNSET,
        sort: Maybe[Literal["createdAt", "name"]] = UNSET,
        page: Maybe[int] = UNSET,
        limit: Maybe[int] = UNSET,
        order: Maybe[Literal["asc", "desc"]] = UNSET,
    ) -> AsyncListing[Block]:
        """List the blocks.

        Lists the blocks of one field. Returns all of them in one response, or one page if `page` or `limit`
        is given.

        Args:
            status: Returns only records with this `status`.
            crop_id: Returns only records with this `cropId`.
            sort: What the list is sorted by; the first is the default.
            page: The number of the page, from 1.
            limit: The most records in a page.
            order: The direction of the sort: ascending or descending.
        """
        return self._list(call(
            "GET",
            ("/v1/farms/{}/fields/{}/blocks", farm, field),
            query={"status": status, "cropId": crop_id, "sort": sort, "page": page, "limit": limit, "order": order},
        ), Block, at_once=True)

    async def create(
        self,
        farm: Id,
        field: Id,
        *,
        crop_id: Id,
        name: str,
        variety_id: Maybe[Optional[Id]] = UNSET,
        description: Maybe[Optional[str]] = UNSET,
        planting_date: Maybe[Optional[Date]] = UNSET,
        plant_count: Maybe[Optional[int]] = UNSET,
        spacing_x: Maybe[Optional[Number]] = UNSET,
        spacing_y: Maybe[Optional[Number]] = UNSET,
        plant_density: Maybe[Optional[Number]] = UNSET,
        area: Maybe[Optional[Number]] = UNSET,
        geometry: Maybe[Optional[Mapping[str, Any]]] = UNSET,
        grid_metadata: Maybe[Optional[Union[GridMetadata, Mapping[str, Any]]]] = UNSET,
        status: Maybe[Literal["planned", "planted", "established", "mature", "declined", "harvested", "removed"]] = UNSET,
        notes: Maybe[Optional[str]] = UNSET,
        idempotency_key: Optional[str] = None,
    ) -> Block:
        """Create a block.

        A block is the part of a field on which one crop grows. Spacings and density come from the library
        unless they are given. Returns the new record with its `id`. A repeated request with the same
        `Idempotency-Key` creates nothing more and returns the same response.

        Args:
            crop_id: A crop of the same field.
            variety_id: The variety of the library, if it is one.
            name: What it is called.
            description: What it is, in the owner's words.
            planting_date: The day of planting.
            plant_count: How many plants there are.
            spacing_x: Between rows, in meters.
            spacing_y: Between plants, in meters.
            plant_density: Plants per hectare; follows from the spacings where it is not given.
            area: In the farm's areaUnit.
            geometry: A GeoJSON Polygon or Point.
            grid_metadata: How the plants are arranged.
            status: Where it stands.
            notes: Free text.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "POST",
            ("/v1/farms/{}/fields/{}/blocks", farm, field),
            body={"cropId": crop_id, "varietyId": variety_id, "name": name, "description": description,
                "plantingDate": date_of(planting_date), "plantCount": plant_count, "spacingX": spacing_x,
                "spacingY": spacing_y, "plantDensity": plant_density, "area": area, "geometry": geometry,
                "gridMetadata": grid_metadata, "status": status, "notes": notes},
            idempotency_key=idempotency_key,
        ), Block)

    async def get(self, farm: Id, field: Id, block: Id) -> Block:
        """Show a block.

        Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the record has
        not changed.
        """
        return await self._one(call("GET", ("/v1/farms/{}/fields/{}/blocks/{}", farm, field, block)), Block)

    async def update(
        self,
        farm: Id,
        field: Id,
        block: Id,
        *,
        crop_id: Maybe[Id] = UNSET,
        variety_id: Maybe[Optional[Id]] = UNSET,
        name: Maybe[str] = UNSET,
        description: Maybe[Optional[str]] = UNSET,
        planting_date: Maybe[Optional[Date]] = UNSET,
        plant_count: Maybe[Optional[int]] = UNSET,
        spacing_x: Maybe[Optional[Number]] = UNSET,
        spacing_y: Maybe[Optional[Number]] = UNSET,
        plant_density: Maybe[Optional[Number]] = UNSET,
        area: Maybe[Optional[Number]] = UNSET,
        geometry: Maybe[Optional[Mapping[str, Any]]] = UNSET,
        grid_metadata: Maybe[Optional[Union[GridMetadata, Mapping[str, Any]]]] = UNSET,
        status: Maybe[Literal["planned", "planted", "established", "mature", "declined", "harvested", "removed"]] = UNSET,
        notes: Maybe[Optional[str]] = UNSET,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Block:
        """Update a block.

        Members that are left out keep their values; null clears an optional member. With `If-Match`, the
        request fails with 412 if the record has changed since.

        Args:
            crop_id: A crop of the same field.
            variety_id: The variety of the library, if it is one.
            name: What it is called.
            description: What it is, in the owner's words.
            planting_date: The day of planting.
            plant_count: How many plants there are.
            spacing_x: Between rows, in meters.
            spacing_y: Between plants, in meters.
            plant_density: Plants per hectare; follows from the spacings where it is not given.
            area: In the farm's areaUnit.
            geometry: A GeoJSON Polygon or Point.
            grid_metadata: How the plants are arranged.
            status: Where it stands.
            notes: Free text.
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "PUT",
            ("/v1/farms/{}/fields/{}/blocks/{}", farm, field, block),
            body={"cropId": crop_id, "varietyId": variety_id, "name": name, "description": description,
                "plantingDate": date_of(planting_date), "plantCount": plant_count, "spacingX": spacing_x,
                "spacingY": spacing_y, "plantDensity": plant_density, "area": area, "geometry": geometry,
                "gridMetadata": grid_metadata, "status": status, "notes": notes},
            if_match=if_match,
            idempotency_key=idempotency_key,
        ), Block)

    async def delete(
        self,
        farm: Id,
        field: Id,
        block: Id,
        *,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> None:
        """Remove a block.

        Removes its plants, fertigations and leaf samples with it. Returns 204 without a body; later requests
        for the record fail with 404. With `If-Match`, the request fails with 412 if the record has changed
        since.

        Args:
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._deed(call(
            "DELETE",
            ("/v1/farms/{}/fields/{}/blocks/{}", farm, field, block),
            if_match=if_match,
            idempotency_key=idempotency_key,
        ))


class AsyncCropsResource(AsyncResource):
    """Crops: what is planted on a field, from the plan to the harvest."""

    def list(
        self,
        *,
        farm_id: Maybe[Id] = UNSET,
        field_id: Maybe[Id] = UNSET,
        status: Maybe[Literal["planned", "planted", "growing", "harvested", "failed"]] = UNSET,
        crop_type: Maybe[str] = UNSET,
        sort: Maybe[Literal["createdAt", "plantingDate", "expectedHarvestDate", "cropType"]] = UNSET,
        page: Maybe[int] = UNSET,
        limit: Maybe[int] = UNSET,
        order: Maybe[Literal["asc", "desc"]] = UNSET,
    ) -> AsyncListing[Crop]:
        """List the crops.

        Lists the owner's plantings on all farms; filters narrow them to a farm, a field or a status. Returns
        one page, the newest first by default; `pagination.total` counts all matching 

        Args:
            farm_id: Returns only records with this `farmId`.
            field_id: Returns only records with this `fieldId`.
            status: Returns only records with this `status`.
            crop_type: Returns only records with this `cropType`.
            sort: What the list is sorted by; the first is the default.
            page: The number of the page, from 1.
            limit: The most records in a page.
            order: The direction of the sort: ascending or descending.
        """
        return self._list(call(
            "GET",
            "/v1/crops",
            query={"farmId": farm_id, "fieldId": field_id, "status": status, "cropType": crop_type, "sort": sort,
                "page": page, "limit": limit, "order": order},
        ), Crop)

    async def create(
        self,
        *,
        farm_id: Id,
        field_id: Id,
        crop_type: str,
        variety: Maybe[Optional[str]] = UNSET,
        admin_crop_id: Maybe[Optional[Id]] = UNSET,
        variety_id: Maybe[Optional[Id]] = UNSET,
        planting_date: Maybe[Optional[Date]] = UNSET,
        expected_harvest_date: Maybe[Optional[Date]] = UNSET,
        actual_harvest_date: Maybe[Optional[Date]] = UNSET,
        area: Maybe[Optional[Number]] = UNSET,
        plant_count: Maybe[Optional[int]] = UNSET,
        expected_yield: Maybe[Optional[Number]] = UNSET,
        actual_yield: Maybe[Optional[Number]] = UNSET,
        yield_unit: Maybe[Literal["kg", "ton", "lb"]] = UNSET,
        status: Maybe[Literal["planned", "planted", "growing", "harvested", "failed"]] = UNSET,
        notes: Maybe[Optional[str]] = UNSET,
        idempotency_key: Optional[str] = None,
    ) -> Crop:
        """Create a crop.

        Plans or records a planting on a field. With `adminCropId` the expected harvest follows from the
        library, unless it is given. Returns the new record with its `id`. A repeated request with the same
        `Idempotency-Key` creates nothing more and returns the same response.

        Args:
            farm_id: The farm that it belongs to.
            field_id: The field that it is about.
            crop_type: What is grown, by name.
            variety: The variety, by name.
            admin_crop_id: The crop of the library, if it is one.
            variety_id: The variety of the library, if it is one.
            planting_date: The day of planting.
            expected_harvest_date: Not before plantingDate.
            actual_harvest_date: Set to today when the crop becomes harvested, unless given.
            area: In the farm's areaUnit.
            plant_count: How many plants there are.
            expected_yield: What should be harvested, in yieldUnit.
            actual_yield: What was harvested, in yieldUnit.
            yield_unit: The unit of expectedYield and actualYield.
            status: Where it stands.
            notes: Free text.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "POST",
            "/v1/crops",
            body={"farmId": farm_id, "fieldId": field_id, "cropType": crop_type, "variety": variety, "adminCropId":
                admin_crop_id, "varietyId": variety_id, "plantingDate": date_of(planting_date),
                "expectedHarvestDate": date_of(expected_harvest_date), "actualHarvestDate":
                date_of(actual_harvest_date), "area": area, "plantCount": plant_count, "expectedYield":
                expected_yield, "actualYield": actual_yield, "yieldUnit": yield_unit, "status": status, "notes":
                notes},
            idempotency_key=idempotency_key,
        ), Crop)

    async def get(self, crop: Id) -> Crop:
        """Show a crop.

        Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the record has
        not changed.
        """
        return await self._one(call("GET", ("/v1/crops/{}", crop)), Crop)

    async def update(
        self,
        crop: Id,
        *,
        crop_type: Maybe[str] = UNSET,
        variety: Maybe[Optional[str]] = UNSET,
        admin_crop_id: Maybe[Optional[Id]] = UNSET,
        variety_id: Maybe[Optional[Id]] = UNSET,
        planting_date: Maybe[Optional[Date]] = UNSET,
        expected_harvest_date: Maybe[Optional[Date]] = UNSET,
        actual_harvest_date: Maybe[Optional[Date]] = UNSET,
        area: Maybe[Optional[Number]] = UNSET,
        plant_count: Maybe[Optional[int]] = UNSET,
        expected_yield: Maybe[Optional[Number]] = UNSET,
        actual_yield: Maybe[Optional[Number]] = UNSET,
        yield_unit: Maybe[Literal["kg", "ton", "lb"]] = UNSET,
        status: Maybe[Literal["planned", "planted", "growing", "harvested", "failed"]] = UNSET,
        notes: Maybe[Optional[str]] = UNSET,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Crop:
        """Update a crop.

        Members that are left out keep their values; null clears an optional member. With `If-Match`, the
        request fails with 412 if the record has changed since.

        Args:
            crop_type: What is grown, by name.
            variety: The variety, by name.
            admin_crop_id: The crop of the library, if it is one.
            variety_id: The variety of the library, if it is one.
            planting_date: The day of planting.
            expected_harvest_date: Not before plantingDate.
            actual_harvest_date: Set to today when the crop becomes harvested, unless given.
            area: In the farm's areaUnit.
            plant_count: How many plants there are.
            expected_yield: What should be harvested, in yieldUnit.
            actual_yield: What was harvested, in yieldUnit.
            yield_unit: The unit of expectedYield and actualYield.
            status: Where it stands.
            notes: Free text.
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "PUT",
            ("/v1/crops/{}", crop),
            body={"cropType": crop_type, "variety": variety, "adminCropId": admin_crop_id, "varietyId": variety_id,
                "plantingDate": date_of(planting_date), "expectedHarvestDate": date_of(expected_harvest_date),
                "actualHarvestDate": date_of(actual_harvest_date), "area": area, "plantCount": plant_count,
                "expectedYield": expected_yield, "actualYield": actual_yield, "yieldUnit": yield_unit, "status":
                status, "notes": notes},
            if_match=if_match,
            idempotency_key=idempotency_key,
        ), Crop)

    async def delete(
        self,
        crop: Id,
        *,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> None:
        """Remove a crop.

        Removes its blocks, sales and expenses with it. Returns 204 without a body; later requests for the
        record fail with 404. With `If-Match`, the request fails with 412 if the record has changed since.

        Args:
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._deed(call(
            "DELETE",
            ("/v1/crops/{}", crop),
            if_match=if_match,
            idempotency_key=idempotency_key,
        ))

    async def move(
        self,
        crop: Id,
        *,
        status: Literal["planned", "planted", "growing", "harvested", "failed"],
        actual_harvest_date: Maybe[Optional[Date]] = UNSET,
        actual_yield: Maybe[Optional[Number]] = UNSET,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Crop:
        """Change the status of a crop.

        Returns the record after the change. Repeating the request changes nothing more.

        Args:
            status: Where it stands.
            actual_harvest_date: When it was harvested.
            actual_yield: What was harvested, in yieldUnit.
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "PUT",
            ("/v1/crops/{}/status", crop),
            body={"status": status, "actualHarvestDate": date_of(actual_harvest_date), "actualYield": actual_yield},
            if_match=if_match,
            idempotency_key=idempotency_key,
        ), Crop)


class AsyncExpensesResource(AsyncResource):
    """Sales, expenses and overheads, and their summary in one currency."""

    def list(
        self,
        farm: Id,
        *,
        category: Maybe[Literal["seeds", "fertilizer", "pesticide", "irrigation", "fuel", "equipment", "labor", "land", "transport", "utilities", "packaging", "services", "other"]] = UNSET,
        from_: Maybe[Date] = UNSET,
        to: Maybe[Date] = UNSET,
        sort: Maybe[Literal["transactionDate", "createdAt"]] = UNSET,
        page: Maybe[int] = UNSET,
        limit: Maybe[int] = UNSET,
        order: Maybe[Literal["asc", "desc"]] = UNSET,
    ) -> AsyncListing[Expense]:
        """List the expenses.

        Lists what was spent on a farm; `from` and `to` bound the date. Returns one page, the newest first by
        default; `pagination.total` counts all matching 

        Args:
            category: Returns only records with this `category`.
            from_: Only records of this time or later.
            to: Inclusive, as from is.
            sort: What the list is sorted by; the first is the default.
            page: The number of the page, from 1.
            limit: The most records in a page.
            order: The direction of the sort: ascending or descending.
        """
        return self._list(call(
            "GET",
            ("/v1/farms/{}/expenses", farm),
            query={"category": category, "from": date_of(from_), "to": date_of(to), "sort": sort, "page": page,
                "limit": limit, "order": order},
        ), Expense)

    async def create(
        self,
        farm: Id,
        *,
        amount: Number,
        category: Literal["seeds", "fertilizer", "pesticide", "irrigation", "fuel", "equipment", "labor", "land", "transport", "utilities", "packaging", "services", "other"],
        transaction_date: Date,
        crop_id: Maybe[Optional[Id]] = UNSET,
        field_id: Maybe[Optional[Id]] = UNSET,
        currency: Maybe[str] = UNSET,
        note: Maybe[Optional[str]] = UNSET,
        idempotency_key: Optional[str] = None,
    ) -> Expense:
        """Record an expense.

        Records money spent on a farm, or on one of its crops or fields. Without `currency` it is in the
        farm's. Returns the new record with its `id`. A repeated request with the same `Idempotency-Key`
        creates nothing more and returns the same response.

        Args:
            crop_id: A crop of the farm.
            field_id: A field of the farm; not together with cropId.
            amount: How much, in its currency or unit.
            currency: The farm's base currency, unless said.
            category: What kind it is.
            transaction_date: The day on which it was paid.
            note: Free text.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "POST",
            ("/v1/farms/{}/expenses", farm),
            body={"cropId": crop_id, "fieldId": field_id, "amount": amount, "currency": currency, "category":
                category, "transactionDate": date_of(transaction_date), "note": note},
            idempotency_key=idempotency_key,
        ), Expense)

    async def get(self, farm: Id, expense: Id) -> Expense:
        """Show an expense.

        Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the record has
        not changed.
        """
        return await self._one(call("GET", ("/v1/farms/{}/expenses/{}", farm, expense)), Expense)

    async def delete(
        self,
        farm: Id,
        expense: Id,
        *,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> None:
        """Remove an expense.

        Returns 204 without a body; later requests for the record fail with 404. With `If-Match`, the request
        fails with 412 if the record has changed since.

        Args:
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._deed(call(
            "DELETE",
            ("/v1/farms/{}/expenses/{}", farm, expense),
            if_match=if_match,
            idempotency_key=idempotency_key,
        ))


class AsyncFarmsResource(AsyncResource):
    """Farms: the root of land, work and money."""

    def list(
        self,
        *,
        status: Maybe[Literal["active", "inactive", "archived", "draft"]] = UNSET,
        sort: Maybe[Literal["createdAt", "name", "totalArea"]] = UNSET,
        page: Maybe[int] = UNSET,
        limit: Maybe[int] = UNSET,
        order: Maybe[Literal["asc", "desc"]] = UNSET,
    ) -> AsyncListing[Farm]:
        """List the farms.

        Lists the owner's farms; `status` narrows them. Returns one page, the newest first by default;
        `pagination.total` counts all matching 

        Args:
            status: Returns only records with this `status`.
            sort: What the list is sorted by; the first is the default.
            page: The number of the page, from 1.
            limit: The most records in a page.
            order: The direction of the sort: ascending or descending.
        """
        return self._list(call(
            "GET",
            "/v1/farms",
            query={"status": status, "sort": sort, "page": page, "limit": limit, "order": order},
        ), Farm)

    async def create(
        self,
        *,
        name: str,
        total_area: Number,
        farm_type: Maybe[str] = UNSET,
        primary_use: Maybe[str] = UNSET,
        description: Maybe[Optional[str]] = UNSET,
        address: Maybe[Optional[str]] = UNSET,
        city: Maybe[Optional[str]] = UNSET,
        region: Maybe[Optional[str]] = UNSET,
        country: Maybe[Optional[str]] = UNSET,
        location: Maybe[Optional[Union[LatLng, Mapping[str, Any]]]] = UNSET,
        boundaries: Maybe[Optional[Mapping[str, Any]]] = UNSET,
        timezone: Maybe[str] = UNSET,
        area_unit: Maybe[Literal["hectare", "acre", "square_meter", "square_foot", "feddan", "dunam"]] = UNSET,
        currency: Maybe[Optional[str]] = UNSET,
        soil_type: Maybe[Optional[str]] = UNSET,
        irrigation_system: Maybe[Optional[Literal["drip", "sprinkler", "flood", "pivot", "manual", "none"]]] = UNSET,
        irrigation_flow_rate_per_emitter: Maybe[Optional[Number]] = UNSET,
        emitters_per_plant: Maybe[Optional[int]] = UNSET,
        drip_line_spacing_meters: Maybe[Optional[Number]] = UNSET,
        status: Maybe[Literal["active", "inactive", "archived", "draft"]] = UNSET,
        idempotency_key: Optional[str] = None,
    ) -> Farm:
        """Create a farm.

        A farm is the root of fields, tasks and money. Its name is unique among the owner's farms, and the
        plan limits how many there are. Returns the new record with its `id`. A repeated request with the same
        `Idempotency-Key` creates nothing more and returns the same response.

        Args:
            name: Unique among the owner's farms.
            farm_type: What kind of farm it is.
            primary_use: What the farm is mainly used for.
            description: What it is, in the owner's words.
            address: Street and number, or how to find it.
            city: The town.
            region: The region or state.
            country: A name or an ISO 3166-1 code.
            location: The place.
            boundaries: A GeoJSON Polygon.
            timezone: A name of the tz database.
            total_area: In areaUnit.
            area_unit: Changing it converts nothing.
            currency: The currency, as an ISO 4217 code.
            soil_type: What kind of soil it is.
            irrigation_system: How it is irrigated.
            irrigation_flow_rate_per_emitter: Liters per hour.
            emitters_per_plant: Emitters for each plant.
            drip_line_spacing_meters: Between drip lines, in meters.
            status: Where it stands.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "POST",
            "/v1/farms",
            body={"name": name, "farmType": farm_type, "primaryUse": primary_use, "description": description,
                "address": address, "city": city, "region": region, "country": country, "location": location,
                "boundaries": boundaries, "timezone": timezone, "totalArea": total_area, "areaUnit": area_unit,
                "currency": currency, "soilType": soil_type, "irrigationSystem": irrigation_system,
                "irrigationFlowRatePerEmitter": irrigation_flow_rate_per_emitter, "emittersPerPlant":
                emitters_per_plant, "dripLineSpacingMeters": drip_line_spacing_meters, "status": status},
            idempotency_key=idempotency_key,
        ), Farm)

    async def get(self, farm: Id) -> Farm:
        """Show a farm.

        Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the record has
        not changed.
        """
        return await self._one(call("GET", ("/v1/farms/{}", farm)), Farm)

    async def update(
        self,
        farm: Id,
        *,
        name: Maybe[str] = UNSET,
        farm_type: Maybe[str] = UNSET,
        primary_use: Maybe[str] = UNSET,
        description: Maybe[Optional[str]] = UNSET,
        address: Maybe[Optional[str]] = UNSET,
        city: Maybe[Optional[str]] = UNSET,
        region: Maybe[Optional[str]] = UNSET,
        country: Maybe[Optional[str]] = UNSET,
        location: Maybe[Optional[Union[LatLng, Mapping[str, Any]]]] = UNSET,
        boundaries: Maybe[Optional[Mapping[str, Any]]] = UNSET,
        timezone: Maybe[str] = UNSET,
        total_area: Maybe[Number] = UNSET,
        area_unit: Maybe[Literal["hectare", "acre", "square_meter", "square_foot", "feddan", "dunam"]] = UNSET,
        currency: Maybe[Optional[str]] = UNSET,
        soil_type: Maybe[Optional[str]] = UNSET,
        irrigation_system: Maybe[Optional[Literal["drip", "sprinkler", "flood", "pivot", "manual", "none"]]] = UNSET,
        irrigation_flow_rate_per_emitter: Maybe[Optional[Number]] = UNSET,
        emitters_per_plant: Maybe[Optional[int]] = UNSET,
        drip_line_spacing_meters: Maybe[Optional[Number]] = UNSET,
        status: Maybe[Literal["active", "inactive", "archived", "draft"]] = UNSET,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Farm:
        """Update a farm.

        Members that are left out keep their values; null clears an optional member. With `If-Match`, the
        request fails with 412 if the record has changed since.

        Args:
            name: Unique among the owner's farms.
            farm_type: What kind of farm it is.
            primary_use: What the farm is mainly used for.
            description: What it is, in the owner's words.
            address: Street and number, or how to find it.
            city: The town.
            region: The region or state.
            country: A name or an ISO 3166-1 code.
            location: The place.
            boundaries: A GeoJSON Polygon.
            timezone: A name of the tz database.
            total_area: In areaUnit.
            area_unit: Changing it converts nothing.
            currency: The currency, as an ISO 4217 code.
            soil_type: What kind of soil it is.
            irrigation_system: How it is irrigated.
            irrigation_flow_rate_per_emitter: Liters per hour.
            emitters_per_plant: Emitters for each plant.
            drip_line_spacing_meters: Between drip lines, in meters.
            status: Where it stands.
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "PUT",
            ("/v1/farms/{}", farm),
            body={"name": name, "farmType": farm_type, "primaryUse": primary_use, "description": description,
                "address": address, "city": city, "region": region, "country": country, "location": location,
                "boundaries": boundaries, "timezone": timezone, "totalArea": total_area, "areaUnit": area_unit,
                "currency": currency, "soilType": soil_type, "irrigationSystem": irrigation_system,
                "irrigationFlowRatePerEmitter": irrigation_flow_rate_per_emitter, "emittersPerPlant":
                emitters_per_plant, "dripLineSpacingMeters": drip_line_spacing_meters, "status": status},
            if_match=if_match,
            idempotency_key=idempotency_key,
        ), Farm)

    async def delete(
        self,
        farm: Id,
        *,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> None:
        """Remove a farm.

        Removes everything on the farm with it: fields, crops, blocks, plants, tasks, recurring tasks and its
        money. Returns 204 without a body; later requests for the record fail with 404. With `If-Match`, the
        request fails with 412 if the record has changed since.

        Args:
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._deed(call(
            "DELETE",
            ("/v1/farms/{}", farm),
            if_match=if_match,
            idempotency_key=idempotency_key,
        ))

    async def financial_summary(
        self,
        farm: Id,
        *,
        from_: Maybe[Date] = UNSET,
        to: Maybe[Date] = UNSET,
    ) -> FinancialSummary:
        """Summarize what a farm earned and spent.

        Adds up sales, expenses and overheads in the farm's base currency, each at the exchange rate of its
        own day. Computed from the current records for each request, so there is no `ETag`.

        Args:
            from_: Only records of this time or later.
            to: Inclusive, as from is.
        """
        return await self._one(call(
            "GET",
            ("/v1/farms/{}/financial-summary", farm),
            query={"from": date_of(from_), "to": date_of(to)},
        ), FinancialSummary)

    async def health_score(self, farm: Id) -> HealthScore:
        """Score how a farm is doing.

        A score of 0 to 100 from tasks, plants, soil, irrigation and crops, with alerts for what needs
        attention. Computed from the current records for each request, so there is no `ETag`.
        """
        return await self._one(call("GET", ("/v1/farms/{}/health-score", farm)), HealthScore)

    async def yield_prediction(self, farm: Id, *, crop_id: Maybe[Id] = UNSET) -> YieldPrediction:
        """Predict what a farm's crops yield.

        Predicts the harvest of each crop that is planned or grows, with bounds and the factors that led to
        it. Computed from the current records for each request, so there is no `ETag`.

        Args:
            crop_id: Of this crop alone.
        """
        return await self._one(call(
            "GET",
            ("/v1/farms/{}/yield-prediction", farm),
            query={"cropId": crop_id},
        ), YieldPrediction)


class AsyncFertigationsResource(AsyncResource):
    """Fields and what is on them: blocks, plants, irrigations, fertigations, samples."""

    def list(
        self,
        farm: Id,
        field: Id,
        block: Id,
        *,
        from_: Maybe[Instant] = UNSET,
        to: Maybe[Instant] = UNSET,
        sort: Maybe[Literal["appliedAt", "createdAt"]] = UNSET,
        page: Maybe[int] = UNSET,
        limit: Maybe[int] = UNSET,
        order: Maybe[Literal["asc", "desc"]] = UNSET,
    ) -> AsyncListing[Fertigation]:
        """List the fertigations.

        Lists the fertigations of one block; `from` and `to` bound their time. Returns one page, the newest
        first by default; `pagination.total` counts all matching 

        Args:
            from_: Only records of this time or later.
            to: Inclusive, as from is.
            sort: What the list is sorted by; the first is the default.
            page: The number of the page, from 1.
            limit: The most records in a page.
            order: The direction of the sort: ascending or descending.
        """
        return self._list(call(
            "GET",
            ("/v1/farms/{}/fields/{}/blocks/{}/fertigations", farm, field, block),
            query={"from": from_, "to": to, "sort": sort, "page": page, "limit": limit, "order": order},
        ), Fertigation)

    async def create(
        self,
        farm: Id,
        field: Id,
        block: Id,
        *,
        applied_at: Instant,
        product: str,
        amount: Number,
        unit: Literal["kg", "gram", "liter"],
        n_percent: Maybe[Optional[Number]] = UNSET,
        p_percent: Maybe[Optional[Number]] = UNSET,
        k_percent: Maybe[Optional[Number]] = UNSET,
        water_volume: Maybe[Optional[Number]] = UNSET,
        ec: Maybe[Optional[Number]] = UNSET,
        ph: Maybe[Optional[Number]] = UNSET,
        notes: Maybe[Optional[str]] = UNSET,
        idempotency_key: Optional[str] = None,
    ) -> Fertigation:
        """Record a fertigation.

        Records what fertilizer a block was given with its water. Returns the new record with its `id`. A
        repeated request with the same `Idempotency-Key` creates nothing more and returns the same response.

        Args:
            applied_at: When it was applied.
            product: What was applied.
            amount: In unit.
            unit: The unit of the amount.
            n_percent: Nitrogen, in percent.
            p_percent: Phosphorus, in percent.
            k_percent: Potassium, in percent.
            water_volume: Cubic meters.
            ec: Electrical conductivity, in the laboratory's unit.
            ph: The pH value.
            notes: Free text.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "POST",
            ("/v1/farms/{}/fields/{}/blocks/{}/fertigations", farm, field, block),
            body={"appliedAt": applied_at, "product": product, "amount": amount, "unit": unit, "nPercent":
                n_percent, "pPercent": p_percent, "kPercent": k_percent, "waterVolume": water_volume, "ec": ec,
                "ph": ph, "notes": notes},
            idempotency_key=idempotency_key,
        ), Fertigation)

    async def get(self, farm: Id, field: Id, block: Id, fertigation: Id) -> Fertigation:
        """Show a fertigation.

        Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the record has
        not changed.
        """
        return await self._one(call(
            "GET",
            ("/v1/farms/{}/fields/{}/blocks/{}/fertigations/{}", farm, field, block, fertigation),
        ), Fertigation)

    async def delete(
        self,
        farm: Id,
        field: Id,
        block: Id,
        fertigation: Id,
        *,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> None:
        """Remove a fertigation.

        Returns 204 without a body; later requests for the record fail with 404. With `If-Match`, the request
        fails with 412 if the record has changed since.

        Args:
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._deed(call(
            "DELETE",
            ("/v1/farms/{}/fields/{}/blocks/{}/fertigations/{}", farm, field, block, fertigation),
            if_match=if_match,
            idempotency_key=idempotency_key,
        ))


class AsyncFieldsResource(AsyncResource):
    """Fields and what is on them: blocks, plants, irrigations, fertigations, samples."""

    def list(
        self,
        farm: Id,
        *,
        status: Maybe[Literal["active", "fallow", "preparing", "planted"]] = UNSET,
        sort: Maybe[Literal["createdAt", "name", "area"]] = UNSET,
        page: Maybe[int] = UNSET,
        limit: Maybe[int] = UNSET,
        order: Maybe[Literal["asc", "desc"]] = UNSET,
    ) -> AsyncListing[Field]:
        """List the fields.

        Lists the fields of one farm. Returns one page, the newest first by default; `pagination.total` counts
        all matching 

        Args:
            status: Returns only records with this `status`.
            sort: What the list is sorted by; the first is the default.
            page: The number of the page, from 1.
            limit: The most records in a page.
            order: The direction of the sort: ascending or descending.
        """
        return self._list(call(
            "GET",
            ("/v1/farms/{}/fields", farm),
            query={"status": status, "sort": sort, "page": page, "limit": limit, "order": order},
        ), Field)

    async def create(
        self,
        farm: Id,
        *,
        name: str,
        area: Number,
        soil_type: Maybe[Optional[str]] = UNSET,
        soil_ph: Maybe[Optional[Number]] = UNSET,
        status: Maybe[Literal["active", "fallow", "preparing", "planted"]] = UNSET,
        notes: Maybe[Optional[str]] = UNSET,
        description: Maybe[Optional[str]] = UNSET,
        boundaries: Maybe[Optional[Mapping[str, Any]]] = UNSET,
        irrigation_flow_rate_per_emitter: Maybe[Optional[Number]] = UNSET,
        emitters_per_plant: Maybe[Optional[int]] = UNSET,
        drip_line_spacing_meters: Maybe[Optional[Number]] = UNSET,
        custom_irrigation_system: Maybe[Optional[Literal["drip", "sprinkler", "flood", "pivot", "manual", "none"]]] = UNSET,
        idempotency_key: Optional[str] = None,
    ) -> Field:
        """Create a field.

        A field is a piece of land of a farm, in the farm's `areaUnit`. Returns the new record with its `id`.
        A repeated request with the same `Idempotency-Key` creates nothing more and returns the same response.

        Args:
            name: What it is called.
            area: In the farm's areaUnit.
            soil_type: What kind of soil it is.
            soil_ph: The pH value of the soil.
            status: Where it stands.
            notes: Free text.
            description: What it is, in the owner's words.
            boundaries: A GeoJSON Polygon.
            irrigation_flow_rate_per_emitter: Liters per hour; overrides the farm's.
            emitters_per_plant: Emitters for each plant.
            drip_line_spacing_meters: Between drip lines, in meters.
            custom_irrigation_system: How this field is irrigated, if not as the farm is.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "POST",
            ("/v1/farms/{}/fields", farm),
            body={"name": name, "area": area, "soilType": soil_type, "soilPh": soil_ph, "status": status, "notes":
                notes, "description": description, "boundaries": boundaries, "irrigationFlowRatePerEmitter":
                irrigation_flow_rate_per_emitter, "emittersPerPlant": emitters_per_plant, "dripLineSpacingMeters":
                drip_line_spacing_meters, "customIrrigationSystem": custom_irrigation_system},
            idempotency_key=idempotency_key,
        ), Field)

    async def get(self, farm: Id, field: Id) -> Field:
        """Show a field.

        Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the record has
        not changed.
        """
        return await self._one(call("GET", ("/v1/farms/{}/fields/{}", farm, field)), Field)

    async def update(
        self,
        farm: Id,
        field: Id,
        *,
        name: Maybe[str] = UNSET,
        area: Maybe[Number] = UNSET,
        soil_type: Maybe[Optional[str]] = UNSET,
        soil_ph: Maybe[Optional[Number]] = UNSET,
        status: Maybe[Literal["active", "fallow", "preparing", "planted"]] = UNSET,
        notes: Maybe[Optional[str]] = UNSET,
        description: Maybe[Optional[str]] = UNSET,
        boundaries: Maybe[Optional[Mapping[str, Any]]] = UNSET,
        irrigation_flow_rate_per_emitter: Maybe[Optional[Number]] = UNSET,
        emitters_per_plant: Maybe[Optional[int]] = UNSET,
        drip_line_spacing_meters: Maybe[Optional[Number]] = UNSET,
        custom_irrigation_system: Maybe[Optional[Literal["drip", "sprinkler", "flood", "pivot", "manual", "none"]]] = UNSET,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Field:
        """Update a field.

        Members that are left out keep their values; null clears an optional member. With `If-Match`, the
        request fails with 412 if the record has changed since.

        Args:
            name: What it is called.
            area: In the farm's areaUnit.
            soil_type: What kind of soil it is.
            soil_ph: The pH value of the soil.
            status: Where it stands.
            notes: Free text.
            description: What it is, in the owner's words.
            boundaries: A GeoJSON Polygon.
            irrigation_flow_rate_per_emitter: Liters per hour; overrides the farm's.
            emitters_per_plant: Emitters for each plant.
            drip_line_spacing_meters: Between drip lines, in meters.
            custom_irrigation_system: How this field is irrigated, if not as the farm is.
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "PUT",
            ("/v1/farms/{}/fields/{}", farm, field),
            body={"name": name, "area": area, "soilType": soil_type, "soilPh": soil_ph, "status": status, "notes":
                notes, "description": description, "boundaries": boundaries, "irrigationFlowRatePerEmitter":
                irrigation_flow_rate_per_emitter, "emittersPerPlant": emitters_per_plant, "dripLineSpacingMeters":
                drip_line_spacing_meters, "customIrrigationSystem": custom_irrigation_system},
            if_match=if_match,
            idempotency_key=idempotency_key,
        ), Field)

    async def delete(
        self,
        farm: Id,
        field: Id,
        *,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> None:
        """Remove a field.

        Removes its crops, blocks, irrigations, soil samples and expenses with it. Returns 204 without a body;
        later requests for the record fail with 404. With `If-Match`, the request fails with 412 if the record
        has changed since.

        Args:
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._deed(call(
            "DELETE",
            ("/v1/farms/{}/fields/{}", farm, field),
            if_match=if_match,
            idempotency_key=idempotency_key,
        ))


class AsyncIrrigationsResource(AsyncResource):
    """Fields and what is on them: blocks, plants, irrigations, fertigations, samples."""

    def list(
        self,
        farm: Id,
        field: Id,
        *,
        from_: Maybe[Instant] = UNSET,
        to: Maybe[Instant] = UNSET,
        sort: Maybe[Literal["startedAt", "createdAt"]] = UNSET,
        page: Maybe[int] = UNSET,
        limit: Maybe[int] = UNSET,
        order: Maybe[Literal["asc", "desc"]] = UNSET,
    ) -> AsyncListing[Irrigation]:
        """List the irrigations.

        Lists the irrigations of one field; `from` and `to` bound their time. Returns one page, the newest
        first by default; `pagination.total` counts all matching 

        Args:
            from_: Only records of this time or later.
            to: Inclusive, as from is.
            sort: What the list is sorted by; the first is the default.
            page: The number of the page, from 1.
            limit: The most records in a page.
            order: The direction of the sort: ascending or descending.
        """
        return self._list(call(
            "GET",
            ("/v1/farms/{}/fields/{}/irrigations", farm, field),
            query={"from": from_, "to": to, "sort": sort, "page": page, "limit": limit, "order": order},
        ), Irrigation)

    async def create(
        self,
        farm: Id,
        field: Id,
        *,
        started_at: Instant,
        duration_minutes: int,
        water_volume: Number,
        volume_unit: Maybe[Literal["m3", "liter"]] = UNSET,
        method: Maybe[Optional[Literal["drip", "sprinkler", "flood", "pivot", "manual", "none"]]] = UNSET,
        notes: Maybe[Optional[str]] = UNSET,
        idempotency_key: Optional[str] = None,
    ) -> Irrigation:
        """Record an irrigation.

        Records how long and with how much water a field was irrigated. Returns the new record with its `id`.
        A repeated request with the same `Idempotency-Key` creates nothing more and returns the same response.

        Args:
            started_at: When it began.
            duration_minutes: How long it took, in minutes.
            water_volume: In volumeUnit.
            volume_unit: The unit of waterVolume.
            method: The way in which it was done.
            notes: Free text.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "POST",
            ("/v1/farms/{}/fields/{}/irrigations", farm, field),
            body={"startedAt": started_at, "durationMinutes": duration_minutes, "waterVolume": water_volume,
                "volumeUnit": volume_unit, "method": method, "notes": notes},
            idempotency_key=idempotency_key,
        ), Irrigation)

    async def get(self, farm: Id, field: Id, irrigation: Id) -> Irrigation:
        """Show an irrigation.

        Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the record has
        not changed.
        """
        return await self._one(call(
            "GET",
            ("/v1/farms/{}/fields/{}/irrigations/{}", farm, field, irrigation),
        ), Irrigation)

    async def delete(
        self,
        farm: Id,
        field: Id,
        irrigation: Id,
        *,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> None:
        """Remove an irrigation.

        Returns 204 without a body; later requests for the record fail with 404. With `If-Match`, the request
        fails with 412 if the record has changed since.

        Args:
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._deed(call(
            "DELETE",
            ("/v1/farms/{}/fields/{}/irrigations/{}", farm, field, irrigation),
            if_match=if_match,
            idempotency_key=idempotency_key,
        ))


class AsyncLeafSamplesResource(AsyncResource):
    """Fields and what is on them: blocks, plants, irrigations, fertigations, samples."""

    def list(
        self,
        farm: Id,
        field: Id,
        block: Id,
        *,
        from_: Maybe[Instant] = UNSET,
        to: Maybe[Instant] = UNSET,
        sort: Maybe[Literal["sampledAt", "createdAt"]] = UNSET,
        page: Maybe[int] = UNSET,
        limit: Maybe[int] = UNSET,
        order: Maybe[Literal["asc", "desc"]] = UNSET,
    ) -> AsyncListing[LeafSample]:
        """List the leaf samples.

        Lists the leaf samples of one block; `from` and `to` bound their time. Returns one page, the newest
        first by default; `pagination.total` counts all matching 

        Args:
            from_: Only records of this time or later.
            to: Inclusive, as from is.
            sort: What the list is sorted by; the first is the default.
            page: The number of the page, from 1.
            limit: The most records in a page.
            order: The direction of the sort: ascending or descending.
        """
        return self._list(call(
            "GET",
            ("/v1/farms/{}/fields/{}/blocks/{}/leaf-samples", farm, field, block),
            query={"from": from_, "to": to, "sort": sort, "page": page, "limit": limit, "order": order},
        ), LeafSample)

    async def create(
        self,
        farm: Id,
        field: Id,
        block: Id,
        *,
        sampled_at: Instant,
        lab: Maybe[Optional[str]] = UNSET,
        tissue: Maybe[Optional[Literal["leaf", "petiole"]]] = UNSET,
        growth_stage: Maybe[Optional[str]] = UNSET,
        nitrogen: Maybe[Optional[Number]] = UNSET,
        phosphorus: Maybe[Optional[Number]] = UNSET,
        potassium: Maybe[Optional[Number]] = UNSET,
        calcium: Maybe[Optional[Number]] = UNSET,
        magnesium: Maybe[Optional[Number]] = UNSET,
        sodium: Maybe[Optional[Number]] = UNSET,
        sulfur: Maybe[Optional[Number]] = UNSET,
        zinc: Maybe[Optional[Number]] = UNSET,
        manganese: Maybe[Optional[Number]] = UNSET,
        iron: Maybe[Optional[Number]] = UNSET,
        copper: Maybe[Optional[Number]] = UNSET,
        boron: Maybe[Optional[Number]] = UNSET,
        notes: Maybe[Optional[str]] = UNSET,
        idempotency_key: Optional[str] = None,
    ) -> LeafSample:
        """Record a leaf sample.

        Records what a laboratory found in the leaves of a block. Returns the new record with its `id`. A
        repeated request with the same `Idempotency-Key` creates nothing more and returns the same response.

        Args:
            sampled_at: When the sample was taken.
            lab: The laboratory.
            tissue: What part of the leaf was sampled.
            growth_stage: How far the plants had grown.
            nitrogen: Nitrogen, in the laboratory's unit.
            phosphorus: Phosphorus, in the laboratory's unit.
            potassium: Potassium, in the laboratory's unit.
            calcium: Calcium, in the laboratory's unit.
            magnesium: Magnesium, in the laboratory's unit.
            sodium: Sodium, in the laboratory's unit.
            sulfur: Sulfur, in the laboratory's unit.
            zinc: Zinc, in the laboratory's unit.
            manganese: Manganese, in the laboratory's unit.
            iron: Iron, in the laboratory's unit.
            copper: Copper, in the laboratory's unit.
            boron: Boron, in the laboratory's unit.
            notes: Free text.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "POST",
            ("/v1/farms/{}/fields/{}/blocks/{}/leaf-samples", farm, field, block),
            body={"sampledAt": sampled_at, "lab": lab, "tissue": tissue, "growthStage": growth_stage, "nitrogen":
                nitrogen, "phosphorus": phosphorus, "potassium": potassium, "calcium": calcium, "magnesium":
                magnesium, "sodium": sodium, "sulfur": sulfur, "zinc": zinc, "manganese": manganese, "iron": iron,
                "copper": copper, "boron": boron, "notes": notes},
            idempotency_key=idempotency_key,
        ), LeafSample)

    async def get(self, farm: Id, field: Id, block: Id, leaf_sample: Id) -> LeafSample:
        """Show a leaf sample.

        Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the record has
        not changed.
        """
        return await self._one(call(
            "GET",
            ("/v1/farms/{}/fields/{}/blocks/{}/leaf-samples/{}", farm, field, block, leaf_sample),
        ), LeafSample)

    async def delete(
        self,
        farm: Id,
        field: Id,
        block: Id,
        leaf_sample: Id,
        *,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> None:
        """Remove a leaf sample.

        Returns 204 without a body; later requests for the record fail with 404. With `If-Match`, the request
        fails with 412 if the record has changed since.

        Args:
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._deed(call(
            "DELETE",
            ("/v1/farms/{}/fields/{}/blocks/{}/leaf-samples/{}", farm, field, block, leaf_sample),
            if_match=if_match,
            idempotency_key=idempotency_key,
        ))


class AsyncOverheadsResource(AsyncResource):
    """Sales, expenses and overheads, and their summary in one currency."""

    def list(
        self,
        farm: Id,
        *,
        category: Maybe[Literal["rent", "insurance", "tax", "salaries", "maintenance", "utilities", "administration", "interest", "depreciation", "other"]] = UNSET,
        from_: Maybe[Date] = UNSET,
        to: Maybe[Date] = UNSET,
        sort: Maybe[Literal["transactionDate", "createdAt"]] = UNSET,
        page: Maybe[int] = UNSET,
        limit: Maybe[int] = UNSET,
        order: Maybe[Literal["asc", "desc"]] = UNSET,
    ) -> AsyncListing[Overhead]:
        """List the overheads.

        Lists what was spent on a farm as a whole; `from` and `to` bound the date. Returns one page, the
        newest first by default; `pagination.total` counts all matching 

        Args:
            category: Returns only records with this `category`.
            from_: Only records of this time or later.
            to: Inclusive, as from is.
            sort: What the list is sorted by; the first is the default.
            page: The number of the page, from 1.
            limit: The most records in a page.
            order: The direction of the sort: ascending or descending.
        """
        return self._list(call(
            "GET",
            ("/v1/farms/{}/overheads", farm),
            query={"category": category, "from": date_of(from_), "to": date_of(to), "sort": sort, "page": page,
                "limit": limit, "order": order},
        ), Overhead)

    async def create(
        self,
        farm: Id,
        *,
        amount: Number,
        category: Literal["rent", "insurance", "tax", "salaries", "maintenance", "utilities", "administration", "interest", "depreciation", "other"],
        transaction_date: Date,
        currency: Maybe[str] = UNSET,
        note: Maybe[Optional[str]] = UNSET,
        period: Maybe[Literal["one_time", "monthly", "yearly"]] = UNSET,
        idempotency_key: Optional[str] = None,
    ) -> Overhead:
        """Record an overhead.

        Records money spent on a farm as a whole, such as rent. It counts once, on its date. Returns the new
        record with its `id`. A repeated request with the same `Idempotency-Key` creates nothing more and
        returns the same response.

        Args:
            amount: How much, in its currency or unit.
            currency: The farm's base currency, unless said.
            category: What kind it is.
            transaction_date: The day on which it was paid.
            note: Free text.
            period: What it paid for; it counts once, on its date.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "POST",
            ("/v1/farms/{}/overheads", farm),
            body={"amount": amount, "currency": currency, "category": category, "transactionDate":
                date_of(transaction_date), "note": note, "period": period},
            idempotency_key=idempotency_key,
        ), Overhead)

    async def get(self, farm: Id, overhead: Id) -> Overhead:
        """Show an overhead.

        Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the record has
        not changed.
        """
        return await self._one(call("GET", ("/v1/farms/{}/overheads/{}", farm, overhead)), Overhead)

    async def delete(
        self,
        farm: Id,
        overhead: Id,
        *,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> None:
        """Remove an overhead.

        Returns 204 without a body; later requests for the record fail with 404. With `If-Match`, the request
        fails with 412 if the record has changed since.

        Args:
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._deed(call(
            "DELETE",
            ("/v1/farms/{}/overheads/{}", farm, overhead),
            if_match=if_match,
            idempotency_key=idempotency_key,
        ))


class AsyncPlantsResource(AsyncResource):
    """Fields and what is on them: blocks, plants, irrigations, fertigations, samples."""

    def list(
        self,
        farm: Id,
        field: Id,
        block: Id,
        *,
        status: Maybe[Literal["alive", "sick", "dead", "replaced", "removed"]] = UNSET,
        sort: Maybe[Literal["createdAt", "label"]] = UNSET,
        page: Maybe[int] = UNSET,
        limit: Maybe[int] = UNSET,
        order: Maybe[Literal["asc", "desc"]] = UNSET,
    ) -> AsyncListing[Plant]:
        """List the plants.

        Lists the plants of one block. Returns all of them in one response, or one page if `page` or `limit`
        is given.

        Args:
            status: Returns only records with this `status`.
            sort: What the list is sorted by; the first is the default.
            page: The number of the page, from 1.
            limit: The most records in a page.
            order: The direction of the sort: ascending or descending.
        """
        return self._list(call(
            "GET",
            ("/v1/farms/{}/fields/{}/blocks/{}/plants", farm, field, block),
            query={"status": status, "sort": sort, "page": page, "limit": limit, "order": order},
        ), Plant, at_once=True)

    async def create(
        self,
        farm: Id,
        field: Id,
        block: Id,
        *,
        label: str,
        tag_id: Maybe[Optional[str]] = UNSET,
        position: Maybe[Optional[Union[LatLng, Mapping[str, Any]]]] = UNSET,
        planted_at: Maybe[Optional[Date]] = UNSET,
        status: Maybe[Literal["alive", "sick", "dead", "replaced", "removed"]] = UNSET,
        notes: Maybe[Optional[str]] = UNSET,
        idempotency_key: Optional[str] = None,
    ) -> Plant:
        """Create a plant.

        Registers one plant, with its tag and its place in the block. A `tagId` is unique among the block's
        plants. Returns the new record with its `id`. A repeated request with the same `Idempotency-Key`
        creates nothing more and returns the same response.

        Args:
            label: What the plant is called in its block.
            tag_id: QR, RFID or barcode; unique within the block.
            position: Where it stands in its block.
            planted_at: When it was planted.
            status: Where it stands.
            notes: Free text.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "POST",
            ("/v1/farms/{}/fields/{}/blocks/{}/plants", farm, field, block),
            body={"label": label, "tagId": tag_id, "position": position, "plantedAt": date_of(planted_at), "status":
                status, "notes": notes},
            idempotency_key=idempotency_key,
        ), Plant)

    async def get(self, farm: Id, field: Id, block: Id, plant: Id) -> Plant:
        """Show a plant.

        Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the record has
        not changed.
        """
        return await self._one(call(
            "GET",
            ("/v1/farms/{}/fields/{}/blocks/{}/plants/{}", farm, field, block, plant),
        ), Plant)

    async def update(
        self,
        farm: Id,
        field: Id,
        block: Id,
        plant: Id,
        *,
        label: Maybe[str] = UNSET,
        tag_id: Maybe[Optional[str]] = UNSET,
        position: Maybe[Optional[Union[LatLng, Mapping[str, Any]]]] = UNSET,
        planted_at: Maybe[Optional[Date]] = UNSET,
        status: Maybe[Literal["alive", "sick", "dead", "replaced", "removed"]] = UNSET,
        notes: Maybe[Optional[str]] = UNSET,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Plant:
        """Update a plant.

        Members that are left out keep their values; null clears an optional member. With `If-Match`, the
        request fails with 412 if the record has changed since.

        Args:
            label: What the plant is called in its block.
            tag_id: QR, RFID or barcode; unique within the block.
            position: Where it stands in its block.
            planted_at: When it was planted.
            status: Where it stands.
            notes: Free text.
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "PUT",
            ("/v1/farms/{}/fields/{}/blocks/{}/plants/{}", farm, field, block, plant),
            body={"label": label, "tagId": tag_id, "position": position, "plantedAt": date_of(planted_at), "status":
                status, "notes": notes},
            if_match=if_match,
            idempotency_key=idempotency_key,
        ), Plant)

    async def delete(
        self,
        farm: Id,
        field: Id,
        block: Id,
        plant: Id,
        *,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> None:
        """Remove a plant.

        Returns 204 without a body; later requests for the record fail with 404. With `If-Match`, the request
        fails with 412 if the record has changed since.

        Args:
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._deed(call(
            "DELETE",
            ("/v1/farms/{}/fields/{}/blocks/{}/plants/{}", farm, field, block, plant),
            if_match=if_match,
            idempotency_key=idempotency_key,
        ))


class AsyncPriceReportsResource(AsyncResource):
    """Prices that owners report, and what crops cost in a country."""

    def list(
        self,
        *,
        farm_id: Maybe[Id] = UNSET,
        crop_name: Maybe[str] = UNSET,
        from_: Maybe[Date] = UNSET,
        to: Maybe[Date] = UNSET,
        sort: Maybe[Literal["createdAt", "observedOn"]] = UNSET,
        page: Maybe[int] = UNSET,
        limit: Maybe[int] = UNSET,
        order: Maybe[Literal["asc", "desc"]] = UNSET,
    ) -> AsyncListing[PriceReport]:
        """List the price reports.

        Lists the prices that the owner has reported. Returns one page, the newest first by default;
        `pagination.total` counts all matching 

        Args:
            farm_id: Returns only records with this `farmId`.
            crop_name: Returns only records with this `cropName`.
            from_: Only records of this time or later.
            to: Inclusive, as from is.
            sort: What the list is sorted by; the first is the default.
            page: The number of the page, from 1.
            limit: The most records in a page.
            order: The direction of the sort: ascending or descending.
        """
        return self._list(call(
            "GET",
            "/v1/market/price-reports",
            query={"farmId": farm_id, "cropName": crop_name, "from": date_of(from_), "to": date_of(to), "sort":
                sort, "page": page, "limit": limit, "order": order},
        ), PriceReport)

    async def create(
        self,
        *,
        farm_id: Id,
        crop_name: str,
        price: Number,
        unit: Literal["per_kg", "per_ton", "per_lb", "per_bushel"],
        observed_on: Date,
        quantity: Maybe[Optional[Number]] = UNSET,
        currency: Maybe[str] = UNSET,
        idempotency_key: Optional[str] = None,
    ) -> PriceReport:
        """Report a price.

        Reports a price that others paid for a crop. It counts for a year in the prices of the farm's country.
        Returns the new record with its `id`. A repeated request with the same `Idempotency-Key` creates
        nothing more and returns the same response.

        Args:
            farm_id: The farm that it belongs to.
            crop_name: The crop, by name.
            price: The price of one unit.
            unit: The unit of the amount.
            quantity: In the unit of its price.
            currency: The farm's base currency, unless said.
            observed_on: Not after today, in UTC.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "POST",
            "/v1/market/price-reports",
            body={"farmId": farm_id, "cropName": crop_name, "price": price, "unit": unit, "quantity": quantity,
                "currency": currency, "observedOn": date_of(observed_on)},
            idempotency_key=idempotency_key,
        ), PriceReport)

    async def delete(
        self,
        price_report: Id,
        *,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> None:
        """Remove a price report.

        Returns 204 without a body; later requests for the record fail with 404. With `If-Match`, the request
        fails with 412 if the record has changed since.

        Args:
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._deed(call(
            "DELETE",
            ("/v1/market/price-reports/{}", price_report),
            if_match=if_match,
            idempotency_key=idempotency_key,
        ))


class AsyncRecurringTasksResource(AsyncResource):
    """Tasks, the templates they are made of, and the rules by which they recur."""

    def list(
        self,
        *,
        farm_id: Maybe[Id] = UNSET,
        template_id: Maybe[Id] = UNSET,
        pattern: Maybe[Literal["daily", "weekly", "monthly", "yearly", "custom"]] = UNSET,
        is_active: Maybe[bool] = UNSET,
        sort: Maybe[Literal["createdAt", "nextOccurrence"]] = UNSET,
        page: Maybe[int] = UNSET,
        limit: Maybe[int] = UNSET,
        order: Maybe[Literal["asc", "desc"]] = UNSET,
    ) -> AsyncListing[RecurringTask]:
        """List the recurring tasks.

        Lists the rules by which tasks are made, with the next occurrence of each. Returns one page, the
        newest first by default; `pagination.total` counts all matching 

        Args:
            farm_id: Returns only records with this `farmId`.
            template_id: Returns only records with this `templateId`.
            pattern: Returns only records with this `pattern`.
            is_active: Returns only records with this `isActive`.
            sort: What the list is sorted by; the first is the default.
            page: The number of the page, from 1.
            limit: The most records in a page.
            order: The direction of the sort: ascending or descending.
        """
        return self._list(call(
            "GET",
            "/v1/recurring-tasks",
            query={"farmId": farm_id, "templateId": template_id, "pattern": pattern, "isActive": is_active, "sort":
                sort, "page": page, "limit": limit, "order": order},
        ), RecurringTask)

    async def create(
        self,
        *,
        farm_id: Id,
        template_id: Id,
        pattern: Literal["daily", "weekly", "monthly", "yearly", "custom"],
        start_date: Instant,
        interval: Maybe[int] = UNSET,
        days_of_week: Maybe[Optional[Sequence[int]]] = UNSET,
        day_of_month: Maybe[Optional[int]] = UNSET,
        month_of_year: Maybe[Optional[int]] = UNSET,
        end_date: Maybe[Optional[Instant]] = UNSET,
        generate_days_before: Maybe[int] = UNSET,
        assigned_to: Maybe[Optional[str]] = UNSET,
        field_name: Maybe[Optional[str]] = UNSET,
        is_active: Maybe[bool] = UNSET,
        idempotency_key: Optional[str] = None,
    ) -> RecurringTask:
        """Create a recurring task.

        Makes a task from a template at each occurrence, in the farm's time zone. Tasks that are due already
        exist when the response arrives. Returns the new record with its `id`. A repeated request with the
        same `Idempotency-Key` creates nothing more and returns the same response.

        Args:
            farm_id: The farm that it belongs to.
            template_id: The template of its tasks.
            pattern: custom is every interval days.
            interval: Every how many days, weeks, months or years.
            days_of_week: 0 is Sunday. Of weekly; else startDate's.
            day_of_month: Of monthly and yearly; a month without it: its last.
            month_of_year: Of yearly.
            start_date: Gives the wall time; cut to whole seconds.
            end_date: The last possible occurrence.
            generate_days_before: Local days before an occurrence its task is made.
            assigned_to: Who does it, as a name.
            field_name: The field in words, where no field is linked.
            is_active: Whether it is in use.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "POST",
            "/v1/recurring-tasks",
            body={"farmId": farm_id, "templateId": template_id, "pattern": pattern, "interval": interval,
                "daysOfWeek": days_of_week, "dayOfMonth": day_of_month, "monthOfYear": month_of_year, "startDate":
                start_date, "endDate": end_date, "generateDaysBefore": generate_days_before, "assignedTo":
                assigned_to, "fieldName": field_name, "isActive": is_active},
            idempotency_key=idempotency_key,
        ), RecurringTask)

    async def get(self, recurring_task: Id) -> RecurringTask:
        """Show a recurring task.

        Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the record has
        not changed.
        """
        return await self._one(call("GET", ("/v1/recurring-tasks/{}", recurring_task)), RecurringTask)

    async def update(
        self,
        recurring_task: Id,
        *,
        template_id: Maybe[Id] = UNSET,
        pattern: Maybe[Literal["daily", "weekly", "monthly", "yearly", "custom"]] = UNSET,
        interval: Maybe[int] = UNSET,
        days_of_week: Maybe[Optional[Sequence[int]]] = UNSET,
        day_of_month: Maybe[Optional[int]] = UNSET,
        month_of_year: Maybe[Optional[int]] = UNSET,
        start_date: Maybe[Instant] = UNSET,
        end_date: Maybe[Optional[Instant]] = UNSET,
        generate_days_before: Maybe[int] = UNSET,
        assigned_to: Maybe[Optional[str]] = UNSET,
        field_name: Maybe[Optional[str]] = UNSET,
        is_active: Maybe[bool] = UNSET,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> RecurringTask:
        """Update a recurring task.

        Tasks that were made before stay as they are; the next ones follow the new rule. Members that are left
        out keep their values; null clears an optional member. With `If-Match`, the request fails with 412 if
        the record has changed since.

        Args:
            template_id: The template of its tasks.
            pattern: custom is every interval days.
            interval: Every how many days, weeks, months or years.
            days_of_week: 0 is Sunday. Of weekly; else startDate's.
            day_of_month: Of monthly and yearly; a month without it: its last.
            month_of_year: Of yearly.
            start_date: Gives the wall time; cut to whole seconds.
            end_date: The last possible occurrence.
            generate_days_before: Local days before an occurrence its task is made.
            assigned_to: Who does it, as a name.
            field_name: The field in words, where no field is linked.
            is_active: Whether it is in use.
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "PUT",
            ("/v1/recurring-tasks/{}", recurring_task),
            body={"templateId": template_id, "pattern": pattern, "interval": interval, "daysOfWeek": days_of_week,
                "dayOfMonth": day_of_month, "monthOfYear": month_of_year, "startDate": start_date, "endDate":
                end_date, "generateDaysBefore": generate_days_before, "assignedTo": assigned_to, "fieldName":
                field_name, "isActive": is_active},
            if_match=if_match,
            idempotency_key=idempotency_key,
        ), RecurringTask)

    async def delete(
        self,
        recurring_task: Id,
        *,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> None:
        """Remove a recurring task.

        Tasks that were made before stay. Returns 204 without a body; later requests for the record fail with
        404. With `If-Match`, the request fails with 412 if the record has changed since.

        Args:
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._deed(call(
            "DELETE",
            ("/v1/recurring-tasks/{}", recurring_task),
            if_match=if_match,
            idempotency_key=idempotency_key,
        ))


class AsyncRegionalPricesResource(AsyncResource):
    """Prices that owners report, and what crops cost in a country."""

    async def list(
        self,
        *,
        country: str,
        crop_name: Maybe[str] = UNSET,
    ) -> Table[RegionalPrice, RegionalPricesMeta]:
        """Show what crops cost in a country.

        One row for each crop: the average, the lowest and the highest price of a metric ton over the last
        year. A crop is shown once enough farms contribute to it.

        Args:
            country: A name or an ISO 3166-1 code.
            crop_name: Without case; as it is canonical.
        """
        return await self._table(call(
            "GET",
            "/v1/market/regional-prices",
            query={"country": country, "cropName": crop_name},
        ), RegionalPrice, RegionalPricesMeta)


class AsyncSalesResource(AsyncResource):
    """Sales, expenses and overheads, and their summary in one currency."""

    def list(
        self,
        crop: Id,
        *,
        from_: Maybe[Date] = UNSET,
        to: Maybe[Date] = UNSET,
        sort: Maybe[Literal["saleDate", "createdAt"]] = UNSET,
        page: Maybe[int] = UNSET,
        limit: Maybe[int] = UNSET,
        order: Maybe[Literal["asc", "desc"]] = UNSET,
    ) -> AsyncListing[Sale]:
        """List the sales.

        Lists the sales of one crop. Returns one page, the newest first by default; `pagination.total` counts
        all matching 

        Args:
            from_: Only records of this time or later.
            to: Inclusive, as from is.
            sort: What the list is sorted by; the first is the default.
            page: The number of the page, from 1.
            limit: The most records in a page.
            order: The direction of the sort: ascending or descending.
        """
        return self._list(call(
            "GET",
            ("/v1/crops/{}/sales", crop),
            query={"from": date_of(from_), "to": date_of(to), "sort": sort, "page": page, "limit": limit, "order":
                order},
        ), Sale)

    async def create(
        self,
        crop: Id,
        *,
        quantity: Number,
        unit: Literal["kg", "ton", "lb"],
        price_per_unit: Number,
        sale_date: Date,
        currency: Maybe[str] = UNSET,
        buyer: Maybe[Optional[str]] = UNSET,
        note: Maybe[Optional[str]] = UNSET,
        idempotency_key: Optional[str] = None,
    ) -> Sale:
        """Record a sale.

        Records a sale of a crop's harvest; `totalAmount` is computed. Without `currency` it is in the farm's.
        Returns the new record with its `id`. A repeated request with the same `Idempotency-Key` creates
        nothing more and returns the same response.

        Args:
            quantity: In unit.
            unit: The unit of the amount.
            price_per_unit: The price of one unit.
            currency: The farm's base currency, unless said.
            sale_date: The day of the sale.
            buyer: Who bought it.
            note: Free text.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "POST",
            ("/v1/crops/{}/sales", crop),
            body={"quantity": quantity, "unit": unit, "pricePerUnit": price_per_unit, "currency": currency,
                "saleDate": date_of(sale_date), "buyer": buyer, "note": note},
            idempotency_key=idempotency_key,
        ), Sale)

    async def get(self, crop: Id, sale: Id) -> Sale:
        """Show a sale.

        Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the record has
        not changed.
        """
        return await self._one(call("GET", ("/v1/crops/{}/sales/{}", crop, sale)), Sale)

    async def delete(
        self,
        crop: Id,
        sale: Id,
        *,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> None:
        """Remove a sale.

        Returns 204 without a body; later requests for the record fail with 404. With `If-Match`, the request
        fails with 412 if the record has changed since.

        Args:
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._deed(call(
            "DELETE",
            ("/v1/crops/{}/sales/{}", crop, sale),
            if_match=if_match,
            idempotency_key=idempotency_key,
        ))


class AsyncSoilSamplesResource(AsyncResource):
    """Fields and what is on them: blocks, plants, irrigations, fertigations, samples."""

    def list(
        self,
        farm: Id,
        field: Id,
        *,
        from_: Maybe[Instant] = UNSET,
        to: Maybe[Instant] = UNSET,
        sort: Maybe[Literal["sampledAt", "createdAt"]] = UNSET,
        page: Maybe[int] = UNSET,
        limit: Maybe[int] = UNSET,
        order: Maybe[Literal["asc", "desc"]] = UNSET,
    ) -> AsyncListing[SoilSample]:
        """List the soil samples.

        Lists the soil samples of one field; `from` and `to` bound their time. Returns one page, the newest
        first by default; `pagination.total` counts all matching 

        Args:
            from_: Only records of this time or later.
            to: Inclusive, as from is.
            sort: What the list is sorted by; the first is the default.
            page: The number of the page, from 1.
            limit: The most records in a page.
            order: The direction of the sort: ascending or descending.
        """
        return self._list(call(
            "GET",
            ("/v1/farms/{}/fields/{}/soil-samples", farm, field),
            query={"from": from_, "to": to, "sort": sort, "page": page, "limit": limit, "order": order},
        ), SoilSample)

    async def create(
        self,
        farm: Id,
        field: Id,
        *,
        sampled_at: Instant,
        lab: Maybe[Optional[str]] = UNSET,
        depth_from_cm: Maybe[Optional[Number]] = UNSET,
        depth_to_cm: Maybe[Optional[Number]] = UNSET,
        texture: Maybe[Optional[Literal["sand", "loamy_sand", "sandy_loam", "loam", "silt_loam", "silt", "sandy_clay_loam", "clay_loam", "silty_clay_loam", "sandy_clay", "silty_clay", "clay"]]] = UNSET,
        ph: Maybe[Optional[Number]] = UNSET,
        ec: Maybe[Optional[Number]] = UNSET,
        organic_matter: Maybe[Optional[Number]] = UNSET,
        nitrogen: Maybe[Optional[Number]] = UNSET,
        phosphorus: Maybe[Optional[Number]] = UNSET,
        potassium: Maybe[Optional[Number]] = UNSET,
        calcium: Maybe[Optional[Number]] = UNSET,
        magnesium: Maybe[Optional[Number]] = UNSET,
        sodium: Maybe[Optional[Number]] = UNSET,
        sulfur: Maybe[Optional[Number]] = UNSET,
        zinc: Maybe[Optional[Number]] = UNSET,
        manganese: Maybe[Optional[Number]] = UNSET,
        iron: Maybe[Optional[Number]] = UNSET,
        copper: Maybe[Optional[Number]] = UNSET,
        boron: Maybe[Optional[Number]] = UNSET,
        cec: Maybe[Optional[Number]] = UNSET,
        location: Maybe[Optional[Union[LatLng, Mapping[str, Any]]]] = UNSET,
        notes: Maybe[Optional[str]] = UNSET,
        idempotency_key: Optional[str] = None,
    ) -> SoilSample:
        """Record a soil sample.

        Records what a laboratory found in a field's soil. The newest `ph` becomes the field's `soilPh`.
        Returns the new record with its `id`. A repeated request with the same `Idempotency-Key` creates
        nothing more and returns the same response.

        Args:
            sampled_at: When the sample was taken.
            lab: The laboratory.
            depth_from_cm: The upper end of the sample, in centimeters.
            depth_to_cm: More than depthFromCm.
            texture: The soil's texture.
            ph: The newest one is the field's soilPh.
            ec: Electrical conductivity, in the laboratory's unit.
            organic_matter: Organic matter, in the laboratory's unit.
            nitrogen: Nitrogen, in the laboratory's unit.
            phosphorus: Phosphorus, in the laboratory's unit.
            potassium: Potassium, in the laboratory's unit.
            calcium: Calcium, in the laboratory's unit.
            magnesium: Magnesium, in the laboratory's unit.
            sodium: Sodium, in the laboratory's unit.
            sulfur: Sulfur, in the laboratory's unit.
            zinc: Zinc, in the laboratory's unit.
            manganese: Manganese, in the laboratory's unit.
            iron: Iron, in the laboratory's unit.
            copper: Copper, in the laboratory's unit.
            boron: Boron, in the laboratory's unit.
            cec: Cation exchange capacity, in the laboratory's unit.
            location: The place.
            notes: Free text.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "POST",
            ("/v1/farms/{}/fields/{}/soil-samples", farm, field),
            body={"sampledAt": sampled_at, "lab": lab, "depthFromCm": depth_from_cm, "depthToCm": depth_to_cm,
                "texture": texture, "ph": ph, "ec": ec, "organicMatter": organic_matter, "nitrogen": nitrogen,
                "phosphorus": phosphorus, "potassium": potassium, "calcium": calcium, "magnesium": magnesium,
                "sodium": sodium, "sulfur": sulfur, "zinc": zinc, "manganese": manganese, "iron": iron, "copper":
                copper, "boron": boron, "cec": cec, "location": location, "notes": notes},
            idempotency_key=idempotency_key,
        ), SoilSample)

    async def get(self, farm: Id, field: Id, soil_sample: Id) -> SoilSample:
        """Show a soil sample.

        Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the record has
        not changed.
        """
        return await self._one(call(
            "GET",
            ("/v1/farms/{}/fields/{}/soil-samples/{}", farm, field, soil_sample),
        ), SoilSample)

    async def delete(
        self,
        farm: Id,
        field: Id,
        soil_sample: Id,
        *,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> None:
        """Remove a soil sample.

        The field's `soilPh` falls back to the newest sample that is left. Returns 204 without a body; later
        requests for the record fail with 404. With `If-Match`, the request fails with 412 if the record has
        changed since.

        Args:
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._deed(call(
            "DELETE",
            ("/v1/farms/{}/fields/{}/soil-samples/{}", farm, field, soil_sample),
            if_match=if_match,
            idempotency_key=idempotency_key,
        ))


class AsyncTaskTemplatesResource(AsyncResource):
    """Tasks, the templates they are made of, and the rules by which they recur."""

    def list(
        self,
        *,
        farm_id: Maybe[Id] = UNSET,
        category: Maybe[Literal["planting", "irrigation", "fertilization", "pest_control", "harvesting", "soil_management", "maintenance", "planning", "inspection", "other"]] = UNSET,
        is_active: Maybe[bool] = UNSET,
        include_global: Maybe[bool] = UNSET,
        sort: Maybe[Literal["createdAt", "name"]] = UNSET,
        page: Maybe[int] = UNSET,
        limit: Maybe[int] = UNSET,
        order: Maybe[Literal["asc", "desc"]] = UNSET,
    ) -> AsyncListing[TaskTemplate]:
        """List the task templates.

        Lists your own templates and the active ones that are shared by all owners. Returns one page, the
        newest first by default; `pagination.total` counts all matching 

        Args:
            farm_id: Templates bound to this farm or to none.
            category: Returns only records with this `category`.
            is_active: Returns only records with this `isActive`.
            include_global: Whether the templates that all owners share are listed, too.
            sort: What the list is sorted by; the first is the default.
            page: The number of the page, from 1.
            limit: The most records in a page.
            order: The direction of the sort: ascending or descending.
        """
        return self._list(call(
            "GET",
            "/v1/templates",
            query={"farmId": farm_id, "category": category, "isActive": is_active, "includeGlobal": include_global,
                "sort": sort, "page": page, "limit": limit, "order": order},
        ), TaskTemplate)

    async def create(
        self,
        *,
        name: str,
        category: Literal["planting", "irrigation", "fertilization", "pest_control", "harvesting", "soil_management", "maintenance", "planning", "inspection", "other"],
        description: Maybe[Optional[str]] = UNSET,
        farm_id: Maybe[Optional[Id]] = UNSET,
        priority: Maybe[Literal["low", "medium", "high", "urgent"]] = UNSET,
        estimated_duration: Maybe[Optional[str]] = UNSET,
        default_assignee: Maybe[Optional[str]] = UNSET,
        is_active: Maybe[bool] = UNSET,
        idempotency_key: Optional[str] = None,
    ) -> TaskTemplate:
        """Create a task template.

        Returns the new record with its `id`. A repeated request with the same `Idempotency-Key` creates
        nothing more and returns the same response.

        Args:
            name: What it is called.
            description: What it is, in the owner's words.
            farm_id: Bound to this farm, or null: to none.
            category: What kind it is.
            priority: How urgent it is.
            estimated_duration: How long it should take, in words.
            default_assignee: Who does the tasks made from it, unless they name another person.
            is_active: An inactive template cannot be applied.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "POST",
            "/v1/templates",
            body={"name": name, "description": description, "farmId": farm_id, "category": category, "priority":
                priority, "estimatedDuration": estimated_duration, "defaultAssignee": default_assignee, "isActive":
                is_active},
            idempotency_key=idempotency_key,
        ), TaskTemplate)

    async def get(self, task_template: Id) -> TaskTemplate:
        """Show a task template.

        Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the record has
        not changed.
        """
        return await self._one(call("GET", ("/v1/templates/{}", task_template)), TaskTemplate)

    async def update(
        self,
        task_template: Id,
        *,
        name: Maybe[str] = UNSET,
        description: Maybe[Optional[str]] = UNSET,
        farm_id: Maybe[Optional[Id]] = UNSET,
        category: Maybe[Literal["planting", "irrigation", "fertilization", "pest_control", "harvesting", "soil_management", "maintenance", "planning", "inspection", "other"]] = UNSET,
        priority: Maybe[Literal["low", "medium", "high", "urgent"]] = UNSET,
        estimated_duration: Maybe[Optional[str]] = UNSET,
        default_assignee: Maybe[Optional[str]] = UNSET,
        is_active: Maybe[bool] = UNSET,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> TaskTemplate:
        """Update a task template.

        Tasks that were made of it before stay as they are. Members that are left out keep their values; null
        clears an optional member. With `If-Match`, the request fails with 412 if the record has changed
        since.

        Args:
            name: What it is called.
            description: What it is, in the owner's words.
            farm_id: Bound to this farm, or null: to none.
            category: What kind it is.
            priority: How urgent it is.
            estimated_duration: How long it should take, in words.
            default_assignee: Who does the tasks made from it, unless they name another person.
            is_active: An inactive template cannot be applied.
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "PUT",
            ("/v1/templates/{}", task_template),
            body={"name": name, "description": description, "farmId": farm_id, "category": category, "priority":
                priority, "estimatedDuration": estimated_duration, "defaultAssignee": default_assignee, "isActive":
                is_active},
            if_match=if_match,
            idempotency_key=idempotency_key,
        ), TaskTemplate)

    async def delete(
        self,
        task_template: Id,
        *,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> None:
        """Remove a task template.

        Recurring tasks that use it stop. Returns 204 without a body; later requests for the record fail with
        404. With `If-Match`, the request fails with 412 if the record has changed since.

        Args:
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._deed(call(
            "DELETE",
            ("/v1/templates/{}", task_template),
            if_match=if_match,
            idempotency_key=idempotency_key,
        ))

    async def apply(
        self,
        task_template: Id,
        *,
        farm_id: Maybe[Optional[Id]] = UNSET,
        title: Maybe[str] = UNSET,
        description: Maybe[Optional[str]] = UNSET,
        priority: Maybe[Literal["low", "medium", "high", "urgent"]] = UNSET,
        due_date: Maybe[Optional[Instant]] = UNSET,
        start_date: Maybe[Optional[Instant]] = UNSET,
        assigned_to: Maybe[Optional[str]] = UNSET,
        field_name: Maybe[Optional[str]] = UNSET,
        estimated_duration: Maybe[Optional[str]] = UNSET,
        notes: Maybe[Optional[str]] = UNSET,
        idempotency_key: Optional[str] = None,
    ) -> Task:
        """Create a task from a template.

        The task takes its members from the template, except those that the body gives. Returns the new record
        with its `id`. A repeated request with the same `Idempotency-Key` creates nothing more and returns the
        same response.

        Args:
            farm_id: Required where the template is bound to no farm.
            title: What is to be done.
            description: What it is, in the owner's words.
            priority: How urgent it is.
            due_date: When it is due.
            start_date: When it begins.
            assigned_to: Who does it, as a name.
            field_name: The field in words, where no field is linked.
            estimated_duration: How long it should take, in words.
            notes: Free text.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "POST",
            ("/v1/templates/{}/apply", task_template),
            body={"farmId": farm_id, "title": title, "description": description, "priority": priority, "dueDate":
                due_date, "startDate": start_date, "assignedTo": assigned_to, "fieldName": field_name,
                "estimatedDuration": estimated_duration, "notes": notes},
            idempotency_key=idempotency_key,
        ), Task)


class AsyncTasksResource(AsyncResource):
    """Tasks, the templates they are made of, and the rules by which they recur."""

    def list(
        self,
        *,
        status: Maybe[Literal["pending", "in_progress", "completed", "overdue", "cancelled"]] = UNSET,
        farm_id: Maybe[Id] = UNSET,
        priority: Maybe[Literal["low", "medium", "high", "urgent"]] = UNSET,
        category: Maybe[Literal["planting", "irrigation", "fertilization", "pest_control", "harvesting", "soil_management", "maintenance", "planning", "inspection", "other"]] = UNSET,
        assigned_to: Maybe[str] = UNSET,
        crop_id: Maybe[Id] = UNSET,
        field_id: Maybe[Id] = UNSET,
        block_id: Maybe[Id] = UNSET,
        open: Maybe[bool] = UNSET,
        due_before: Maybe[Instant] = UNSET,
        due_after: Maybe[Instant] = UNSET,
        sort: Maybe[Literal["createdAt", "dueDate", "priority", "title"]] = UNSET,
        page: Maybe[int] = UNSET,
        limit: Maybe[int] = UNSET,
        order: Maybe[Literal["asc", "desc"]] = UNSET,
    ) -> AsyncListing[Task]:
        """List the tasks.

        Lists the tasks on all farms; an open task whose `dueDate` has passed is shown and found as `overdue`.
        Returns one page, the newest first by default; `pagination.total` counts all matching 

        Args:
            status: Returns only records with this `status`.
            farm_id: Returns only records with this `farmId`.
            priority: Returns only records with this `priority`.
            category: Returns only records with this `category`.
            assigned_to: Returns only records with this `assignedTo`.
            crop_id: Returns only records with this `cropId`.
            field_id: Returns only records with this `fieldId`.
            block_id: Returns only records with this `blockId`.
            open: Whether work remains: pending, in_progress or overdue; not completed or cancelled.
            due_before: Tasks with a dueDate before this instant.
            due_after: Tasks with a dueDate at or after this instant.
            sort: What the list is sorted by; the first is the default.
            page: The number of the page, from 1.
            limit: The most records in a page.
            order: The direction of the sort: ascending or descending.
        """
        return self._list(call(
            "GET",
            "/v1/tasks",
            query={"status": status, "farmId": farm_id, "priority": priority, "category": category, "assignedTo":
                assigned_to, "cropId": crop_id, "fieldId": field_id, "blockId": block_id, "open": open, "dueBefore":
                due_before, "dueAfter": due_after, "sort": sort, "page": page, "limit": limit, "order": order},
        ), Task)

    async def create(
        self,
        *,
        farm_id: Id,
        title: str,
        category: Literal["planting", "irrigation", "fertilization", "pest_control", "harvesting", "soil_management", "maintenance", "planning", "inspection", "other"],
        description: Maybe[Optional[str]] = UNSET,
        status: Maybe[Literal["pending", "in_progress", "completed", "cancelled"]] = UNSET,
        priority: Maybe[Literal["low", "medium", "high", "urgent"]] = UNSET,
        due_date: Maybe[Optional[Instant]] = UNSET,
        start_date: Maybe[Optional[Instant]] = UNSET,
        completed_date: Maybe[Optional[Instant]] = UNSET,
        assigned_to: Maybe[Optional[str]] = UNSET,
        crop_id: Maybe[Optional[Id]] = UNSET,
        field_id: Maybe[Optional[Id]] = UNSET,
        block_id: Maybe[Optional[Id]] = UNSET,
        field_name: Maybe[Optional[str]] = UNSET,
        estimated_duration: Maybe[Optional[str]] = UNSET,
        actual_duration: Maybe[Optional[str]] = UNSET,
        photo_url: Maybe[Optional[str]] = UNSET,
        gps_lat: Maybe[Optional[Number]] = UNSET,
        gps_lng: Maybe[Optional[Number]] = UNSET,
        completion_notes: Maybe[Optional[str]] = UNSET,
        notes: Maybe[Optional[str]] = UNSET,
        idempotency_key: Optional[str] = None,
    ) -> Task:
        """Create a task.

        Plans a piece of work on a farm, and links it to a crop, a field or a block of that farm. Returns the
        new record with its `id`. A repeated request with the same `Idempotency-Key` creates nothing more and
        returns the same response.

        Args:
            farm_id: The farm that it belongs to.
            title: What is to be done.
            description: What it is, in the owner's words.
            status: overdue follows from dueDate and cannot be written.
            priority: How urgent it is.
            category: What kind it is.
            due_date: When it is due.
            start_date: When it begins.
            completed_date: Set to now when the task becomes completed, unless given.
            assigned_to: Who does it, as a name.
            crop_id: The crop that it is about.
            field_id: The field that it is about.
            block_id: The block that it is about.
            field_name: The field in words, where no field is linked.
            estimated_duration: How long it should take, in words.
            actual_duration: How long it took, in words.
            photo_url: Where a photo of the work is.
            gps_lat: The latitude at which it was done.
            gps_lng: The longitude at which it was done.
            completion_notes: Notes on how the work went.
            notes: Free text.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "POST",
            "/v1/tasks",
            body={"farmId": farm_id, "title": title, "description": description, "status": status, "priority":
                priority, "category": category, "dueDate": due_date, "startDate": start_date, "completedDate":
                completed_date, "assignedTo": assigned_to, "cropId": crop_id, "fieldId": field_id, "blockId":
                block_id, "fieldName": field_name, "estimatedDuration": estimated_duration, "actualDuration":
                actual_duration, "photoUrl": photo_url, "gpsLat": gps_lat, "gpsLng": gps_lng, "completionNotes":
                completion_notes, "notes": notes},
            idempotency_key=idempotency_key,
        ), Task)

    async def get(self, task: Id) -> Task:
        """Show a task.

        Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the record has
        not changed.
        """
        return await self._one(call("GET", ("/v1/tasks/{}", task)), Task)

    async def update(
        self,
        task: Id,
        *,
        title: Maybe[str] = UNSET,
        description: Maybe[Optional[str]] = UNSET,
        status: Maybe[Literal["pending", "in_progress", "completed", "cancelled"]] = UNSET,
        priority: Maybe[Literal["low", "medium", "high", "urgent"]] = UNSET,
        category: Maybe[Literal["planting", "irrigation", "fertilization", "pest_control", "harvesting", "soil_management", "maintenance", "planning", "inspection", "other"]] = UNSET,
        due_date: Maybe[Optional[Instant]] = UNSET,
        start_date: Maybe[Optional[Instant]] = UNSET,
        completed_date: Maybe[Optional[Instant]] = UNSET,
        assigned_to: Maybe[Optional[str]] = UNSET,
        crop_id: Maybe[Optional[Id]] = UNSET,
        field_id: Maybe[Optional[Id]] = UNSET,
        block_id: Maybe[Optional[Id]] = UNSET,
        field_name: Maybe[Optional[str]] = UNSET,
        estimated_duration: Maybe[Optional[str]] = UNSET,
        actual_duration: Maybe[Optional[str]] = UNSET,
        photo_url: Maybe[Optional[str]] = UNSET,
        gps_lat: Maybe[Optional[Number]] = UNSET,
        gps_lng: Maybe[Optional[Number]] = UNSET,
        completion_notes: Maybe[Optional[str]] = UNSET,
        notes: Maybe[Optional[str]] = UNSET,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Task:
        """Update a task.

        A task that becomes completed gets its `completedDate` unless it is given. Members that are left out
        keep their values; null clears an optional member. With `If-Match`, the request fails with 412 if the
        record has changed since.

        Args:
            title: What is to be done.
            description: What it is, in the owner's words.
            status: overdue follows from dueDate and cannot be written.
            priority: How urgent it is.
            category: What kind it is.
            due_date: When it is due.
            start_date: When it begins.
            completed_date: Set to now when the task becomes completed, unless given.
            assigned_to: Who does it, as a name.
            crop_id: The crop that it is about.
            field_id: The field that it is about.
            block_id: The block that it is about.
            field_name: The field in words, where no field is linked.
            estimated_duration: How long it should take, in words.
            actual_duration: How long it took, in words.
            photo_url: Where a photo of the work is.
            gps_lat: The latitude at which it was done.
            gps_lng: The longitude at which it was done.
            completion_notes: Notes on how the work went.
            notes: Free text.
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "PUT",
            ("/v1/tasks/{}", task),
            body={"title": title, "description": description, "status": status, "priority": priority, "category":
                category, "dueDate": due_date, "startDate": start_date, "completedDate": completed_date,
                "assignedTo": assigned_to, "cropId": crop_id, "fieldId": field_id, "blockId": block_id, "fieldName":
                field_name, "estimatedDuration": estimated_duration, "actualDuration": actual_duration, "photoUrl":
                photo_url, "gpsLat": gps_lat, "gpsLng": gps_lng, "completionNotes": completion_notes, "notes":
                notes},
            if_match=if_match,
            idempotency_key=idempotency_key,
        ), Task)

    async def delete(
        self,
        task: Id,
        *,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> None:
        """Remove a task.

        Returns 204 without a body; later requests for the record fail with 404. With `If-Match`, the request
        fails with 412 if the record has changed since.

        Args:
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._deed(call(
            "DELETE",
            ("/v1/tasks/{}", task),
            if_match=if_match,
            idempotency_key=idempotency_key,
        ))

    async def complete(
        self,
        task: Id,
        *,
        photo_url: Maybe[Optional[str]] = UNSET,
        gps_lat: Maybe[Optional[Number]] = UNSET,
        gps_lng: Maybe[Optional[Number]] = UNSET,
        notes: Maybe[Optional[str]] = UNSET,
        idempotency_key: Optional[str] = None,
    ) -> Task:
        """Complete a task.

        Marks the work as done now, with a photo, a position and notes as evidence. Returns the record after
        the change. Repeating the request changes nothing more.

        Args:
            photo_url: Where a photo of the work is.
            gps_lat: The latitude at which it was done.
            gps_lng: The longitude at which it was done.
            notes: Becomes the task's completionNotes.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "POST",
            ("/v1/tasks/{}/complete", task),
            body={"photoUrl": photo_url, "gpsLat": gps_lat, "gpsLng": gps_lng, "notes": notes},
            idempotency_key=idempotency_key,
        ), Task)

    async def reschedule(
        self,
        task: Id,
        *,
        due_date: Instant,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Task:
        """Reschedule a task.

        Moves a task to another `dueDate`, which also decides whether it is overdue. Returns the record after
        the change. Repeating the request changes nothing more.

        Args:
            due_date: When it is due.
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "PUT",
            ("/v1/tasks/{}/reschedule", task),
            body={"dueDate": due_date},
            if_match=if_match,
            idempotency_key=idempotency_key,
        ), Task)


class AsyncUsageResource(AsyncResource):
    """What the dashboard uses: sessions, API keys, the plan."""

    async def get(self) -> Usage:
        """Show what is used of the plan.

        Counts the farms, and this month's requests to the assistant.
        """
        return await self._bare(call("GET", "/billing/usage"), Usage)


class AsyncUsageHistoryResource(AsyncResource):
    """What the dashboard uses: sessions, API keys, the plan."""

    async def get(
        self,
        *,
        by: Maybe[Literal["hour", "day"]] = UNSET,
        since: Maybe[Instant] = UNSET,
    ) -> Table[KeyUsage, UsageHistoryMeta]:
        """Show the requests over time.

        Counts the requests of each hour or day by API key, and those that were refused since a limit was used
        up. Ordered by time and key; a key without requests in an hour or day is left out.

        Args:
            by: What requests are added up by: hour, the default, or day, in UTC.
            since: The hour or day that this instant is in is the first. By default 24 hours or 30 days ago.
                Nothing is known of hours more than 35 days ago.
        """
        return await self._table(call(
            "GET",
            "/billing/usage/history",
            query={"by": by, "since": since},
        ), KeyUsage, UsageHistoryMeta)


class AsyncUserCropsResource(AsyncResource):
    """The library of crops and varieties, and the owner's shortlist of them."""

    def list(
        self,
        *,
        farm_id: Maybe[Id] = UNSET,
        source: Maybe[Literal["manual_search", "ai_recommendation"]] = UNSET,
        sort: Maybe[Literal["createdAt"]] = UNSET,
        page: Maybe[int] = UNSET,
        limit: Maybe[int] = UNSET,
        order: Maybe[Literal["asc", "desc"]] = UNSET,
    ) -> AsyncListing[UserCrop]:
        """List the shortlist.

        Returns one page, the newest first by default; `pagination.total` counts all matching 

        Args:
            farm_id: Returns only records with this `farmId`.
            source: Returns only records with this `source`.
            sort: What the list is sorted by; the first is the default.
            page: The number of the page, from 1.
            limit: The most records in a page.
            order: The direction of the sort: ascending or descending.
        """
        return self._list(call(
            "GET",
            "/v1/crop-library/user-crops",
            query={"farmId": farm_id, "source": source, "sort": sort, "page": page, "limit": limit, "order": order},
        ), UserCrop)

    async def create(
        self,
        *,
        admin_crop_id: Id,
        farm_id: Maybe[Optional[Id]] = UNSET,
        source: Maybe[Literal["manual_search", "ai_recommendation"]] = UNSET,
        customizations: Maybe[Optional[Mapping[str, Any]]] = UNSET,
        idempotency_key: Optional[str] = None,
    ) -> UserCrop:
        """Add a crop to the shortlist.

        Chooses a crop of the library for a farm, or for no farm in particular. If the crop is on the list
        already, the response is its entry, unchanged. Returns the new record with its `id`. A repeated
        request with the same `Idempotency-Key` creates nothing more and returns the same response.

        Args:
            admin_crop_id: A crop of the library that is listed.
            farm_id: The farm that it belongs to.
            source: How the crop came onto the shortlist.
            customizations: Any object of up to 16 KiB as JSON without blanks: customName, customNotes,
                customGrowthDuration…
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "POST",
            "/v1/crop-library/user-crops",
            body={"adminCropId": admin_crop_id, "farmId": farm_id, "source": source, "customizations":
                customizations},
            idempotency_key=idempotency_key,
        ), UserCrop)

    async def delete(
        self,
        user_crop: Id,
        *,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> None:
        """Remove a crop from the shortlist.

        Returns 204 without a body; later requests for the record fail with 404. With `If-Match`, the request
        fails with 412 if the record has changed since.

        Args:
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._deed(call(
            "DELETE",
            ("/v1/crop-library/user-crops/{}", user_crop),
            if_match=if_match,
            idempotency_key=idempotency_key,
        ))


class AsyncVarietiesResource(AsyncResource):
    """The library of crops and varieties, and the owner's shortlist of them."""

    async def list(self, *, admin_crop_id: Id) -> List[Variety]:
        """List a library crop's varieties.

        Returns all varieties of one crop of the library, without pages. An unknown crop has none.

        Args:
            admin_crop_id: Returns only records with this `adminCropId`.
        """
        return await self._all(call(
            "GET",
            "/v1/crop-library/varieties",
            query={"adminCropId": admin_crop_id},
        ), Variety)


class AsyncWebhookDeliveriesResource(AsyncResource):
    """Where the owner wants events sent, and what became of each."""

    def list(
        self,
        webhook: Id,
        *,
        status: Maybe[Literal["pending", "delivered", "failed"]] = UNSET,
        page: Maybe[int] = UNSET,
        limit: Maybe[int] = UNSET,
        order: Maybe[Literal["asc", "desc"]] = UNSET,
    ) -> AsyncListing[WebhookDelivery]:
        """List a webhook's deliveries.

        By default the newest first: each event that was sent, with its last attempt. They are kept for 30
        days, 10,000 of each webhook.

        Args:
            status: Returns only records with this `status`.
            page: The number of the page, from 1.
            limit: The most records in a page.
            order: The direction of the sort: ascending or descending.
        """
        return self._list(call(
            "GET",
            ("/v1/webhooks/{}/deliveries", webhook),
            query={"status": status, "page": page, "limit": limit, "order": order},
        ), WebhookDelivery)

    async def resend(self, webhook: Id, delivery: Id, *, idempotency_key: Optional[str] = None) -> Webhook:
        """Send a delivery's event again.

        Returns 202 with the webhook. A pending delivery is attempted at once. For one that arrived or was
        given up, a new delivery is made with the same `webhook-id`, by which receivers recognize it.

        Args:
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "POST",
            ("/v1/webhooks/{}/deliveries/{}/resend", webhook, delivery),
            idempotency_key=idempotency_key,
        ), Webhook)


class AsyncWebhooksResource(AsyncResource):
    """Where the owner wants events sent, and what became of each."""

    async def create(
        self,
        *,
        url: str,
        description: Maybe[Optional[str]] = UNSET,
        types: Maybe[Sequence[str]] = UNSET,
        is_active: Maybe[bool] = UNSET,
        idempotency_key: Optional[str] = None,
    ) -> WebhookWithSecret:
        """Create a webhook.

        From then on each of your events whose type fits is sent to the URL, signed as Standard Webhooks says.
        The response is the only one that has this `secret`. Returns the new record with its `id`. A repeated
        request with the same `Idempotency-Key` creates nothing more and returns the same response.

        Args:
            url: Where events are sent.
            description: What it is, in the owner's words.
            types: The types of the events that are sent: names, or patterns with *.
            is_active: Whether it is in use.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "POST",
            "/v1/webhooks",
            body={"url": url, "description": description, "types": types, "isActive": is_active},
            idempotency_key=idempotency_key,
        ), WebhookWithSecret)

    def list(
        self,
        *,
        sort: Maybe[Literal["createdAt"]] = UNSET,
        page: Maybe[int] = UNSET,
        limit: Maybe[int] = UNSET,
        order: Maybe[Literal["asc", "desc"]] = UNSET,
    ) -> AsyncListing[Webhook]:
        """List the webhooks.

        Returns one page, the newest first by default; `pagination.total` counts all matching 

        Args:
            sort: What the list is sorted by; the first is the default.
            page: The number of the page, from 1.
            limit: The most records in a page.
            order: The direction of the sort: ascending or descending.
        """
        return self._list(call(
            "GET",
            "/v1/webhooks",
            query={"sort": sort, "page": page, "limit": limit, "order": order},
        ), Webhook)

    async def get(self, webhook: Id) -> Webhook:
        """Show a webhook.

        Returns an `ETag`. With that value in `If-None-Match`, the response is 304 as long as the record has
        not changed.
        """
        return await self._one(call("GET", ("/v1/webhooks/{}", webhook)), Webhook)

    async def update(
        self,
        webhook: Id,
        *,
        url: Maybe[str] = UNSET,
        description: Maybe[Optional[str]] = UNSET,
        types: Maybe[Sequence[str]] = UNSET,
        is_active: Maybe[bool] = UNSET,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Webhook:
        """Update a webhook.

        Made active again, it carries on with the first event that it has not got. Members that are left out
        keep their values; null clears an optional member. With `If-Match`, the request fails with 412 if the
        record has changed since.

        Args:
            url: Where events are sent.
            description: What it is, in the owner's words.
            types: The types of the events that are sent: names, or patterns with *.
            is_active: Whether it is in use.
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "PUT",
            ("/v1/webhooks/{}", webhook),
            body={"url": url, "description": description, "types": types, "isActive": is_active},
            if_match=if_match,
            idempotency_key=idempotency_key,
        ), Webhook)

    async def delete(
        self,
        webhook: Id,
        *,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> None:
        """Remove a webhook.

        Its deliveries are removed with it. Returns 204 without a body; later requests for the record fail
        with 404. With `If-Match`, the request fails with 412 if the record has changed since.

        Args:
            if_match: The `etag` that the record must still have.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._deed(call(
            "DELETE",
            ("/v1/webhooks/{}", webhook),
            if_match=if_match,
            idempotency_key=idempotency_key,
        ))

    async def replay(
        self,
        webhook: Id,
        *,
        since: Instant,
        until: Maybe[Optional[Instant]] = UNSET,
        types: Maybe[Optional[Sequence[str]]] = UNSET,
        idempotency_key: Optional[str] = None,
    ) -> Webhook:
        """Send past events again.

        Returns 202 with the webhook. Your events from `since` on and before `until`, or up to this request,
        are sent again, whether or not they arrived: those whose type matches one of `types`, or one of the
        webhook's if there are none. They may be older than the webhook.

        Args:
            since: The time of the first event that is sent again.
            until: Only events before this instant; null: up to the request.
            types: What types of events are sent again; null: those that the webhook wants.
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "POST",
            ("/v1/webhooks/{}/replay", webhook),
            body={"since": since, "until": until, "types": types},
            idempotency_key=idempotency_key,
        ), Webhook)

    async def rotate(self, webhook: Id, *, idempotency_key: Optional[str] = None) -> WebhookWithSecret:
        """Replace a webhook's secret.

        Returns the webhook with a new `secret`, which no other response contains. For 24 hours deliveries are
        also signed with the previous one; of the secrets replaced within 24 hours, only the newest five sign.
        Repeating the request replaces the secret again.

        Args:
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "POST",
            ("/v1/webhooks/{}/rotate", webhook),
            idempotency_key=idempotency_key,
        ), WebhookWithSecret)

    async def test(self, webhook: Id, *, idempotency_key: Optional[str] = None) -> WebhookTest:
        """Send a test to a webhook.

        Sends an event of the type `tilth.webhook.test` at once, even if the webhook is not active, and
        returns the outcome: the receiver's HTTP status or an error, the milliseconds, and the first 1,000
        bytes of its response. A test is not repeated and not listed.

        Args:
            idempotency_key: A UUID that names the change; by default a new one.
        """
        return await self._one(call(
            "POST",
            ("/v1/webhooks/{}/test", webhook),
            idempotency_key=idempotency_key,
        ), WebhookTest)


class AsyncResources:
    """Every resource, as an attribute of a client."""

    admin_crops: AsyncAdminCropsResource
    blocks: AsyncBlocksResource
    crops: AsyncCropsResource
    expenses: AsyncExpensesResource
    farms: AsyncFarmsResource
    fertigations: AsyncFertigationsResource
    fields: AsyncFieldsResource
    irrigations: AsyncIrrigationsResource
    leaf_samples: AsyncLeafSamplesResource
    overheads: AsyncOverheadsResource
    plants: AsyncPlantsResource
    price_reports: AsyncPriceReportsResource
    recurring_tasks: AsyncRecurringTasksResource
    regional_prices: AsyncRegionalPricesResource
    sales: AsyncSalesResource
    soil_samples: AsyncSoilSamplesResource
    task_templates: AsyncTaskTemplatesResource
    tasks: AsyncTasksResource
    usage: AsyncUsageResource
    usage_history: AsyncUsageHistoryResource
    user_crops: AsyncUserCropsResource
    varieties: AsyncVarietiesResource
    webhook_deliveries: AsyncWebhookDeliveriesResource
    webhooks: AsyncWebhooksResource

    def _add_resources(self, owner: AsyncTransport) -> None:
        self.admin_crops = AsyncAdminCropsResource(owner)
        self.blocks = AsyncBlocksResource(owner)
        self.crops = AsyncCropsResource(owner)
        self.expenses = AsyncExpensesResource(owner)
        self.farms = AsyncFarmsResource(owner)
        self.fertigations = AsyncFertigationsResource(owner)
        self.fields = AsyncFieldsResource(owner)
        self.irrigations = AsyncIrrigationsResource(owner)
        self.leaf_samples = AsyncLeafSamplesResource(owner)
        self.overheads = AsyncOverheadsResource(owner)
        self.plants = AsyncPlantsResource(owner)
        self.price_reports = AsyncPriceReportsResource(owner)
        self.recurring_tasks = AsyncRecurringTasksResource(owner)
        self.regional_prices = AsyncRegionalPricesResource(owner)
        self.sales = AsyncSalesResource(owner)
        self.soil_samples = AsyncSoilSamplesResource(owner)
        self.task_templates = AsyncTaskTemplatesResource(owner)
        self.tasks = AsyncTasksResource(owner)
        self.usage = AsyncUsageResource(owner)
        self.usage_history = AsyncUsageHistoryResource(owner)
        self.user_crops = AsyncUserCropsResource(owner)
        self.varieties = AsyncVarietiesResource(owner)
        self.webhook_deliveries = AsyncWebhookDeliveriesResource(owner)
        self.webhooks = AsyncWebhooksResource(owner)
