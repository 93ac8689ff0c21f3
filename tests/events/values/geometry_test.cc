#include "events/values/geometry.h"

#include <cmath>

#include <gmock/gmock.h>

#include "events/json/json.h"

namespace tilth {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::SizeIs;

std::string polygon(const std::string& rings) {
  return R"({"type":"Polygon","coordinates":)" + rings + "}";
}

// The geometry, read and written again, or its error.
std::string read(const std::string& json, bool check = true) {
  Issues issues;
  const auto geometry = read_polygon_or_point(*parse_json(json), check, issues, "geometry");
  std::string text;
  if (geometry) {
    EXPECT_TRUE(issues.empty()) << json;
    std::visit([&](const auto& any) { write_geojson(any, text); }, *geometry);
    return text;
  }
  EXPECT_THAT(issues, ElementsAre(Pair("geometry", ::testing::Not(::testing::IsEmpty()))));
  for (const auto& message : issues["geometry"]) text += (text.empty() ? "" : "; ") + message;
  return text;
}

// A closed ring around 0, 0 with `corners` corners.
std::string circle(int corners, double radius) {
  Polygon round{{Ring{}}};
  for (int i = 0; i < corners; ++i) {
    const double angle = 2 * M_PI * i / corners;
    round.rings[0].push_back({radius * std::cos(angle), radius * std::sin(angle)});
  }
  round.rings[0].push_back(round.rings[0].front());
  std::string text;
  write_geojson(round, text);
  return text;
}

TEST(Geometry, IsAnsweredWithTheSameNumbersInTheSameOrder) {
  const auto field = polygon("[[[39.61,24.47],[39.62,24.47],[39.62,24.48],[39.61,24.47]]]");
  EXPECT_EQ(read(field), field);
  const auto with_hole = polygon("[[[0,0],[0,9],[9,9],[9,0],[0,0]],[[1,1],[2,1],[2,2],[1,1]]]");
  EXPECT_EQ(read(with_hole), with_hole);
  const auto point = R"({"type":"Point","coordinates":[-180,90]})";
  EXPECT_EQ(read(point), point);
  EXPECT_EQ(read(R"({"coordinates":[3.90e1, 0.10],"type":"Point"})"),
            R"({"type":"Point","coordinates":[39,0.1]})");
  const auto precise =
      R"({"type":"Point","coordinates":[35.123456789012344,-0.30000000000000004]})";
  EXPECT_EQ(read(precise), precise);
  EXPECT_EQ(read(circle(9'999, 80)), circle(9'999, 80));
}

TEST(Geometry, KeepsTypeAndCoordinatesOnlyAndDropsTheThirdNumber) {
  EXPECT_EQ(read(R"({"type":"Point","coordinates":[1,2,300.5],"bbox":[1,2,1,2],"crs":{"a":[]}})"),
            R"({"type":"Point","coordinates":[1,2]})");
  EXPECT_EQ(read(polygon("[[[0,0,5],[1,0],[1,1,7],[0,0,6]]]")),
            polygon("[[[0,0],[1,0],[1,1],[0,0]]]"));
}

TEST(Geometry, MustHaveAKnownTypeAndCoordinates) {
  for (const auto* json :
       {"null", "1", "[]", "{}", R"("Polygon")", R"({"type":"Polygon"})",
        R"({"coordinates":[1,2]})", R"({"type":"polygon","coordinates":[]})",
        R"({"type":1,"coordinates":[1,2]})", R"({"type":"MultiPolygon","coordinates":[]})",
        R"({"type":["Point"],"coordinates":[1,2]})",
        R"({"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]}})"}) {
    EXPECT_EQ(read(json), "must be a GeoJSON Polygon or Point with its coordinates") << json;
  }
}

TEST(Geometry, IsNoPointWhereAPolygonIsWanted) {
  Issues issues;
  const auto point = parse_json(R"({"type":"Point","coordinates":[1,2]})");
  EXPECT_FALSE(read_polygon(*point, true, issues, "boundaries"));
  EXPECT_THAT(issues,
              ElementsAre(Pair("boundaries", ElementsAre("must be a GeoJSON Polygon with its "
                                                         "coordinates"))));
}

