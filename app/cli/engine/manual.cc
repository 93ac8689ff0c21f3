#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "app/cli/commands/commands.h"
#include "app/cli/engine/json_text.h"

namespace tilth::cli {
namespace {

const Flag kAsJson = {"--json", "", "answer as JSON, for machines"};

// troff interprets a leading dot, a backslash and a bare dash.
std::string troff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (escaped.empty() && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string synopsis(const Command& command) {
  std::string line = "tilth " + command.words;
  for (const auto& operand : command.operands) {
    line += operand.optional ? " [" + operand.name + "]" : " " + operand.name;
  }
  for (const auto& flag : command.flags) {
    const auto words = flag.name + (flag.value.empty() ? "" : " " + flag.value);
    line += flag.required ? " " + words : " [" + words + "]";
  }
  return line;
}

// With --json, the same text as a member.
ExitStatus print(const std::string& text, const Arguments& arguments) {
  if (!arguments.has("--json")) {
    std::cout << text;
    return done();
  }
  Json answer = object_value();
  answer.add("data", object_value()).add("text", text_value(text));
  std::cout << to_text(answer) << '\n';
  return done();
}

ExitStatus print_man_page(const Arguments& arguments) {
  std::ostringstream page;
  page << ".TH TILTH 1 \"\" \"tilth " << TILTH_VERSION << "\"\n"
       << ".SH NAME\ntilth \\- farm management on a history of events\n"
       << ".SH SYNOPSIS\n.B tilth\nCOMMAND [FLAGS]\n"
       << ".SH DESCRIPTION\n.B tilth serve\nruns the service; every other command is a client "
          "of a running service.\n.SH COMMANDS\n";
  for (const auto& command : all_commands()) {
    page << ".SS " << troff(synopsis(command)) << "\n" << troff(command.summary) << ".\n";
    for (const auto& operand : command.operands) {
      page << ".TP\n.I " << operand.name << "\n" << troff(operand.meaning) << "\n";
    }
    for (const auto& flag : command.flags) {
      page << ".TP\n.B " << troff(flag.name + (flag.value.empty() ? "" : " " + flag.value)) << "\n"
           << troff(flag.meaning) << "\n";
    }
    page << ".PP\nExample:\n.PP\n.RS\n.nf\n" << troff(command.example) << "\n.fi\n.RE\n";
  }
  page << ".SH EXIT STATUS\n0 if it is done, 1 if it failed (standard error says why in one "
          "sentence), 2 if it was called wrongly.\n";
  return print(page.str(), arguments);
}

// The words that may follow others; the values of a flag come after "users add --plan".
std::map<std::string, std::set<std::string>> words_after() {
  std::map<std::string, std::set<std::string>> next;
  for (const auto& command : all_commands()) {
    const auto blank = command.words.find(' ');
    next[""].insert(command.words.substr(0, blank));
    if (blank != std::string::npos) {
      next[command.words.substr(0, blank)].insert(command.words.substr(blank + 1));
    }
    auto& words = next[command.words];
    words.insert("--help");
    for (const auto& operand : command.operands) {
      if (operand.values)
        words.insert(operand.values->choices.begin(), operand.values->choices.end());
    }
    for (const auto& flag : command.flags) {
      words.insert(flag.name);
      if (flag.values && !flag.values->choices.empty()) {
        next[command.words + " " + flag.name] = {flag.values->choices.begin(),
                                                 flag.values->choices.end()};
      } else if (!flag.value.empty()) {
        next[command.words + " " + flag.name] = {};
      }
    }
  }
  return next;
}

ExitStatus print_completion(const Arguments& arguments) {
  std::ostringstream script;
  script << "# Completion of tilth for bash: source <(tilth completion bash)\n"
            "_tilth() {\n"
            "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
            "  local command= words= i\n"
            "  for ((i = 1; i < COMP_CWORD && i < 3; i++)); do\n"
            "    [[ ${COMP_WORDS[i]} == -* ]] && break\n"
            "    case \"${command:+$command }${COMP_WORDS[i]}\" in\n";
  const auto next = words_after();
  std::string known;
  for (const auto& [words, follow] : next) {
    if (words.empty() || words.find("--") != std::string::npos) continue;
    known += (known.empty() ? "" : "|") + ("'" + words + "'");
  }
  script << "      " << known
         << ") command=${command:+$command }${COMP_WORDS[i]} ;;\n"
            "      *) break ;;\n"
            "    esac\n"
            "  done\n"
            "  local key=$command\n"
            "  [[ $before == --* ]] && key=\"$command $before\"\n"
            "  case \"$key\" in\n";
  for (const auto& [words, follow] : next) {
    if (words.find("--") == std::string::npos) continue;
    std::string choices;
    for (const auto& choice : follow) choices += (choices.empty() ? "" : " ") + choice;
    // A value without a list of choices is often a file.
    script << "    '" << words << "') "
           << (choices.empty() ? "COMPREPLY=($(compgen -f -- \"$word\"))"
                               : "COMPREPLY=($(compgen -W '" + choices + "' -- \"$word\"))")
           << "; return ;;\n";
  }
  script << "  esac\n  case \"$command\" in\n";
  for (const auto& [words, follow] : next) {
    if (words.find("--") != std::string::npos) continue;
    script << "    '" << words << "') words='";
    for (const auto& word : follow) script << word << " ";
    script << "' ;;\n";
  }
  script << "  esac\n"
            "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
            "}\n"
            "complete -o filenames -F _tilth tilth\n";
  return print(script.str(), arguments);
}

}  // namespace

std::vector<Command> manual_commands() {
  return {{"completion",
           "Prints what makes a shell complete the commands of tilth",
           "source <(tilth completion bash)",
           {{"SHELL", "the shell", one_of({"bash"})}},
           {kAsJson},
           print_completion},
          {"man", "Prints the man page", "tilth man | man -l -", {}, {kAsJson}, print_man_page}};
}

}  // namespace tilth::cli
