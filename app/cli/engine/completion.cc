#include "app/cli/engine/completion.h"

#include <map>
#include <set>
#include <sstream>

#include "app/cli/commands/commands.h"

namespace tilth::cli {
namespace {

// What may follow some words.
struct Next {
  std::set<std::string> words;
  bool files = false;
};

// By the words before it; the values of a flag come after "users add --plan".
using Grammar = std::map<std::string, Next>;

bool names_file(const std::string& placeholder) {
  return placeholder == "FILE" || placeholder == "F" || placeholder == "DIR" ||
         placeholder == "NEW";
}

Next values_of(const std::string& placeholder, const std::optional<Values>& values) {
  if (!values) return {{}, names_file(placeholder)};
  return {{values->choices.begin(), values->choices.end()}, names_file(placeholder)};
}

Grammar grammar_of(const std::vector<Command>& commands) {
  Grammar grammar;
  for (const auto& command : commands) {
    const auto blank = command.words.find(' ');
    grammar[""].words.insert(command.words.substr(0, blank));
    if (blank != std::string::npos) {
      grammar[command.words.substr(0, blank)].words.insert(command.words.substr(blank + 1));
    }
    auto& next = grammar[command.words];
    next.words.insert("--help");
    for (const auto& operand : command.operands) {
      const auto values = values_of(operand.name, operand.values);
      next.words.insert(values.words.begin(), values.words.end());
      next.files = next.files || values.files;
    }
    for (const auto& flag : command.flags) {
      next.words.insert(flag.name);
      if (!flag.value.empty()) {
        grammar[command.words + " " + flag.name] = values_of(flag.value, flag.values);
      }
    }
  }
  return grammar;
}

bool is_flag(const std::string& words) { return words.find("--") != std::string::npos; }

std::string joined(const std::set<std::string>& words) {
  std::string all;
  for (const auto& word : words) all += (all.empty() ? "" : " ") + word;
  return all;
}

// "'users'|'users add'": the commands and groups, as alternatives of a case.
std::string commands_in(const Grammar& grammar) {
  std::string known;
  for (const auto& [words, next] : grammar) {
    if (words.empty() || is_flag(words)) continue;
    known += (known.empty() ? "" : "|") + ("'" + words + "'");
  }
  return known;
}

std::string quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

}  // namespace

std::string bash_completion(const std::vector<Command>& commands) {
  const auto grammar = grammar_of(commands);
  std::ostringstream script;
  script << "# Completion of tilth for bash: source <(tilth completion bash)\n"
            "_tilth() {\n"
            "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
            "  local command= words= files= i\n"
            "  for ((i = 1; i < COMP_CWORD && i < 3; i++)); do\n"
            "    [[ ${COMP_WORDS[i]} == -* ]] && break\n"
            "    case \"${command:+$command }${COMP_WORDS[i]}\" in\n"
         << "      " << commands_in(grammar)
         << ") command=${command:+$command }${COMP_WORDS[i]} ;;\n"
            "      *) break ;;\n"
            "    esac\n"
            "  done\n"
            "  local key=$command\n"
            "  [[ $before == --* ]] && key=\"$command $before\"\n"
            "  case \"$key\" in\n";
  for (const auto& [words, next] : grammar) {
    if (!is_flag(words)) continue;
    script << "    '" << words << "') COMPREPLY=($(compgen "
           << (next.files ? "-f" : "-W '" + joined(next.words) + "'")
           << " -- \"$word\")); return ;;\n";
  }
  script << "  esac\n  case \"$command\" in\n";
  for (const auto& [words, next] : grammar) {
    if (is_flag(words)) continue;
    script << "    '" << words << "') words='" << joined(next.words) << "'"
           << (next.files ? " files=1" : "") << " ;;\n";
  }
  script << "  esac\n"
            "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
            "  [[ $files && $word != -* ]] && COMPREPLY+=($(compgen -f -- \"$word\"))\n"
            "  return 0\n"
            "}\n"
            "complete -o filenames -F _tilth tilth\n";
  return script.str();
}

std::string zsh_completion(const std::vector<Command>& commands) {
  const auto grammar = grammar_of(commands);
  std::ostringstream script;
  script << "#compdef tilth\n"
            "# Completion of tilth for zsh: source <(tilth completion zsh), after compinit\n"
            "_tilth() {\n"
            "  local command= i\n"
            "  for ((i = 2; i < CURRENT && i < 4; i++)); do\n"
            "    [[ ${words[i]} == -* ]] && break\n"
            "    case \"${command:+$command }${words[i]}\" in\n"
         << "      " << commands_in(grammar)
         << ") command=${command:+$command }${words[i]} ;;\n"
            "      *) break ;;\n"
            "    esac\n"
            "  done\n"
            "  local key=$command\n"
            "  [[ ${words[CURRENT-1]} == --* ]] && key=\"$command ${words[CURRENT-1]}\"\n"
            "  case \"$key\" in\n";
  for (const auto& [words, next] : grammar) {
    if (!is_flag(words)) continue;
    script << "    '" << words << "') "
           << (next.files           ? "_files"
               : next.words.empty() ? "_message value"
                                    : "compadd -- " + joined(next.words))
           << "; return ;;\n";
  }
  script << "  esac\n  case \"$command\" in\n";
  for (const auto& [words, next] : grammar) {
    if (is_flag(words)) continue;
    script << "    '" << words << "') compadd -- " << joined(next.words)
           << (next.files ? "; _files" : "") << " ;;\n";
  }
  script
      << "  esac\n"
         "}\n"
         "if [[ ${funcstack[1]} == _tilth ]]; then _tilth \"$@\"; else compdef _tilth tilth; fi\n";
  return script.str();
}

std::string fish_completion(const std::vector<Command>& commands) {
  const auto grammar = grammar_of(commands);
  std::string known;
  for (const auto& [words, next] : grammar) {
    if (!words.empty() && !is_flag(words)) known += (known.empty() ? "'" : " '") + words + "'";
  }
  std::ostringstream script;
  script << "# Completion of tilth for fish: tilth completion fish | source\n"
            "function __tilth_at\n"
            "  set -l command ''\n"
            "  for word in (commandline -opc)[2..-1]\n"
            "    set -l longer (string trim -- \"$command $word\")\n"
            "    contains -- $longer "
         << known
         << "; or break\n"
            "    set command $longer\n"
            "  end\n"
            "  test \"$command\" = \"$argv\"\n"
            "end\n"
            "complete -c tilth -f\n";
  std::set<std::string> groups;
  for (const auto& command : commands) {
    const auto blank = command.words.find(' ');
    const bool grouped = blank != std::string::npos;
    const auto group = grouped ? command.words.substr(0, blank) : "";
    if (!grouped) groups.insert(command.words);  // which may have others below it
    if (grouped && groups.insert(group).second) {
      script << "complete -c tilth -n '__tilth_at' -a " << group << " -d "
             << quoted(group_summary(group)) << "\n";
    }
    script << "complete -c tilth -n '__tilth_at " << group << "' -a "
           << command.words.substr(grouped ? blank + 1 : 0) << " -d " << quoted(command.summary)
           << "\n";
    const auto here = "complete -c tilth -n '__tilth_at " + command.words + "'";
    for (const auto& operand : command.operands) {
      const auto values = values_of(operand.name, operand.values);
      if (values.files) script << here << " -F\n";
      if (!values.words.empty()) script << here << " -a " << quoted(joined(values.words)) << "\n";
    }
    for (const auto& flag : command.flags) {
      script << here << " -l " << flag.name.substr(2) << " -d " << quoted(flag.meaning);
      if (!flag.value.empty()) {
        const auto values = values_of(flag.value, flag.values);
        script << (values.files ? " -r -F" : " -x");
        if (!values.words.empty()) script << " -a " << quoted(joined(values.words));
      }
      script << "\n";
    }
  }
  return script.str();
}

}  // namespace tilth::cli