TEST(Geometry, HasPositionsOfTwoOrThreeNumbers) {
  const auto point = [](const std::string& position) {
    return read(R"({"type":"Point","coordinates":)" + position + "}");
  };
  for (const auto* position : {"[]", "[1]", "[1,2,3,4]", "{}", "null", R"("1,2")", "12"}) {
    EXPECT_EQ(point(position), "coordinates must be an array of 2 or 3 numbers") << position;
  }
  for (const auto* position : {R"(["1",2])", "[1,null]", "[1,2,null]", R"([1,2,"3"])", "[[1],2]"}) {
    EXPECT_EQ(point(position), "coordinates must hold numbers only") << position;
  }
  EXPECT_EQ(point("[1e999,2]"),
            "coordinates has a longitude with too many digits: up to 15 are always kept");
  EXPECT_EQ(point("[1," + std::string(400, '9') + "]"),
            "coordinates has a latitude with too many digits: up to 15 are always kept");
}

TEST(Geometry, HasNoMoreDigitsThanProgramsWriteOfThem) {
  const auto point = [](const std::string& position) {
    return read(R"({"type":"Point","coordinates":)" + position + "}");
  };
  EXPECT_EQ(point("[0.123456789012345678,2]"),
            "coordinates has a longitude with too many digits: up to 15 are always kept");
  EXPECT_EQ(point("[180.00000000000000000001,-90.00000000000000000001]"),
            "coordinates has a longitude with too many digits: up to 15 are always kept; "
            "coordinates has a latitude with too many digits: up to 15 are always kept");
  EXPECT_EQ(point("[1e-400,2]"),
            "coordinates has a longitude with too many digits: up to 15 are always kept");
  EXPECT_EQ(read(polygon("[[[0,0],[9,0],[9,8.99999999999999999999],[0,0]]]")),
            "ring 0, position 2 has a latitude with too many digits: up to 15 are always kept");
  EXPECT_EQ(point("[1,2,0.123456789012345678]"), R"({"type":"Point","coordinates":[1,2]})");
}

TEST(Geometry, LiesOnTheGlobe) {
  const auto point = [](const std::string& position) {
    return read(R"({"type":"Point","coordinates":)" + position + "}");
  };
  EXPECT_THAT(point("[180,-90]"), HasSubstr("[180,-90]"));
  EXPECT_EQ(point("[180.0000001,0]"), "coordinates must have a longitude from -180 to 180");
  EXPECT_EQ(point("[-181,0]"), "coordinates must have a longitude from -180 to 180");
  EXPECT_EQ(point("[0,90.1]"), "coordinates must have a latitude from -90 to 90");
  EXPECT_EQ(point("[1e300,-1e300]"),
            "coordinates must have a longitude from -180 to 180; "
            "coordinates must have a latitude from -90 to 90");
}

TEST(Polygon, HasClosedRingsOfAtLeastFourPositions) {
  EXPECT_EQ(read(polygon("[]")), "must have at least one ring");
  EXPECT_EQ(read(polygon("[[]]")), "ring 0 must have at least 4 positions");
  EXPECT_EQ(read(polygon("[[[0,0],[1,1],[0,0]]]")), "ring 0 must have at least 4 positions");
  EXPECT_EQ(read(polygon("[[[0,0],[1,0],[1,1],[0,1]]]")),
            "ring 0 must be closed: its last position must equal its first");
  EXPECT_EQ(read(polygon("[[[0,0],[9,0],[9,9],[0,0]],[[1,1]]]")),
            "ring 1 must have at least 4 positions");
  EXPECT_EQ(read(polygon("{}")), "coordinates must be an array of rings");
  EXPECT_EQ(read(polygon("[null]")), "ring 0 must be an array of positions");
  EXPECT_EQ(read(polygon("[[[0,0],[1],[1,1],[0,0]]]")),
            "ring 0, position 1 must be an array of 2 or 3 numbers");
}

