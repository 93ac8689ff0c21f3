#include "app/cli/commands/exported_line.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <vector>

#include "events/access/user.h"
#include "events/json/json.h"
#include "events/json/json_members.h"

namespace tilth::cli {
namespace {

// The text of an object's member. Null: there is none.
std::optional<std::string_view> member_of(std::string_view object, std::string_view name) {
  const auto members = json_members(object);
  if (!members) return std::nullopt;
  const auto found = std::ranges::find(*members, name, &JsonMember::name);
  return found == members->end() ? std::nullopt : std::optional(found->text);
}

// Most lines are of other events, and need not be parsed.
bool may_be_of_user(std::string_view line) {
  return line.find(UserRegistered::kType.name) != line.npos ||
         line.find(UserAmended::kType.name) != line.npos;
}

bool is_of_user(std::string_view line) {
  const auto text = member_of(line, "type");
  const auto type = parse_json(text.value_or(""));
  return type &&
         (type->text == UserRegistered::kType.name || type->text == UserAmended::kType.name);
}

}  // namespace

// Found by its place in the document, since a user may be named like the member.
std::string without_password_hash(std::string_view line) {
  std::string bare(line);
  if (!may_be_of_user(line) || !is_of_user(line)) return bare;
  const auto members = json_members(member_of(line, "data").value_or(""));
  if (!members) return bare;
  for (const auto& [name, text] : *members | std::views::reverse) {  // the places before stay
    if (name != "passwordHash") continue;
    bare.replace(static_cast<std::size_t>(text.data() - line.data()), text.size(), "null");
  }
  return bare;
}

}  // namespace tilth::cli
