#include "app/cli/engine/command_line.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <CLI/CLI.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/engine/error_output.h"
#include "infra/config/similar_name.h"

namespace tilth::cli {
namespace {

// A command's flags and operands, to be filled by CLI11.
struct Taken {
  const Command* command;
  CLI::App* parser;
};

using Groups = std::map<std::string, CLI::App*>;

void show_example(CLI::App& parser, const Command& command) {
  parser.footer("Example:\n  " + command.example);
}

// A group shows the example of its first command.
CLI::App& group_of(CLI::App& root, Groups& groups, const Command& command) {
  const auto& words = command.words;
  const auto blank = words.find(' ');
  if (blank == std::string::npos) return root;
  auto& group = groups[words.substr(0, blank)];
  if (group == nullptr) {
    const auto name = words.substr(0, blank);
    group = root.add_subcommand(name, std::string(group_summary(name)));
    group->require_subcommand(1);
    group->get_help_ptr()->disable_flag_override();
    show_example(*group, command);
  }
  return *group;
}

// The error text follows the name of the flag or the operand.
CLI::Validator validator(const Values& values) {
  return CLI::Validator(
      [values](std::string& text) {
        return values.accepts(text) ? std::string()
                                    : "must be " + values.expected + ", not '" + text + "'";
      },
      "");
}

// An empty value is most often a variable of a script that is not set.
CLI::Validator something() {
  return CLI::Validator(
      [](std::string& text) {
        return text.empty() ? std::string("must not be empty") : std::string();
      },
      "");
}

void describe(CLI::App& parser, const Command& command) {
  show_example(parser, command);
  parser.get_help_ptr()->disable_flag_override();
  for (const auto& operand : command.operands) {
    auto* option = parser.add_option(operand.name, operand.meaning)->required(!operand.optional);
    option->type_name("")->multi_option_policy(CLI::MultiOptionPolicy::Throw);
    option->check(operand.values ? validator(*operand.values) : something());
  }
  for (const auto& flag : command.flags) {
    if (flag.value.empty()) {
      parser.add_flag(flag.name, flag.meaning)->disable_flag_override();
      continue;
    }
    auto* option = parser.add_option(flag.name, flag.meaning)->required(flag.required);
    option->type_name(flag.value)->multi_option_policy(CLI::MultiOptionPolicy::Throw);
    option->check(flag.values ? validator(*flag.values) : something());
  }
}

// The words before any flag, such as "users" or "user add".
struct Words {
  std::string text;
  bool begin_a_command = true;
};

Words leading_words(const std::vector<Command>& commands, const std::vector<const char*>& given) {
  Words words;
  for (std::size_t i = 1; i < given.size() && given[i][0] != '-' && words.begin_a_command; ++i) {
    words.text += (words.text.empty() ? "" : " ") + std::string(given[i]);
    words.begin_a_command = std::any_of(commands.begin(), commands.end(), [&](const auto& command) {
      return (command.words + " ").starts_with(words.text + " ");
    });
  }
  return words;
}

// "help users add" and "version", as other programs take them.
std::vector<const char*> with_flags(int argc, const char* const* argv) {
  std::vector<const char*> given(argv, argv + argc);
  if (argc > 1 && given[1] == std::string_view("help")) {
    given.erase(given.begin() + 1);
    given.push_back("--help");
  } else if (argc == 2 && given[1] == std::string_view("version")) {
    given[1] = "--version";
  }
  return given;
}

bool takes_value(const std::vector<Command>& commands, std::string_view name) {
  return std::ranges::any_of(commands, [&](const auto& command) {
    return std::ranges::any_of(
        command.flags, [&](const auto& flag) { return flag.name == name && !flag.value.empty(); });
  });
}

// Given `--data= --json`, CLI11 takes `--json` for the value of `--data`.
void separate_empty_values(const std::vector<Command>& commands, std::deque<std::string>& names,
                           std::vector<const char*>& given) {
  for (auto at = given.begin(); at != given.end() && *at != std::string_view("--"); ++at) {
    const std::string_view text = *at;
    if (!text.starts_with("--") || text.find('=') != text.size() - 1) continue;
    const auto name = text.substr(0, text.size() - 1);
    if (!takes_value(commands, name)) continue;
    *at = names.emplace_back(name).c_str();
    at = given.insert(at + 1, "");
  }
}

std::string no_command(const std::vector<Command>& commands, const Words& words) {
  const auto last = words.text.rfind(' ') + 1;  // 0 of a word alone
  std::vector<std::string> known;
  for (const auto& command : commands) {
    if (command.words.substr(0, last) != words.text.substr(0, last)) continue;
    known.push_back(command.words.substr(0, command.words.find(' ', last)));
  }
  const auto none = "There is no command '" + words.text + "'";
  const auto* meant = similar_name(words.text, known, last);
  return none +
         (meant == nullptr ? ": `tilth --help` lists them." : "; there is '" + *meant + "'.");
}

// The command that the words begin with, or nullptr.
const Command* called_command(const std::vector<Command>& commands, const Words& words) {
  const Command* called = nullptr;  // of `nodes drain`, not `nodes`
  for (const auto& command : commands) {
    const bool is_begun = (words.text + " ").starts_with(command.words + " ");
    if (is_begun && (called == nullptr || called->words.size() < command.words.size())) {
      called = &command;
    }
  }
  return called;
}

// Empty if no argument is almost a flag of the command.
std::string almost_flag(const Command& command, const std::vector<std::string>& arguments) {
  constexpr std::string_view kDashes = "--";
  std::vector<std::string> known = {"--help"};
  for (const auto& flag : command.flags) known.push_back(flag.name);
  for (const auto& argument : arguments) {
    const auto name = argument.substr(0, argument.find('='));
    if (!name.starts_with(kDashes)) continue;
    if (const auto* meant = similar_name(name, known, kDashes.size())) {
      return "There is no flag " + name + "; there is " + *meant + ".";
    }
  }
  return {};
}

// CLI11's text, after the name, for a switch that was given a value other than true.
constexpr std::string_view kOverridden = " was given a disallowed flag override";

// CLI11 names them from the last to the first.
std::string not_expected(const std::vector<std::string>& arguments) {
  std::string listed;
  for (const auto& argument : arguments) listed += " " + argument;
  const auto* noun = arguments.size() == 1 ? "argument was" : "arguments were";
  return std::string("The following ") + noun + " not expected:" + listed;
}

// CLI11's text, if ours would be no better. `left` are the arguments that it could not place.
std::string complaint(const CLI::ParseError& error, const std::vector<Command>& commands,
                      const Words& words, const std::vector<std::string>& left) {
  std::string text = error.what();
  const bool left_over = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  if (left_over && !left.empty()) {
    const auto* command = called_command(commands, words);
    auto almost = command == nullptr ? std::string() : almost_flag(*command, left);
    return almost.empty() ? not_expected(left) : almost;
  }
  if (text == "A subcommand is required") {
    if (!words.begin_a_command) return no_command(commands, words);
    const auto group = words.text.empty() ? "" : " " + words.text;
    return "A command is missing: `tilth" + group + " --help` lists them.";
  }
  if (const auto name = text.find(kOverridden); name != text.npos) {
    return (name == 1 ? "-" : "--") + text.substr(0, name) + " is a switch and takes no value.";
  }
  const auto colon = text.find(": ");
  if (error.get_name() == "ArgumentMismatch" && colon != text.npos) {
    return text.substr(0, colon) + " must be given once, with one value.";
  }
  const auto name_ends = text.find(": must ");
  if (name_ends == std::string::npos) return text;
  return text.substr(0, name_ends) + text.substr(name_ends + 1);
}

Arguments arguments(const Taken& taken) {
  Arguments given;
  const auto take = [&](const std::string& name, bool is_switch) {
    const auto* option = taken.parser->get_option(name);
    if (option->count() == 0) return;
    given.put(name, is_switch ? "true" : option->results().front());
  };
  for (const auto& operand : taken.command->operands) take(operand.name, false);
  for (const auto& flag : taken.command->flags) take(flag.name, flag.value.empty());
  return given;
}

// Errors are values; what the file system throws is left, such as where the working directory has
// been removed.
ExitStatus run(const Command& command, const Arguments& given) try {
  return command.run(given);
} catch (const std::filesystem::filesystem_error& error) {
  const auto& path = error.path1();
  return failed((path.empty() ? "The working directory" : path.string()) +
                " cannot be used: " + error.code().message() + ".");
}

// Lost output is a failure, too: a full disk behind `> users.json`.
int finish(ExitStatus outcome) {
  std::cout.flush();
  const bool written = std::cout.good() && std::fflush(stdout) == 0;
  if (!written && errno != EPIPE && outcome.exit_code == 0) {
    outcome = failed(
        "Standard output cannot be written: " + std::generic_category().message(errno) + ".");
  }
  if (!outcome.sentence.empty()) print_error(outcome.sentence);
  return outcome.exit_code;
}

}  // namespace

int run_command_line(const std::vector<Command>& commands, int argc, const char* const* argv) {
  CLI::App root("Keeps farms: fields, crops, tasks and what they cost, as a history of events.",
                "tilth");
  root.set_version_flag("--version", std::string("tilth ") + TILTH_VERSION)
      ->disable_flag_override();
  root.get_help_ptr()->disable_flag_override();
  root.require_subcommand(1);
  root.footer("`tilth COMMAND --help` explains a command, with an example.");
  std::vector<Taken> all;
  Groups groups;
  for (const auto& command : commands) {
    auto& group = group_of(root, groups, command);
    auto* parser =
        group.add_subcommand(command.words.substr(command.words.rfind(' ') + 1), command.summary);
    describe(*parser, command);
    all.push_back({&command, parser});
    if (&group == &root) groups.emplace(command.words, parser);  // a command that has others below
  }
  auto given = with_flags(argc, argv);
  std::deque<std::string> names;
  separate_empty_values(commands, names, given);
  if (given.size() <= 1) {
    std::cout << root.help();
    return finish(done());
  }
  try {
    root.parse(static_cast<int>(given.size()), given.data());
  } catch (const CLI::ParseError& error) {
    const bool is_help = error.get_exit_code() == 0;  // or the version
    const auto words = leading_words(commands, given);
    if (is_help && words.begin_a_command) {
      root.exit(error, std::cout, std::cerr);
      return finish(done());
    }
    return finish(wrong_usage(is_help ? no_command(commands, words)
                                      : complaint(error, commands, words, root.remaining(true))));
  }
  // Of `nodes drain`, both have been parsed.
  const auto called = std::find_if(all.rbegin(), all.rend(),
                                   [](const Taken& taken) { return taken.parser->parsed(); });
  return finish(run(*called->command, arguments(*called)));
}

}  // namespace tilth::cli
