// Compares our answers with those of a Python program that uses none of our code.

#pragma once

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace tilth::testing {

// One question and one answer per line.
class Oracle {
 public:
  // `script` is in tests/events/values.
  explicit Oracle(std::string script) : script_(std::move(script)) {}

  void ask(const std::string& question, std::string our_answer) {
    questions_ += question + "\n";
    asked_.emplace_back(question, std::move(our_answer));
  }

  void compare() const {
    const auto file = ::testing::TempDir() + script_ + "." + std::to_string(::getpid());
    std::ofstream(file) << questions_;
    const std::string command = "'" TILTH_PYTHON "' '" TILTH_SOURCE_DIR "/tests/events/values/" +
                                script_ + "' < '" + file + "'";
    FILE* pipe = popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    char* line = nullptr;
    std::size_t room = 0, answered = 0;
    for (ssize_t length = 0;
         answered < asked_.size() && (length = getline(&line, &room, pipe)) > 0;) {
      const std::string answer(line, static_cast<std::size_t>(length) - 1);
      const auto& [question, ours] = asked_[answered++];
      EXPECT_EQ(ours, answer) << question;
    }
    std::free(line);
    EXPECT_EQ(pclose(pipe), 0);
    EXPECT_EQ(answered, asked_.size());
    std::remove(file.c_str());
  }

 private:
  const std::string script_;
  std::string questions_;
  std::vector<std::pair<std::string, std::string>> asked_;
};

}  // namespace tilth::testing
