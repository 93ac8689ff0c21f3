#include "command/access/operator.h"

#include <algorithm>

namespace tilth {
namespace {

const Error kNoOperator{ErrorCode::kNotFound, "There is no such operator."};

std::optional<Operator> find_working(const Rows& rows, const std::string& name) {
  auto found = find_operator(rows, name);
  return found && !found->removed_at ? std::move(found) : std::nullopt;
}

}  // namespace

bool is_operator_name(std::string_view name) {
  constexpr std::size_t kLongest = 64;
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && name.size() <= kLongest && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
         });
}

Decision decide(const Rows& rows, const AddOperator& command, const Context& context) {
  if (command.name == kBuiltInOperator) {
    return Error{ErrorCode::kConflict,
                 "The operator who has the token in the data directory has this name."};
  }
  if (const auto found = find_operator(rows, command.name)) {
    return Error{ErrorCode::kConflict,
                 found->removed_at ? "An operator who was removed had this name, and it stays with "
                                     "what they did."
                                   : "An operator has this name."};
  }
  return OperatorAdded{
      {context.new_id}, command.name, command.role, command.token_digest, context.now};
}

Decision decide(const Rows& rows, const AmendOperator& command, const Context& context) {
  const auto found = find_working(rows, command.name);
  if (!found) return kNoOperator;
  if (found->role == command.role) return std::nullopt;
  return OperatorAmended{found->id, command.role, context.now};
}

Decision decide(const Rows& rows, const RotateOperatorToken& command, const Context& context) {
  const auto found = find_working(rows, command.name);
  if (!found) return kNoOperator;
  return OperatorTokenRotated{found->id, command.token_digest, context.now};
}

Decision decide(const Rows& rows, const RemoveOperator& command, const Context& context) {
  const auto found = find_working(rows, command.name);
  if (!found) return kNoOperator;
  return OperatorRemoved{found->id, context.now};
}

}  // namespace tilth
