// Rows as bytes, and the fingerprint that differs when their shape does.

#include <fstream>
#include <set>
#include <sstream>

#include "events/json/shape.h"
#include "projections/access/user.h"
#include "projections/fold/projection.h"
#include "projections/fold/row_list.h"
#include "tests/fixtures/land.h"

namespace tilth::testing {
namespace {

Event golden(std::string_view type, std::string_view variant) {
  std::ifstream file("tests/golden/" + std::string(type) + ".v1" + std::string(variant) + ".json");
  std::ostringstream text;
  text << file.rdbuf();
  return *decode(type, 1, text.str());
}

// The row that an event with every member, or with none, creates.
template <class Row>
void expect_a_round_trip(std::string_view type, std::string_view variant = {}) {
  SCOPED_TRACE(std::string(type) + std::string(variant));
  RowBatch store;
  MutableRows rows(store, "s", 0);
  handlers_of("registry").handle(rows, golden(type, variant));
  handlers_of("access").handle(rows, golden(type, variant));
  ASSERT_TRUE(rows.first_put());
  const auto& bytes = rows.first_put()->bytes;
  ASSERT_EQ(rows.first_put()->table, Row::kTable);
  const auto row = RowCodec<Row>::decode(bytes);
  EXPECT_EQ(RowCodec<Row>::encode(row), bytes);
  const auto found = rows.find(row.id);
  ASSERT_TRUE(found);
  EXPECT_EQ(render_json(*found), render_json(row));
  EXPECT_EQ(render_json(row).find("null") == std::string::npos,
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
  handlers_of("registry").handle(rows, golden("tilth.plant.registered", ""));
  EXPECT_EQ(render_json(*rows.find(id<PlantId>('1'))),
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

// Small with one difference.
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
  const auto shape = shape_of(kTypeForm<Small>);
  EXPECT_EQ(shape, (shape_of(kTypeForm<Other<std::string>>)));
  const std::set<std::string> shapes{shape,
                                     shape_of(kTypeForm<Other<std::string, std::string>>),
                                     shape_of(kTypeForm<Other<std::optional<std::string>>>),
                                     shape_of(kTypeForm<Other<std::vector<std::string>>>),
                                     shape_of(kTypeForm<Other<std::int64_t>>),
                                     shape_of(kTypeForm<Other<double>>),
                                     shape_of(kTypeForm<Other<bool>>),
                                     shape_of(kTypeForm<Other<Date>>),
                                     shape_of(kTypeForm<Other<Timestamp>>),
                                     shape_of(kTypeForm<Other<Decimal>>),
                                     shape_of(kTypeForm<Other<Uuid>>),
                                     shape_of(kTypeForm<Other<Color>>),
                                     shape_of(kTypeForm<Other<MoreColors>>),
                                     shape_of(kTypeForm<Other<Small>>),
                                     shape_of(kTypeForm<Other<Polygon>>),
                                     shape_of(kTypeForm<Other<Geometry>>),
                                     shape_of(kTypeForm<Other<FreeObject>>)};
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
