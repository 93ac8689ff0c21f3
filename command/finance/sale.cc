#include "command/finance/sale.h"

namespace tilth {

Decision decide(const Rows& rows, const Create<Sale>& command, const Context& context) {
  const auto crop = find(rows, command.at);
  const auto farm = crop ? rows.find(crop->farm_id) : std::nullopt;
  if (!farm) return there_is_no<Crop>();
  auto details = command.details;
  details.currency = farm->currency_of(details.currency);
  const auto total = details.total().value();  // check() guarantees it
  return SaleRecorded{{{context.new_id}, where(*crop), details, context.now}, total};
}

}  // namespace tilth