TEST(Polygon, IsValidAsGeosSays) {
  EXPECT_EQ(read(polygon("[[[0,0],[2,2],[2,0],[0,2],[0,0]]]")),
            "must be a valid polygon: Self-intersection at [1,1]");
  EXPECT_THAT(read(polygon("[[[0,0],[9,0],[9,9],[0,0]],[[20,20],[21,20],[21,21],[20,20]]]")),
              HasSubstr("Hole lies outside shell"));
  EXPECT_THAT(read(polygon("[[[0,0],[9,0],[9,9],[0,9],[0,0]],[[1,1],[8,1],[8,8],[1,8],[1,1]],"
                           "[[2,2],[3,2],[3,3],[2,2]]]")),
              HasSubstr("Holes are nested"));
  EXPECT_THAT(read(polygon("[[[1,1],[1,1],[1,1],[1,1]]]")), HasSubstr("Too few points"));
  EXPECT_THAT(read(polygon("[[[0,0],[1,1],[2,2],[0,0]]]")), HasSubstr("must be a valid polygon"));
  EXPECT_THAT(read(polygon("[[[0,0],[9,0],[9,9],[0,9],[0,0]],[[0,0],[9,0],[9,9],[0,9],[0,0]]]")),
              HasSubstr("must be a valid polygon"));
}

