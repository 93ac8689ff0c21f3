#include "infra/http/request_reader.h"

#include <gmock/gmock.h>

#include "tests/infra/http/doubtful_requests.h"
#include "tests/infra/http/reading.h"

namespace tilth {
namespace {

using testing::Eq;

const std::string kChunkedHead = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

class Doubtful : public testing::TestWithParam<DoubtfulRequest> {};

TEST_P(Doubtful, IsRefusedAndNothingIsReadAfterIt) {
  const auto& [name, bytes, status] = GetParam();
  const std::string refused = std::to_string(status) + "; ";
  const std::string next = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";
  EXPECT_THAT(read_all(bytes + next), Eq(refused));
  EXPECT_THAT(read_all(bytes + next, 1), Eq(refused)) << "byte by byte";
  EXPECT_THAT(read_all(bytes + next, 7), Eq(refused)) << "seven bytes at a time";
}

INSTANTIATE_TEST_SUITE_P(Request, Doubtful, testing::ValuesIn(doubtful_requests()),
                         [](const auto& tested) { return tested.param.name; });

struct Wellformed {
  std::string name;
  std::string bytes;
  std::string read;
};

class WellformedRequest : public testing::TestWithParam<Wellformed> {};

TEST_P(WellformedRequest, IsReadTheSameHoweverItIsCut) {
  const auto& [name, bytes, read] = GetParam();
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    ASSERT_THAT(read_all(bytes, piece), Eq(read)) << "in pieces of " << piece;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Request, WellformedRequest,
    testing::Values(
        Wellformed{"plain", "GET /a/b%20c?d=e?f HTTP/1.1\r\nHost: a\r\nX-Y:  z z \t\r\n\r\n",
                   "GET /a/b%20c?d=e?f host=a x-y=z z; "},
        Wellformed{"empty_value", "GET / HTTP/1.1\r\nHost: a\r\nX:\r\n\r\n", "GET / host=a x=; "},
        Wellformed{"high_bytes_in_a_value", "GET / HTTP/1.1\r\nHost: a\r\nX: \xC3\xA4\r\n\r\n",
                   "GET / host=a x=\xC3\xA4; "},
        Wellformed{"empty_line_first", "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / host=a; "},
        Wellformed{"own_method", "FARM / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n",
                   "FARM / host=[::1]:8080; "},
        Wellformed{"absolute_form", "GET HTTP://A.b:1/c?d HTTP/1.1\r\nHost: a.b:1\r\n\r\n",
                   "GET /c?d host=a.b:1; "},
        Wellformed{"absolute_form_without_path", "GET http://a?d HTTP/1.1\r\nHost: a\r\n\r\n",
                   "GET /?d host=a; "},
        Wellformed{"server_wide_options", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
                   "OPTIONS * host=a; "},
        Wellformed{"length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 005\r\n\r\nabcde",
                   "POST / host=a content-length=005 'abcde'; "},
        Wellformed{"length_0", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
                   "POST / host=a content-length=0; "},
        Wellformed{"body_of_a_get", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na",
                   "GET / host=a content-length=1 'a'; "},
        Wellformed{"pipelined",
                   "POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab"
                   "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n\r\nGET /3 HTTP/1.1\r\nHost: a\r\n\r\n",
                   "POST /1 host=a content-length=2 'ab'; GET /2 host=a; GET /3 host=a; "},
        Wellformed{"close",
                   "GET /1 HTTP/1.1\r\nHost: a\r\nConnection: TE, Close\r\n\r\n"
                   "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
                   "GET /1 host=a connection=TE, Close closes; "},
        Wellformed{"http_1_0", "GET /1 HTTP/1.0\r\n\r\nGET /2 HTTP/1.0\r\n\r\n",
                   "GET /1 1.0 closes; "},
        Wellformed{"http_1_0_kept",
                   "GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /2 HTTP/1.0\r\n\r\n",
                   "GET /1 connection=keep-alive 1.0; GET /2 1.0 closes; "},
        Wellformed{
            "awaits_continue",
            "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\na",
            "continue; POST / host=a expect=100-Continue content-length=1 'a'; "},
        Wellformed{"no_continue_without_a_body",
                   "GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n",
                   "GET / host=a expect=100-continue; "},
        Wellformed{"chunks",
                   kChunkedHead + "5\r\nabcde\r\n00A;x=\"y;z\";w\r\n0123456789\r\n000\r\n\r\n" +
                       "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
                   "POST / host=a transfer-encoding=chunked 'abcde0123456789'; GET /2 host=a; "},
        Wellformed{"trailers_are_no_headers",
                   kChunkedHead + "1\r\na\r\n0\r\nX: y\r\nAuthorization: z\r\n\r\n",
                   "POST / host=a transfer-encoding=chunked 'a'; "}),
    [](const auto& tested) { return tested.param.name; });

TEST(RequestReader, HandsOnATooLargeBodyAsSoonAsItIsAnnounced) {
  ReaderLimits limits;
  limits.max_body_bytes = 10;
  const std::string sized = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ";
  const std::string length = "POST / host=a content-length=";
  EXPECT_THAT(read_all(sized + "10\r\n\r\n0123456789", 3, limits),
              Eq(length + "10 '0123456789'; "));
  EXPECT_THAT(read_all(sized + "11\r\n\r\n", 3, limits), Eq(length + "11 too large closes; "));
  EXPECT_THAT(read_all(sized + "8000000000\r\n\r\nabc", 3, limits),
              Eq(length + "8000000000 too large closes; "));
  EXPECT_THAT(read_all(sized + "11\r\nExpect: 100-continue\r\n\r\n", 3, limits),
              Eq(length + "11 expect=100-continue too large closes; "));
}

TEST(RequestReader, HandsOnATooLargeChunkedBodyAsSoonAsItsChunksSaySo) {
  ReaderLimits limits;
  limits.max_body_bytes = 10;
  const std::string read = "POST / host=a transfer-encoding=chunked";
  EXPECT_THAT(read_all(kChunkedHead + "A\r\n0123456789\r\n0\r\n\r\n", 3, limits),
              Eq(read + " '0123456789'; "));
  EXPECT_THAT(read_all(kChunkedHead + "9\r\n012345678\r\n2\r\n", 3, limits),
              Eq(read + " too large closes; "));
  EXPECT_THAT(read_all(kChunkedHead + "fffffffffffffffe\r\n", 3, limits),
              Eq(read + " too large closes; "));
}

TEST(RequestReader, LimitsTheExtensionsOfAllChunksOfARequestTogether) {
  const auto chunks = [](int count) {
    std::string text = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (int i = 0; i < count; ++i) text += "1;x=" + std::string(1'000, 'y') + "\r\nz\r\n";
    return text + "0\r\n\r\n";
  };
  const std::string taken = "POST / host=a transfer-encoding=chunked 'zzzz'; ";
  EXPECT_EQ(read_all(chunks(4) + chunks(4)), taken + taken);
  EXPECT_EQ(read_all(chunks(5)), "400; ");
}

TEST(RequestReader, TakesALargeBodyOnlyOfTheRequestThatMayHaveOne) {
  ReaderLimits limits;
  limits.max_body_bytes = 10;
  limits.plan = [](const HttpRequest& head) {
    BodyPlan plan;
    if (head.path == "/large") plan.most_bytes = 10'000;
    return plan;
  };
  const auto post = [](const std::string& path, std::size_t size) {
    return "POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(size) +
           "\r\n\r\n" + std::string(size, 'x');
  };
  const auto outcomes = read_all(post("/large", 9'000) + post("/", 11), std::string::npos, limits);
  EXPECT_TRUE(outcomes.starts_with("POST /large ")) << outcomes;
  EXPECT_EQ(outcomes.find("/large host=a content-length=9000 too large"), std::string::npos);
  EXPECT_TRUE(outcomes.ends_with("POST / host=a content-length=11 too large closes; ")) << outcomes;
}

TEST(RequestReader, HandsOnAHeadThatSufficesWithoutItsBodyAndStops) {
  ReaderLimits limits;
  limits.max_body_bytes = 10;
  limits.plan = [](const HttpRequest& head) {
    return BodyPlan{head.path == "/closed" ? BodyUse::kUnread : BodyUse::kMemory};
  };
  const std::string head = "POST /closed HTTP/1.1\r\nHost: a\r\n";
  const std::string read = "POST /closed host=a";
  const std::string next = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  EXPECT_THAT(read_all(head + "Content-Length: 3\r\n\r\nabc" + next, 3, limits),
              Eq(read + " content-length=3 closes; "));
  EXPECT_THAT(read_all(head + "Content-Length: 8000000000\r\n\r\nabc", 3, limits),
              Eq(read + " content-length=8000000000 closes; "));
  EXPECT_THAT(read_all(head + "Content-Length: 3\r\nExpect: 100-continue\r\n\r\n", 3, limits),
              Eq(read + " content-length=3 expect=100-continue closes; "));
  EXPECT_THAT(read_all(head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc", 3, limits),
              Eq(read + " transfer-encoding=chunked closes; "));
  EXPECT_THAT(read_all(head + "\r\n" + next, 3, limits), Eq(read + "; GET / host=a; "));
  EXPECT_THAT(read_all(head + "Content-Length: 3\r\n\r\nabc" + next, std::string::npos, limits),
              Eq(read + " content-length=3 'abc'; GET / host=a; "))
      << "the body came with its head";
}

TEST(RequestReader, DropsABodyOfWhichOnlyTheSizeMatters) {
  ReaderLimits limits;
  limits.max_body_bytes = 4;
  limits.plan = [](const HttpRequest&) { return BodyPlan{BodyUse::kDiscard}; };
  const std::string next = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  EXPECT_THAT(
      read_all("GET /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nabcd" + next, 3, limits),
      Eq("GET /1 host=a content-length=4; GET / host=a; "));
  EXPECT_THAT(read_all(kChunkedHead + "2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n" + next, 3, limits),
              Eq("POST / host=a transfer-encoding=chunked; GET / host=a; "));
  EXPECT_THAT(read_all(kChunkedHead + "2\r\nab\r\n3\r\n", 3, limits),
              Eq("POST / host=a transfer-encoding=chunked too large closes; "));
}

TEST(RequestReader, RefusesABodyForWhichThereIsNoMemory) {
  ReaderLimits limits;
  limits.memory = std::make_shared<MemoryBudget>(MemoryBudget::Limits{150'000, 150'000});
  limits.plan = [](const HttpRequest&) { return BodyPlan{BodyUse::kMemory, "one"}; };
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\n\r\n";
  {
    RequestReader first(limits), second(limits);
    first.feed(head + std::string(80'000, 'x'));
    EXPECT_EQ(show_outcomes(first), "");
    EXPECT_GE(limits.memory->used(), 80'000U) << "what has arrived";
    second.feed(head + std::string(70'001, 'x'));
    EXPECT_EQ(show_outcomes(second), "503; ");
    EXPECT_EQ(limits.memory->refusals(), 1U);
    first.feed(std::string(10'000, 'x'));
    const auto read = std::get<CompleteRequest>(first.next());
    EXPECT_EQ(read.request.body.size(), 90'000U);
    EXPECT_GE(limits.memory->used(), 90'000U) << "it goes on with the request";
  }
  EXPECT_EQ(limits.memory->used(), 0U);
}

TEST(RequestReader, ABodyTakesTheMemoryThatItFillsHoweverItArrives) {
  constexpr std::size_t kBody = 70'000;
  ReaderLimits limits;
  limits.max_body_bytes = kBody;
  limits.memory = std::make_shared<MemoryBudget>(MemoryBudget::Limits{100'000, kBody});
  const std::string sized = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 70000\r\n\r\n";
  const std::string chunk = "3E8\r\n" + std::string(1'000, 'x') + "\r\n";
  std::string chunked = kChunkedHead;
  for (std::size_t i = 0; i < kBody; i += 1'000) chunked += chunk;
  for (const auto& text : {sized + std::string(kBody, 'x'), chunked + "0\r\n\r\n"}) {
    RequestReader reader(limits);
    std::string_view left = text;
    for (; left.size() > 1'000; left.remove_prefix(1'000)) {
      reader.feed(left.substr(0, 1'000));
      ASSERT_EQ(show_outcomes(reader), "");
    }
    reader.feed(left);
    const auto outcome = reader.next();
    const auto* read = std::get_if<CompleteRequest>(&outcome);
    ASSERT_NE(read, nullptr);
    EXPECT_EQ(read->request.body, std::string(kBody, 'x'));
    EXPECT_LE(read->request.body.capacity(), kBody);
    EXPECT_EQ(limits.memory->used(), kBody);
  }
}

TEST(RequestReader, PutsABodyThatMayBeLargeIntoAFile) {
  ReaderLimits limits;
  limits.max_body_bytes = 4;
  limits.max_spooled_bytes = 12;
  limits.plan = [](const HttpRequest& head) {
    return BodyPlan{head.path == "/large" ? BodyUse::kFile : BodyUse::kMemory};
  };
  limits.spool = [] {
    return SpooledBody::make(std::filesystem::temp_directory_path());  // leaves nothing there
  };
  const auto request = [&](const std::string& text) {
    RequestReader reader(limits);
    for (const char byte : text) reader.feed(std::string(1, byte));
    return std::get<CompleteRequest>(reader.next()).request;
  };
  const std::string head = "POST /large HTTP/1.1\r\nHost: a\r\n";
  const std::string sized = head + "Content-Length: ";
  const std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
  for (const auto& text :
       {sized + "12\r\n\r\n0123456789ab", chunked + "A\r\n0123456789\r\n2\r\nab\r\n0\r\n\r\n"}) {
    const auto read = request(text);
    EXPECT_TRUE(read.body.empty());
    ASSERT_NE(read.large_body, nullptr);
    std::string body(20, '\0');
    ASSERT_EQ(read.large_body->read(body.data(), 7), 7);
    ASSERT_EQ(read.large_body->read(body.data() + 7, 13), 5);
    EXPECT_EQ(body.substr(0, 12), "0123456789ab");
    EXPECT_EQ(read.large_body->read(body.data(), 1), 0);
  }
  EXPECT_TRUE(request(sized + "13\r\n\r\n").body_too_large);
  EXPECT_TRUE(request(chunked + "D\r\n0123").body_too_large);
  const auto small = request("POST /small HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nabcd");
  EXPECT_EQ(small.large_body, nullptr);
  EXPECT_EQ(small.body, "abcd");
}

TEST(RequestReader, PassesOverAnEmptyLineBeforeEachRequest) {
  const std::string get = "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n";
  EXPECT_EQ(read_all(get + get + get), "GET / host=a; GET / host=a; GET / host=a; ");
  EXPECT_EQ(read_all(get + "\r\n" + get), "GET / host=a; 400; ");
}

TEST(RequestReader, TakesHeadsUpToItsLimits) {
  const std::string path = "/" + std::string(16'384 - std::string("GET / HTTP/1.1").size(), '/');
  EXPECT_THAT(read_all("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n"),
              Eq("GET " + path + " host=a; "));
  EXPECT_THAT(read_all("GET " + path + "/ HTTP/1.1\r\nHost: a\r\n\r\n"), Eq("414; "));

  std::string headers = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (int i = 0; i < 99; ++i) headers += "A: b\r\n";
  EXPECT_THAT(read_all(headers + "\r\n"), testing::StartsWith("GET / host=a a=b"));
}

TEST(RequestReader, TellsTheHeadersOfWhatItRefused) {
  const auto heard = [](const std::string& bytes) {
    RequestReader reader{ReaderLimits{}};
    reader.feed(bytes);
    show_outcomes(reader);
    std::string text;
    for (const auto& [name, value] : reader.headers()) text += name + "=" + value + ";";
    return text;
  };
  const std::string begins = "POST / HTTP/1.1\r\nHost: a\r\nX-Request-Id:  mine 1\r\n";
  EXPECT_EQ(heard(begins + "Expect: x\r\n\r\n"), "host=a;x-request-id=mine 1;expect=x;");
  EXPECT_EQ(heard(begins + "A: " + std::string(40'000, 'x')), "host=a;x-request-id=mine 1;");
  EXPECT_EQ(heard(begins + "no colon\r\n\r\n"), "host=a;x-request-id=mine 1;");
  EXPECT_EQ(heard(begins + "Content-Length: 5\r\n\r\nab"),
            "host=a;x-request-id=mine 1;content-length=5;");
  EXPECT_EQ(heard(begins + "\r\n"), "") << "it was accepted";
  EXPECT_EQ(heard("X-Request-Id: a\n"), "") << "the first line has no valid end";
}

TEST(RequestReader, TellsWhereItStands) {
  RequestReader reader{ReaderLimits{}};
  const auto after = [&](std::string_view bytes) {
    reader.feed(bytes);
    show_outcomes(reader);
    return reader.phase();
  };
  using enum RequestReader::Phase;
  EXPECT_EQ(reader.phase(), kBetween);
  EXPECT_EQ(after("\r\n"), kBetween);
  EXPECT_EQ(after("P"), kHead);
  EXPECT_EQ(after("OST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n"), kBody);
  EXPECT_EQ(after("a"), kBody);
  EXPECT_EQ(after("b"), kBetween);
  EXPECT_EQ(after("\n"), kStopped);
}

}  // namespace
}  // namespace tilth
