#include "events/json/json.h"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

namespace tilth {
namespace {

std::string again(std::string_view text) {
  const auto json = parse_json(text);
  std::string out;
  if (!json) return "refused";
  write_json(*json, out);
  return out;
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  all.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) all.append(text);
  return all;
}

TEST(FreeObject, KeepsTheLastOfMembersWithOneName) {
  const auto sent =
      parse_json(R"({"a":{"x":1,"x":2},"b":[{"y":1,"y":{"z":0,"z":3}}],"a":7,"c":[1,1]})");
  ASSERT_TRUE(sent);
  Issues issues;
  const auto read = FreeObject::read_json(*sent, true, issues, "details");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->json, R"({"b":[{"y":{"z":3}}],"a":7,"c":[1,1]})");
  const auto stored = FreeObject::read_json(*sent, false, issues, "details");
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->json, text_of(*sent)) << "an event stays as it is";
}

TEST(Json, IsOneWellFormedDocument) {
  EXPECT_EQ(again(" \t\r\n{ \"b\" : [ 1.50 , null,true,false ] , \"a\" : {\"\":[]} } \n"),
            R"({"b":[1.50,null,true,false],"a":{"":[]}})");
  for (const auto* text : {"0", "-0", "\"\"", "[]", "{}", "null", "1E+5", "0.0e-0", "[[[]]]"}) {
    EXPECT_EQ(again(text), text);
  }
  for (const std::string_view text : {"",
                                      " ",
                                      "{",
                                      "}",
                                      "[",
                                      "]",
                                      "[1,]",
                                      "[,1]",
                                      "[1 2]",
                                      "{,}",
                                      R"({"a"})",
                                      R"({"a":})",
                                      R"({"a":1,})",
                                      R"({"a" 1})",
                                      R"({"a":1 "b":2})",
                                      "{1:2}",
                                      "{a:1}",
                                      "{'a':1}",
                                      R"({"a":1])",
                                      R"(["a":1])",
                                      "1 2",
                                      "{}{}",
                                      "{} x",
                                      "[]]",
                                      "nul",
                                      "nulll",
                                      "True",
                                      "NaN",
                                      "Infinity",
                                      "-Infinity",
                                      "undefined",
                                      "// c\n1",
                                      "/**/1",
                                      "1;",
                                      "\v1",
                                      "\xC2\xA0"
                                      "1",
                                      "\"a",
                                      "\"\\",
                                      "\"\\\"",
                                      "\\",
                                      "\f{}"}) {
    EXPECT_EQ(again(text), "refused") << text;
  }
  EXPECT_EQ(parse_json("x").error().message, "The body is not well-formed JSON.");
  EXPECT_EQ(parse_json("x").error().code, ErrorCode::kInvalid);
}

TEST(Json, OfDuplicateKeysTheLastCounts) {
  EXPECT_EQ(parse_json(R"({"a":1,"b":0,"a":2})")->find("a")->text, "2");
  EXPECT_EQ(parse_json(R"({"a":1,"\u0061":[]})")->find("a")->kind, Json::Kind::kArray);
  EXPECT_EQ(parse_json(R"({"a":1})")->find("b"), nullptr);
}

TEST(Json, KeepsNumbersAsWrittenHoweverLong) {
  const auto nines = std::string(400, '9'), megabyte = std::string((1 << 20) - 4, '7');
  for (const auto& text :
       {std::string("1.50"), std::string("1e400"), std::string("-1E+99999999999999999999"),
        "0." + nines, nines, "1e-" + nines, "1e" + nines, megabyte, "-0." + megabyte}) {
    EXPECT_EQ(again(text), text) << text.substr(0, 40);
  }
  for (const std::string_view text :
       {"01", "-01", "00", "+1", ".5", "1.", "1.e5", "1e", "1e+", "-", "--1", "0x1", "1_0", "1,0",
        "1.2.3", "1e5.5", "-a", "\xD9\xA1"}) {
    EXPECT_EQ(again(text), "refused") << text;
  }
}

