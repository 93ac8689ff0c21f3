// Details and events of a block: the part of a field where plants of one crop grow.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "events/land/crop.h"
#include "events/land/location.h"

namespace tilth {

enum class BlockStatus : std::uint8_t {
  kPlanned,
  kPlanted,
  kEstablished,
  kMature,
  kDeclined,
  kHarvested,
  kRemoved,
};

constexpr auto labels(BlockStatus) {
  return named<BlockStatus>("planned", "planted", "established", "mature", "declined", "harvested",
                            "removed");
}

enum class GridPattern : std::uint8_t { kSquare, kHexagonal, kTriangular, kCustom };

constexpr auto labels(GridPattern) {
  return named<GridPattern>("square", "hexagonal", "triangular", "custom");
}

// The origin of a grid, in the contract's order: [lat, lng].
struct GridOrigin {
  static constexpr std::string_view kSchema =
      R"({"type":"array","description":"[lat, lng]","minItems":2,"maxItems":2,)"
      R"("items":{"type":"number"},"examples":[[24.4392,39.6173]]})";

  LatLng at;
  static constexpr auto kWrapped = &GridOrigin::at;
  friend bool operator==(const GridOrigin&, const GridOrigin&) = default;

  static std::optional<GridOrigin> read_json(const Json& json, bool check, Issues& issues,
                                             const std::string& path);
  void write_json(std::string& out) const;
};

// How plants are arranged in rows.
struct GridMetadata {
  GridPattern pattern = {};
  std::optional<std::int64_t> row_count = {};
  std::optional<std::int64_t> column_count = {};
  std::optional<double> row_orientation = {};  // degrees
  std::optional<GridOrigin> origin = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("pattern", pattern, {.required = true}),
       member("rowCount", row_count, {.min = 1, .max = 10'000}),
       member("columnCount", column_count, {.min = 1, .max = 10'000}),
       member("rowOrientation", row_orientation, {.min = 0, .max = 360, .doc = "Degrees."}),
       member("originLatLng", origin, {.doc = "[lat, lng]"}));
  }
};

template <template <class> class As>
struct BlockDetails {
  As<CropId> crop_id = {};
  As<std::optional<VarietyId>> variety_id = {};
  As<std::string> name = {};
  As<std::optional<std::string>> description = {};
  As<std::optional<Date>> planting_date = {};
  As<std::optional<std::int64_t>> plant_count = {};
  As<std::optional<Decimal>> spacing_x = {};
  As<std::optional<Decimal>> spacing_y = {};
  As<std::optional<Decimal>> plant_density = {};
  As<std::optional<Decimal>> area = {};
  As<std::optional<Geometry>> geometry = {};
  As<std::optional<GridMetadata>> grid_metadata = {};
  As<BlockStatus> status = {};
  As<std::optional<std::string>> notes = {};

  template <class Archive>
  decltype(auto) serialize(Archive& ar) {
    constexpr bool kRequired = kWhole<As>;
    return ar(
        member("cropId", crop_id, {.required = kRequired, .doc = "A crop of the same field."}),
        member("varietyId", variety_id),
        member("name", name, {.required = kRequired, .min_length = 1, .max_length = 200}),
        member("description", description, {.max_length = 2'000}),
        member("plantingDate", planting_date),
        member("plantCount", plant_count, {.min = 1, .max = 1'000'000}),
        member("spacingX", spacing_x, {.min = 0, .max = 10'000, .doc = "Between rows, in meters."}),
        member("spacingY", spacing_y,
               {.min = 0, .max = 10'000, .doc = "Between plants, in meters."}),
        member("plantDensity", plant_density,
               {.min = 0,
                .max = 1'000'000,
                .doc = "Plants per hectare; follows from the spacings where it is not given."}),
        member("area", area, {.min = 0, .max = 1'000'000, .doc = "In the farm's areaUnit."}),
        member("geometry", geometry, {.doc = "A GeoJSON Polygon or Point."}),
        member("gridMetadata", grid_metadata), member("status", status),
        member("notes", notes, {.max_length = 5'000}));
  }
};

// Stored forever: a new shape needs a new version with an upcast().
struct BlockRegistered : Recorded<Block, OnField, BlockDetails<Own>> {
  static constexpr EventType kType{"tilth.block.registered"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "blockId", "registeredAt");
  }
};

// Stored forever. Holds the members that the request carried.
struct BlockAmended : Amended<Block, BlockDetails> {
  static constexpr EventType kType{"tilth.block.amended"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "blockId");
  }
};

// Stored forever. Cascades to the block's plants and to the records about it.
struct BlockRemoved : Removed<Block> {
  static constexpr EventType kType{"tilth.block.removed"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "blockId");
  }
};

}  // namespace tilth
