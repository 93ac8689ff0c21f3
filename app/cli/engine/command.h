// A command of `tilth`: its words, its arguments, and its function. The command line, the help, the
// man page and the shell completion are all generated from this description.

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilth::cli {

// How a command ended. 0: success; 1: failure; 2: wrong usage. `sentence` says why, unless the
// command has printed that itself.
struct ExitStatus {
  int exit_code = 0;
  std::string sentence = {};
};
inline ExitStatus done() { return {}; }
inline ExitStatus failed(std::string sentence) { return {1, std::move(sentence)}; }
inline ExitStatus wrong_usage(std::string sentence) { return {2, std::move(sentence)}; }

// The valid values; any other is wrong usage.
struct Values {
  std::string expected;  // "a whole number from 1 on"
  std::function<bool(std::string_view)> accepts;
  std::vector<std::string> choices = {};  // if there are only a few
};

struct Flag {
  std::string name;     // "--email"
  std::string value;    // "E"; empty for a switch
  std::string meaning;  // without a full stop
  bool required = false;
  std::optional<Values> values = {};
};

// An argument without a flag.
struct Operand {
  std::string name;  // "USER"
  std::string meaning;
  std::optional<Values> values = {};
  bool optional = false;
};

// What the user typed. Reading a flag or operand that the command does not have is a bug.
class Arguments {
 public:
  void put(const std::string& name, std::string value) { values_[name] = std::move(value); }
  bool has(const std::string& name) const { return values_.contains(name); }
  const std::string& at(const std::string& name) const { return values_.at(name); }
  std::optional<std::string> find(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }
  const std::map<std::string, std::string>& all() const { return values_; }

 private:
  std::map<std::string, std::string> values_;  // by "--email" or "USER"; a switch's is "true"
};

struct Command {
  std::string words;  // "users add"
  std::string summary;
  std::string example;
  std::vector<Operand> operands = {};
  std::vector<Flag> flags = {};
  std::function<ExitStatus(const Arguments&)> run = {};
};

// Values that several commands take.
Values whole_numbers(std::int64_t least);
Values instants();
Values durations();
Values one_of(std::vector<std::string> choices);
Values networks();  // separated by commas

}  // namespace tilth::cli
