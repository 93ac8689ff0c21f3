// Rows as bytes, and the fingerprint that tells when their shape is another.

#include <fstream>
#include <set>
#include <sstream>

#include "events/shape.h"
#include "projections/access.h"
#include "projections/projection.h"
#include "projections/user.h"
#include "tests/land.h"

namespace tilth::testing {
namespace {

Event golden(std::string_view type, std::string_view variant) {
  std::ifstream file("tests/golden/" + std::string(type) + ".v1" + std::string(variant) + ".json");
  std::ostringstream text;
  text << file.rdbuf();
  return *decode(type, 1, text.str());
}

// The row that an event with every member, or with none, leaves.
template <class Row>
void expect_a_round_trip(std::string_view type, std::string_view variant = {}) {
  SCOPED_TRACE(std::string(type) + std::string(variant));
  RowBatch store;
  MutableRows rows(store, "s", 0);
  evolve_registry(rows, golden(type, variant));
  evolve_access(rows, golden(type, variant));
  ASSERT_TRUE(rows.first_put());
  const auto& bytes = rows.first_put()->bytes;
  ASSERT_EQ(rows.first_put()->table, Row::kTable);
  const auto row = RowCodec<Row>::decode(bytes);
  EXPECT_EQ(RowCodec<Row>::encode(row), bytes);
  const auto found = rows.find(row.id);
  ASSERT_TRUE(found);
  EXPECT_EQ(shown_json(*found), shown_json(row));
  EXPECT_EQ(shown_json(row).find("null") == std::string::npos,
            variant.empty() && std::string_view(type) != "tilth.api_key.minted");
}

TEST(RowCodec, BringsBackWhatItKept) {
  expect_a_round_trip<Farm>("tilth.farm.registered");
  expect_a_round_trip<Farm>("tilth.farm.registered", ".nulls");
  expect_a_round_trip<Field>("tilth.field.registered");
  expect_a_round_trip<Field>("tilth.field.registered", ".nulls");
  expect_a_round_trip<Crop>("tilth.crop.registered");
  expect_a_round_trip<Crop>("tilth.crop.registered", ".nulls");
  expect_a_round_trip<Block>("tilth.block.registered");
  expect_a_round_trip<Block>("tilth.block.registered", ".nulls");
  expect_a_round_trip<Block>("tilth.block.registered", ".point");
  expect_a_round_trip<Plant>("tilth.plant.registered");
  expect_a_round_trip<Plant>("tilth.plant.registered", ".nulls");
  expect_a_round_trip<User>("tilth.user.registered");
  expect_a_round_trip<User>("tilth.user.registered", ".nulls");
  expect_a_round_trip<ApiKey>("tilth.api_key.minted");
  expect_a_round_trip<ApiKey>("tilth.api_key.minted", ".nulls");
}

TEST(RowCodec, ShowsARowAsItsEventSaidIt) {
  RowBatch store;
  MutableRows rows(store, "s", 0);
  evolve_registry(rows, golden("tilth.plant.registered", ""));
  EXPECT_EQ(shown_json(*rows.find(id<PlantId>('1'))),
            R"({"id":"00000000-0000-4000-8000-000000000001",)"
            R"("blockId":"00000000-0000-4000-8000-00000000000c","label":"Palm 1","tagId":"qr-7",)"
            R"("position":{"lat":24.47,"lng":39.61},"plantedAt":"2024-02-29T00:00:00.000Z",)"
            R"("status":"sick","notes":"Weevils.","createdAt":"2026-03-01T06:30:00.123Z",)"
            R"("updatedAt":"2026-03-01T06:30:00.123Z"})");
}

enum class Color { kRed };
constexpr auto labels(Color) { return named<Color>("red"); }
enum class MoreColors { kRed, kBlue };
constexpr auto labels(MoreColors) { return named<MoreColors>("red", "blue"); }

struct Small {
  std::string name;
  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("name", name));
  }
};

// Small with one thing different.
template <class T, class... More>
struct Other {
  T name;
  std::tuple<More...> more;
  template <class Archive>
  void serialize(Archive& ar) {
    std::apply([&](auto&... each) { ar(member("name", name), member("more", each)...); }, more);
  }
};

TEST(Shape, DiffersWhenAMemberIsAddedRenamedOrOfAnotherKind) {
  const auto shape = Shape::of<Small>();
  EXPECT_EQ(shape, (Shape::of<Other<std::string>>()));
  const std::set<std::string> shapes{shape,
                                     Shape::of<Other<std::string, std::string>>(),
                                     Shape::of<Other<std::optional<std::string>>>(),
                                     Shape::of<Other<std::vector<std::string>>>(),
                                     Shape::of<Other<std::int64_t>>(),
                                     Shape::of<Other<double>>(),
                                     Shape::of<Other<bool>>(),
                                     Shape::of<Other<Date>>(),
                                     Shape::of<Other<Timestamp>>(),
                                     Shape::of<Other<Decimal>>(),
                                     Shape::of<Other<Uuid>>(),
                                     Shape::of<Other<Color>>(),
                                     Shape::of<Other<MoreColors>>(),
                                     Shape::of<Other<Small>>(),
                                     Shape::of<Other<Polygon>>(),
                                     Shape::of<Other<Geometry>>(),
                                     Shape::of<Other<FreeObject>>()};
  EXPECT_EQ(shapes.size(), 17U);
}

TEST(Projections, HaveFingerprintsThatDiffer) {
  EXPECT_NE(registry().fingerprint, access().fingerprint);
  EXPECT_EQ(registry().fingerprint, registry().fingerprint);
  EXPECT_TRUE(registry().follows("user_1"));
  EXPECT_FALSE(registry().follows("access"));
  EXPECT_TRUE(access().follows("access"));
  EXPECT_FALSE(access().follows("user_1"));
}

}  // namespace
}  // namespace tilth::testing