TEST(Json, IsNestedAtMost64Deep) {
  EXPECT_NE(again(repeated("[", 64) + repeated("]", 64)), "refused");
  EXPECT_NE(again(repeated(R"({"a":)", 64) + "1" + repeated("}", 64)), "refused");
  EXPECT_NE(again(repeated(R"([{"a":)", 32) + "null" + repeated("}]", 32)), "refused");
  EXPECT_EQ(again(repeated("[", 65) + repeated("]", 65)), "refused");
  EXPECT_EQ(again(repeated(R"({"a":)", 65) + "1" + repeated("}", 65)), "refused");
  EXPECT_EQ(again(repeated(R"({"a":)", 64) + "[]" + repeated("}", 64)), "refused");
  EXPECT_EQ(parse_json(repeated("[", 65)).error().message,
            "The body is JSON that is nested more than 64 deep.");
  EXPECT_EQ(again(repeated("[", 1 << 20)), "refused");
  EXPECT_EQ(again(repeated(R"({"a":)", 200'000)), "refused");
  EXPECT_NE(again("[" + repeated("[[]],", 1'000) + "[]]"), "refused") << "siblings add no depth";
}

TEST(Json, ReadsEveryEscape) {
  const auto text = [](std::string_view json) {
    const auto parsed = parse_json(json);
    return parsed ? parsed->text : "refused";
  };
  EXPECT_EQ(text(R"("\"\\\/\b\f\n\r\t")"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(text(R"("\u0041\u00e9\u20AC\uFFFF")"), "A\xC3\xA9\xE2\x82\xAC\xEF\xBF\xBF");
  EXPECT_EQ(text(R"("\ud83c\uDF3E")"), "\xF0\x9F\x8C\xBE");
  EXPECT_EQ(text(R"("\uDBFF\uDFFF")"), "\xF4\x8F\xBF\xBF");
  EXPECT_EQ(text(R"("a\u0000b")"), std::string("a\0b", 3)) << "other checks refuse it";
  for (const auto* json : {R"("\x41")", R"("\u004")", R"("\u00g1")", R"("\u 041")", R"("\U0041")",
                           R"("\u+041")", R"("\'")", R"("\)", R"("\u)", R"("\u12)", R"("\0")"}) {
    EXPECT_EQ(text(json), "refused") << json;
  }
}

TEST(Json, RefusesUnpairedSurrogatesInStringsAndKeys) {
  for (const std::string text :
       {R"("\ud800")", R"("\udc00")", R"("\ud800x")", R"("\ud800\n")", R"("\ud800\u0041")",
        R"("\ud800\ud800\udc00")", R"("\udc00\ud800")", R"("\ud83c\uDF3E\uDF3E")", R"("\ud800\u")",
        R"("\ud800\)"}) {
    EXPECT_EQ(again(text), "refused") << text;
    EXPECT_EQ(again("{" + text + ":1}"), "refused") << text;
  }
}

TEST(Json, RefusesControlCharactersInStrings) {
  for (char c = 0; c < 0x20; ++c) {
    EXPECT_EQ(again("\"a" + std::string(1, c) + "b\""), "refused") << int{c};
    EXPECT_EQ(again("{\"a" + std::string(1, c) + "b\":1}"), "refused") << int{c};
  }
  EXPECT_EQ(again("\"\x7f\""), "\"\x7f\"");
}

// Strings are read and written eight bytes at a time.
TEST(Json, EndsTheUnescapedPartOfAStringWhereverItIs) {
  const auto text = [](const std::string& json) {
    const auto parsed = parse_json(json);
    return parsed ? parsed->text : "refused";
  };
  for (const std::string plain : {"!", "#", "[", "]", "\x7f", "\xC2\xA0", "\xEF\xBF\xBF"}) {
    for (std::size_t before = 0; before < 20; ++before) {
      for (std::size_t after = 0; after < 10; ++after) {
        const auto left = repeated(plain, before), right = repeated(plain, after);
        EXPECT_EQ(text('"' + left + R"(\n)" + right + '"'), left + '\n' + right);
        EXPECT_EQ(text('"' + left + R"(\"\\)" + right + '"'), left + "\"\\" + right);
        const auto written =
            '"' + left + R"(\n)" + right + R"(\\\")" + left + R"(\u001f)" + right + '"';
        EXPECT_EQ(again(written), written);
        EXPECT_EQ(text('"' + left + "\x1f" + right + '"'), "refused");
        EXPECT_EQ(text('"' + left + '"' + right + '"'), "refused");
        EXPECT_EQ(text('"' + left + right), "refused");
      }
    }
  }
}

TEST(Json, WritesWhatReadsBackTheSame) {
  Json all{Json::Kind::kString, {}, {}};
  for (char c = 0; c < 0x7f; ++c) all.text += c;
  std::string text;
  write_json(all, text);
  EXPECT_EQ(parse_json(text)->text, all.text);
  EXPECT_EQ(again(text), text);
}

TEST(Json, RefusesAByteOrderMarkAndANulByteAnywhere) {
  EXPECT_EQ(again("\xEF\xBB\xBF{}"), "refused");
  EXPECT_EQ(again("{}\xEF\xBB\xBF"), "refused");
  EXPECT_EQ(again(std::string_view("\xFE\xFF\0{\0}", 6)), "refused");
  const std::string document = R"({"a":[1,true,"x"]})";
  for (std::size_t i = 0; i <= document.size(); ++i) {
    auto with_nul = document;
    EXPECT_EQ(again(with_nul.insert(i, 1, '\0')), "refused") << i;
    EXPECT_EQ(again(document.substr(0, i)), i == document.size() ? document : "refused") << i;
  }
}

// Unicode's table 3-7, "Well-Formed UTF-8 Byte Sequences", as it is printed.
bool well_formed(std::string_view bytes) {
  const auto in = [&](std::size_t i, int from, int to) {
    const int byte = i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : -1;
    return from <= byte && byte <= to;
  };
  const auto tail = [&](std::size_t i) { return in(i, 0x80, 0xBF); };
  switch (bytes.size()) {
    case 1:
      return in(0, 0x00, 0x7F);
    case 2:
      return in(0, 0xC2, 0xDF) && tail(1);
    case 3:
      return ((in(0, 0xE0, 0xE0) && in(1, 0xA0, 0xBF)) || (in(0, 0xE1, 0xEC) && tail(1)) ||
              (in(0, 0xED, 0xED) && in(1, 0x80, 0x9F)) || (in(0, 0xEE, 0xEF) && tail(1))) &&
             tail(2);
    case 4:
      return ((in(0, 0xF0, 0xF0) && in(1, 0x90, 0xBF)) || (in(0, 0xF1, 0xF3) && tail(1)) ||
              (in(0, 0xF4, 0xF4) && in(1, 0x80, 0x8F))) &&
             tail(2) && tail(3);
    default:
      return false;
  }
}

TEST(Json, TakesExactlyTheWellFormedUtf8SequencesInStringsAndKeys) {
  // Every lead byte with every second one, and the edge cases of what may follow.
  const std::array edges = {'\x20', '\x7F', '\x80', '\xBF', '\xC0', '\xFF'};
  const auto check = [](const std::string& bytes) {
    const bool good = well_formed(bytes);
    ASSERT_EQ(parse_json("\"" + bytes + "\"").operator bool(), good)
        << ::testing::PrintToString(bytes);
    ASSERT_EQ(parse_json("{\"" + bytes + "\":1}").operator bool(), good);
    if (good) {
      ASSERT_EQ(parse_json("\"" + bytes + "\"")->text, bytes);
    }
    ASSERT_FALSE(parse_json("\"" + bytes.substr(0, bytes.size() - 1)));
  };
  for (int lead = 0x80; lead < 0x100; ++lead) {
    check(std::string(1, static_cast<char>(lead)));
    for (int second = 0x80; second < 0x100; ++second) {
      const std::string two = {static_cast<char>(lead), static_cast<char>(second)};
      check(two);
      for (const char third : edges) {
        if (well_formed(two)) continue;  // a complete character, so another one follows
        check(two + third);
        for (const char fourth : edges) {
          if (!well_formed(two + third)) check(two + third + fourth);
        }
      }
    }
  }
}

TEST(Json, TakesAMegabyteOfAnyShape) {
  constexpr std::size_t kMegabyte = 1 << 20;
  const auto times = [](std::string_view part) { return kMegabyte / part.size() - 2; };
  for (const std::string_view part : {"[],", "{},", "0,", "\"\",", "null,", "[[[[]]]],"}) {
    const auto json = parse_json("[" + repeated(part, times(part)) + "0]");
    ASSERT_TRUE(json) << part;
    EXPECT_EQ(json->children.size(), times(part) + 1);
  }
  const std::string_view same_key = "\"a\":1,";
  const auto keys = parse_json("{" + repeated(same_key, times(same_key)) + "\"a\":2}");
  EXPECT_EQ(keys->find("a")->text, "2");
  EXPECT_EQ(keys->find("b"), nullptr);
  EXPECT_EQ(parse_json("\"" + repeated("\\u00e9", kMegabyte / 6) + "\"")->text.size(),
            kMegabyte / 6 * 2);
  EXPECT_TRUE(parse_json(std::string(kMegabyte, ' ') + "1"));
  EXPECT_FALSE(parse_json("\"" + std::string(kMegabyte, 'a')));
}

// RapidJSON, which has two faults: it accepts a lone "\udc00" and refuses large numbers.
std::string rapidjson_again(const std::string& text) {
  rapidjson::Document document;
  rapidjson::MemoryStream in(text.data(), text.size());
  document.ParseStream<rapidjson::kParseNumbersAsStringsFlag |
                       rapidjson::kParseValidateEncodingFlag | rapidjson::kParseIterativeFlag>(in);
  return document.HasParseError() || in.Tell() != text.size() ? "refused" : "taken";
}

TEST(Json, AgreesWithRapidJsonOnMutatedDocuments) {
  const std::vector<std::string> seeds = {
      R"({"name":"Nord\u00e4cker","area":"12.5","location":{"lat":24.47,"lng":-39.61e-1},"tags":[]})",
      R"([1,-0,0.5,2e10,true,false,null,"é🌾","\"\\\/\b\n\ud83c\udf3e",{"":{}},[[]]])",
  };
  const std::string_view alphabet =
      "{}[]:,\"\\ue0123456789.+-EtrufalsnbDdCc \t\n\x80\xC3\xA9\xED\xF0\x01";
  const auto seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const auto up_to = [&](std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(0, most)(random);
  };
  int taken = 0;
  for (int i = 0; i < 40'000; ++i) {
    auto text = seeds[up_to(seeds.size() - 1)];
    for (auto changes = up_to(2); changes > 0; --changes) {
      const char c = alphabet[up_to(alphabet.size() - 1)];
      const auto at = up_to(text.size() - 1);
      const auto how = up_to(2);
      if (how == 0) text[at] = c;
      if (how == 1) text.insert(at, 1, c);
      if (how == 2) text.erase(at, 1);
    }
    const bool ours = parse_json(text).operator bool();
    const bool theirs = rapidjson_again(text) == "taken";
    taken += ours ? 1 : 0;
    if (ours == theirs) continue;
    std::string lower = text;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const bool lone_surrogate = theirs && lower.find("\\ud") != lower.npos;
    const bool large_number = ours && lower.find('e') != lower.npos;
    EXPECT_TRUE(lone_surrogate || large_number) << text;
  }
  EXPECT_GT(taken, 1'000);
}

std::string split(std::string_view text) {
  const auto items = split_json(text, "crops");
  if (!items) return "refused " + items.error().issues.begin()->first;
  std::string joined;
  for (const auto item : *items) joined.append(item).append("|");
  return joined;
}

TEST(SplitJson, AnswersTheItemsOfOneArrayAsTheyStand) {
  EXPECT_EQ(split(R"({"a":[1],"crops" : [ {"b": [2, "]"]} ,3 ,"x\"," ],"c":{}} )"),
            R"({"b": [2, "]"]}|3|"x\","|)");
  EXPECT_EQ(split(R"({"crops":[]})"), "");
  EXPECT_EQ(split(R"({"crops":[1],"crops":[2]})"), "2|") << "the last duplicate wins";
}

TEST(SplitJson, RefusesWhatIsNoSuchDocument) {
  for (const auto* text :
       {"", "[]", "7", R"({"crops":[1})", R"({"crops":[1,]})", R"({"crops":[1]} x)",
        R"({"crops":["\ud800"]})", "{\"crops\":[\"\xFF\"]}"}) {
    EXPECT_EQ(split(text), "refused body") << text;
  }
  for (const auto* text : {"{}", R"({"crops":{}})", R"({"crops":[1],"crops":null})"}) {
    EXPECT_EQ(split(text), "refused crops") << text;
  }
  EXPECT_EQ(split(R"({"crops":)" + std::string(200, '[') + std::string(200, ']') + "}"),
            "refused body");
}

}  // namespace
}  // namespace tilth
