#include "command/field.h"

namespace tilth {
namespace {

const Error kNoFarm{ErrorCode::kNotFound, "There is no such farm."};
const Error kNoField{ErrorCode::kNotFound, "There is no such field."};

}  // namespace

Decision decide(const Rows& rows, const RegisterField& command, const Context& context) {
  if (!find(rows, command.at)) return kNoFarm;
  return FieldRegistered{{context.new_id}, command.at.farm_id, command.details, context.now};
}

Decision decide(const Rows& rows, const AmendField& command, const Context& context) {
  const auto field = find(rows, command.at);
  if (!field) return kNoField;
  if (const auto held = context.permits(*field); !held) return held.error();
  if (!carries_any(command.changes)) return std::nullopt;
  return FieldAmended{field->id, command.changes, context.now};
}

Decision decide(const Rows& rows, const RemoveField& command, const Context& context) {
  const auto field = find(rows, command.at);
  if (!field) return kNoField;
  if (const auto held = context.permits(*field); !held) return held.error();
  return FieldRemoved{field->id, context.now};
}

}  // namespace tilth
