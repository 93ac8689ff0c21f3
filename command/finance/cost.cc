#include "command/finance/cost.h"

namespace tilth {

Decision decide(const Rows& rows, const Create<Expense>& command, const Context& context) {
  const auto farm = find(rows, command.at);
  if (!farm) return there_is_no<Farm>();
  auto details = command.details;
  const auto crop = details.crop_id ? rows.find(*details.crop_id) : std::nullopt;
  if (details.crop_id && !(crop && crop->farm_id == farm->id)) return there_is_no<Crop>();
  const auto& field_id = details.field_id;
  if (field_id && !find(rows, FieldPath{farm->id, *field_id})) return there_is_no<Field>();
  details.cost.currency = farm->currency_of(details.cost.currency);
  return ExpenseRecorded{{{context.new_id}, where(*farm), details, context.now}};
}

Decision decide(const Rows& rows, const Create<Overhead>& command, const Context& context) {
  const auto farm = find(rows, command.at);
  if (!farm) return there_is_no<Farm>();
  auto details = command.details;
  details.cost.currency = farm->currency_of(details.cost.currency);
  return OverheadRecorded{{{context.new_id}, where(*farm), details, context.now}};
}

}  // namespace tilth
