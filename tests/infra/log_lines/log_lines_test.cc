#include "infra/log_lines/log_lines.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "events/json/json.h"
#include "infra/system/whole_file.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class StandingClock final : public Clock {
 public:
  Timestamp now() const override { return Timestamp::parse("2026-03-01T06:30:00Z").value(); }
};

class LogLinesTest : public ::testing::Test {
 protected:
  ~LogLinesTest() override { ::close(descriptor_); }
  LogLines lines(LogLines::Form form, LogLevel least = LogLevel::kInfo) {
    return {clock_, descriptor_, form, least};
  }
  std::string written() const { return read_whole_file(path_)->value(); }

  const std::string key_ = "svc_live_" + std::string(48, 'a');
  StandingClock clock_;
  testing::TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_.path() / "log";
  int descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
};

TEST_F(LogLinesTest, AreJsonObjectsForMachines) {
  auto log = lines(LogLines::Form::kJson);
  log.info("answered", {{"requestId", "r-1"}, {"status", 404}, {"slow", true}, {"seconds", 0.25}});
  EXPECT_EQ(written(), R"({"time":"2026-03-01T06:30:00.000Z","level":"info","message":"answered",)"
                       R"("requestId":"r-1","status":404,"slow":true,"seconds":0.25})"
                       "\n");
}

TEST_F(LogLinesTest, AreTextForPeople) {
  auto log = lines(LogLines::Form::kText);
  log.warn("it is late", {{"requestId", "r-1"}, {"path", "/a b"}, {"status", 404}});
  EXPECT_EQ(
      written(),
      "2026-03-01T06:30:00.000Z warn   it is late  requestId=r-1  path=\"/a b\"  status=404\n");
}

TEST_F(LogLinesTest, LeaveOutWhatIsBelowTheLevel) {
  auto log = lines(LogLines::Form::kText, LogLevel::kWarn);
  log.debug("a");
  log.info("b");
  EXPECT_EQ(written(), "");
  log.warn("c");
  log.error("d");
  EXPECT_THAT(written(), HasSubstr("error  d\n"));
}

TEST_F(LogLinesTest, NeverHoldAKeyATokenOrAKeptSecret) {
  for (const auto form : {LogLines::Form::kJson, LogLines::Form::kText}) {
    auto log = lines(form);
    log.keep_secret("the-operators-token");
    log.error("refused " + key_ + " twice: " + key_, {{"authorization", "Bearer " + key_},
                                                      {"other", "bearer the-operators-token"},
                                                      {"token", "xthe-operators-tokenx"},
                                                      {"partly", key_.substr(0, 20)},
                                                      {"opaque", "Bearer abc.def-ghi"},
                                                      {"webhook", "whsec_Mfk/Q9r+8GK= gone"}});
  }
  EXPECT_THAT(written(), Not(HasSubstr("aaa")));
  EXPECT_THAT(written(), Not(HasSubstr("the-operators-token")));
  EXPECT_THAT(written(), Not(HasSubstr("abc.def")));
  EXPECT_THAT(written(), HasSubstr("refused svc_live_[secret] twice: svc_live_[secret]"));
  EXPECT_THAT(written(), HasSubstr("Bearer [secret]"));
  EXPECT_THAT(written(), HasSubstr("whsec_[secret] gone"));
}

TEST_F(LogLinesTest, StayOneLineOfJsonWhateverAClientSends) {
  auto log = lines(LogLines::Form::kJson);
  log.info("answered", {{"path", std::string("/\n\x1B[2J\"\\\0\xFF\xC3\xA9", 13)}});
  const auto text = written();
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  EXPECT_TRUE(parse_json(std::string_view(text).substr(0, text.size() - 1))) << text;
  EXPECT_THAT(text, HasSubstr("?\xC3\xA9"));
}

TEST_F(LogLinesTest, DoNotLetAClientMoveTheCursor) {
  auto log = lines(LogLines::Form::kText);
  log.info("a\x1B[2Jb", {{"path", "/\x1B[2J\n"}});
  EXPECT_THAT(written(), Not(HasSubstr("\x1B")));
  EXPECT_EQ(written().find('\n'), written().size() - 1);
}

TEST_F(LogLinesTest, LeaveOutRepeatedWarningsOfOneKind) {
  auto log = lines(LogLines::Form::kText);
  for (int i = 0; i < 100; ++i) {
    log.warn("busy");
    log.log(LogLevel::kWarn, "answered", {{"status", 503}}, "answered 503");
    log.error("broken");
  }
  log.log(LogLevel::kWarn, "answered", {{"status", 500}}, "answered 500");
  const auto text = written();
  const auto count = [&](const std::string& wanted) {
    int found = 0;
    for (auto at = text.find(wanted); at != text.npos; at = text.find(wanted, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("busy"), 5);
  EXPECT_EQ(count("status=503"), 5);
  EXPECT_EQ(count("status=500"), 1);
  EXPECT_EQ(count("broken"), 100);
  EXPECT_EQ(log.left_out(), 190);
}

TEST_F(LogLinesTest, NeverMix) {
  auto log = lines(LogLines::Form::kJson);
  {
    std::array<std::thread, 4> writers;
    for (auto& writer : writers) {
      writer = std::thread([&] {
        for (int i = 0; i < 100; ++i) log.info("long", {{"text", std::string(9'000, 'x')}});
      });
    }
    for (auto& writer : writers) writer.join();
  }
  std::ifstream in(path_);
  int count = 0;
  for (std::string line; std::getline(in, line); ++count) ASSERT_TRUE(parse_json(line));
  EXPECT_EQ(count, 400);
}

// What can be read from a pipe now.
std::string all_of(int pipe) {
  std::string text(1 << 20, '\0');
  const auto size = ::read(pipe, text.data(), text.size());
  return text.substr(0, static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
}

TEST_F(LogLinesTest, AreLostAndCountedWhileNoOneReads) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  ASSERT_EQ(::fcntl(pipe[0], F_SETFL, O_NONBLOCK), 0);
  LogLines log(clock_, pipe[1], LogLines::Form::kJson, LogLevel::kInfo);
  constexpr int kLines = 100;
  const std::string text(9'000, 'x');
  for (int i = 0; i < kLines; ++i) log.info(text);
  auto read = all_of(pipe[0]);
  log.info("read again");
  read += all_of(pipe[0]);
  ::close(pipe[0]);
  ::close(pipe[1]);

  int whole = 0, lost = 0;
  std::istringstream lines(read);
  for (std::string line; std::getline(lines, line);) {
    const auto parsed = parse_json(line);
    ASSERT_TRUE(parsed) << line;
    whole += line.find(text) != line.npos;
    if (const auto at = line.find(R"("lines":)"); at != line.npos)
      lost = std::stoi(line.substr(at + 8));
  }
  EXPECT_GT(lost, 0);
  EXPECT_EQ(whole + lost, kLines);
  EXPECT_THAT(read, HasSubstr("read again"));
}

}  // namespace
}  // namespace tilth