TEST(Polygon, HasAtMostTenThousandPositionsInAll) {
  EXPECT_THAT(read(circle(9'999, 80)), HasSubstr("Polygon"));
  EXPECT_EQ(read(circle(10'000, 80)), "must have at most 10000 positions");
  std::string rings;
  for (int i = 0; i < 2'501; ++i)
    rings += (i == 0 ? "" : ",") + std::string("[[0,0],[0,0],[0,0],[0,0]]");
  EXPECT_EQ(read(polygon("[" + rings + "]")), "must have at most 10000 positions");
}

// Shapes that take GEOS up to seconds to judge, although none has more positions than are allowed.
std::vector<std::pair<std::string, std::vector<Ring>>> costly() {
  const auto box = [](double from, double to) {
    return Ring{{from, from}, {to, from}, {to, to}, {from, to}, {from, from}};
  };
  std::vector<Ring> thin{box(-1, 80)}, touching{box(-80, 80)}, nested;
  Ring star, comb{{0, -1}}, spiral;
  for (int i = 0; i < 2'498; ++i) {
    const double angle = 2 * M_PI * i / 2'498, next = angle + M_PI / 2'498, x = i * 0.01;
    thin.push_back({{x, 0}, {x + 50, 70}, {x + 50, 70.002}, {x, 0}});
    touching.push_back({{0, 0},
                        {50 * std::cos(angle), 50 * std::sin(angle)},
                        {50 * std::cos(next), 50 * std::sin(next)},
                        {0, 0}});
  }
  for (int i = 0; i < 2'000; ++i) nested.push_back(box(-60 + i * 0.01, 60 - i * 0.01));
  for (int i = 0; i < 9'998; ++i) {
    const double angle = 2 * M_PI * i / 9'998, radius = i % 2 == 0 ? 0.001 : 1;
    star.push_back({radius * std::cos(angle), radius * std::sin(angle)});
    const bool up = i % 4 == 1 || i % 4 == 2;
    comb.push_back({i * 0.001 + (up ? 80 : 0), up ? 10.0 : 0.0});
  }
  star.push_back(star.front());
  comb.push_back(comb.front());
  const auto corner = [](int i, double shift) {
    const double out = 0.004 * (i / 4) + 0.004 + shift;
    return LngLat{(i % 4 == 0 || i % 4 == 3) ? out : -out, i % 4 < 2 ? out : -out};
  };
  for (int i = 0; i < 4'999; ++i) spiral.push_back(corner(i, i % 4 == 3 ? 0.004 : 0));
  for (int i = 4'998; i >= 0; --i) spiral.push_back(corner(i, i % 4 == 3 ? 0.005 : 0.001));
  spiral.push_back(spiral.front());
  return {{"long thin holes", thin},
          {"holes that touch at one point", touching},
          {"rings in rings", nested},
          {"a star", {star}},
          {"a comb with slanted teeth", {comb}},
          {"a square spiral", {spiral}}};
}

std::string text_of_rings(std::vector<Ring> rings) {
  std::string text;
  write_geojson(Polygon{std::move(rings)}, text);
  return text;
}

TEST(Polygon, ThatWouldTakeLongToJudgeIsRefusedWithoutJudgingIt) {
  for (const auto& [name, rings] : costly()) {
    EXPECT_EQ(read(text_of_rings(rings)),
              "must be simpler: too many of its rings or edges have overlapping bounds")
        << name;
  }
}

// What surveys and walks with a receiver produce.
TEST(Polygon, OfAFarmMayHaveAllPositions) {
  Ring walked, river{{0, -50}}, rows{{0, -1}};
  for (int i = 0; i < 9'999; ++i) {
    const double angle = 2 * M_PI * i / 9'999, radius = 1 + (i * 7'919 % 1'000) * 1e-5;
    walked.push_back({radius * std::cos(angle), radius * std::sin(angle)});
  }
  walked.push_back(walked.front());
  for (int i = 0; i < 9'996; ++i)
    river.push_back({i * 0.01, 10 * std::sin(i) * std::sin(i * 0.01)});
  river.insert(river.end(), {{99.96, -50}, {0, -50}});
  for (int i = 0; i < 9'996; ++i)
    rows.push_back({(i / 2) * 0.01, (i + 1) / 2 % 2 == 0 ? 0.0 : 9.0});
  rows.insert(rows.end(), {{50, -1}, {0, -1}});
  std::vector<Ring> trees{{{0, 0}, {60, 0}, {60, 60}, {0, 60}, {0, 0}}};
  for (int i = 0; i < 1'999; ++i) {
    const double x = 1 + i % 45, y = 1 + i / 45;
    trees.push_back({{x, y}, {x + 0.5, y}, {x + 0.5, y + 0.5}, {x, y + 0.5}, {x, y}});
  }
  for (const auto& rings : std::vector<std::vector<Ring>>{{walked}, {river}, {rows}, trees}) {
    EXPECT_THAT(read(text_of_rings(rings)), HasSubstr("Polygon"));
  }
}

TEST(Polygon, NamesSomeOfManyFaultsAndCountsTheOthers) {
  std::string ring, empty_rings;
  for (int i = 0; i < 9'000; ++i) {
    ring += "[999,0],";
    empty_rings += "[],";
  }
  Issues issues;
  EXPECT_FALSE(read_polygon(*parse_json(polygon("[[" + ring + "[0,0]]]")), true, issues, "a.b"));
  EXPECT_THAT(issues, ElementsAre(Pair("a.b", SizeIs(51))));
  EXPECT_EQ(issues["a.b"].back(), "has 8950 more faults");
  issues.clear();
  EXPECT_FALSE(read_polygon(*parse_json(polygon("[" + empty_rings + "[]]")), true, issues, "a.b"));
  EXPECT_THAT(issues, ElementsAre(Pair("a.b", SizeIs(51))));
  EXPECT_EQ(issues["a.b"].back(), "has 8951 more faults");
}

TEST(Geometry, OfAStoredEventIsReadByItsShapeAlone) {
  const auto bow_tie = polygon("[[[0,0],[2,2],[2,0],[0,2]]]");
  EXPECT_EQ(read(bow_tie, false), bow_tie);
  EXPECT_EQ(read(polygon("[]"), false), polygon("[]"));
  EXPECT_EQ(read(R"({"type":"Point","coordinates":[999,-999,1,1]})", false),
            R"({"type":"Point","coordinates":[999,-999]})");
  EXPECT_EQ(read(R"({"type":"Point","coordinates":[0.10000000000000001,2]})", false),
            R"({"type":"Point","coordinates":[0.1,2]})");
  EXPECT_EQ(read(polygon("[[[0]]]"), false),
            "ring 0, position 0 must be an array of 2 or 3 numbers");
  EXPECT_EQ(read(R"({"type":"Point","coordinates":["1",2]})", false),
            "coordinates must hold numbers only");
}

}  // namespace
}  // namespace tilth
