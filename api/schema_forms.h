// The JSON Schemas of values that have a JSON form of their own.

#pragma once

#include <string_view>

#include "events/block.h"
#include "events/computed.h"
#include "events/geometry.h"
#include "events/json.h"
#include "events/recurrence.h"
#include "query/financial_summary.h"

namespace tilth {

inline constexpr std::string_view schema_form(const Polygon*) {
  return R"({"type":"object","description":"A GeoJSON Polygon.","required":["type","coordinates"],)"
         R"("properties":{"type":{"const":"Polygon"},"coordinates":{"type":"array","minItems":1,)"
         R"("items":{"type":"array","minItems":4,"items":{"type":"array","minItems":2,)"
         R"("items":{"type":"number"}}}}},"examples":[{"type":"Polygon","coordinates":)"
         R"([[[39.6173,24.4392],[39.6203,24.4392],[39.6203,24.4421],[39.6173,24.4392]]]}]})";
}

inline constexpr std::string_view schema_form(const Geometry*) {
  return R"({"type":"object","description":"A GeoJSON Polygon or Point.",)"
         R"("required":["type","coordinates"],"properties":{"type":{"enum":["Polygon","Point"]},)"
         R"("coordinates":{"type":"array","minItems":1}},)"
         R"("examples":[{"type":"Point","coordinates":[39.6177,24.4396]}]})";
}

inline constexpr std::string_view schema_form(const GridOrigin*) {
  return R"({"type":"array","description":"[lat, lng]","minItems":2,"maxItems":2,)"
         R"("items":{"type":"number"},"examples":[[24.4392,39.6173]]})";
}

inline constexpr std::string_view schema_form(const DaysOfWeek*) {
  return R"({"type":"array","minItems":1,"uniqueItems":true,)"
         R"("items":{"type":"integer","minimum":0,"maximum":6},"examples":[[1,4]]})";
}

inline constexpr std::string_view schema_form(const FreeObject*) {
  return R"({"type":"object","examples":[{}]})";
}

inline constexpr std::string_view schema_form(const Computed*) {
  return R"({"type":"number","examples":[12.5]})";
}

inline constexpr std::string_view schema_form(const ByName<std::string>*) {
  return R"({"type":"object","description":"Converted amounts, by the categories that have any.",)"
         R"("additionalProperties":{"type":"string"},"examples":[{"fuel":"12.5"}]})";
}

inline constexpr std::string_view schema_form(const ByName<CurrencySummary>*) {
  return R"({"type":"object","description":"By the codes of currencies.","additionalProperties":)"
         R"({"type":"object","required":["original","converted","rate"],"properties":)"
         R"({"original":{"type":"string"},"converted":{"type":["string","null"]},)"
         R"("rate":{"type":["string","null"]}}},)"
         R"("examples":[{"USD":{"original":"12.5","converted":"10","rate":"0.8"}}]})";
}

}  // namespace tilth
