#include "projections/fold/cascade.h"

#include <algorithm>
#include <utility>

#include "projections/fold/row_type.h"

namespace tilth {
namespace {

using Kind = CascadeStep::Kind;

// Taking a row out of lists that stay costs about this many times what erasing it in place does.
constexpr std::size_t kCostOfTakingOut = 20;

std::vector<std::string> key_prefixes(const Rows& rows, const CascadeStep& step) {
  if (step.kind == Kind::kLists) return rows.parent_prefixes(step.table, step.of);
  const auto* type = find_row_type(step.table);
  if (type == nullptr || type->own_keys == nullptr) return {};
  return {type->own_keys(rows, step.of)};
}

void take_out(MutableRows& rows, const CascadeStep& step) {
  const auto* type = find_row_type(step.table);
  if (type == nullptr) return;
  if (type->before_cascade != nullptr) type->before_cascade(rows, step.of);
  type->take_out(rows, step.of);
}

}  // namespace

Cascade::Cascade(std::vector<CascadeStep> steps) {
  for (auto& step : steps) left_.push_back({std::move(step)});
}

bool Cascade::advance(MutableRows& rows, std::size_t budget) {
  while (!left_.empty() && budget > 0) {
    auto step = std::move(left_.back());
    left_.pop_back();
    switch (step.step.kind) {
      case Kind::kChildren:
        erase_children(rows, std::move(step), budget);
        break;
      case Kind::kOne:
        take_out(rows, step.step);
        budget -= std::min(budget, kCostOfTakingOut);
        break;
      case Kind::kLists:
      case Kind::kKeys:
        erase_keys(rows, std::move(step), budget);
        break;
    }
  }
  return left_.empty();
}

// Visits the children in the order of their list, from where it stopped last time.
void Cascade::erase_children(MutableRows& rows, Step step, std::size_t& budget) {
  const auto& [kind, table, of, filter, under] = step.step;
  const auto* type = find_row_type(table);
  if (type == nullptr) return;
  const bool lists_stay = filter != CascadeStep::kOwnList;
  const auto found = rows.ids_in_list(
      table, lists_stay ? under : of,
      lists_stay ? ListFilter{filter, std::string(of.key())} : ListFilter{}, step.after, budget);
  const bool more = found.size() == budget;
  budget -= found.size();
  if (more) {
    left_.push_back(step);
  } else if (!lists_stay) {
    left_.push_back({{Kind::kLists, table, of}});
  }
  for (const auto& child : found) {
    if (lists_stay) {
      left_.push_back({{Kind::kOne, table, child}});
    } else {
      if (type->before_cascade != nullptr) type->before_cascade(rows, child);
      rows.erase_where_it_lies(table, child);
    }
    for (const auto& [below, link] : dependents_of(table)) {
      if (link->filter != CascadeStep::kOwnList) continue;  // these are removed with its parent
      left_.push_back({{Kind::kChildren, std::string(below->table), child}});
    }
  }
}

void Cascade::erase_keys(MutableRows& rows, Step step, std::size_t& budget) {
  std::vector<std::string> keys;
  bool more = false;
  for (const auto& prefix : key_prefixes(rows, step.step)) {
    const auto cursor = rows.store().cursor();
    for (cursor->seek(std::max(step.after, prefix));
         cursor->valid() && cursor->key().starts_with(prefix); cursor->next()) {
      if (cursor->key() == step.after) continue;
      if ((more = keys.size() == budget)) break;
      keys.emplace_back(cursor->key());
    }
    if (more) break;
  }
  budget -= std::min(budget, keys.size());
  if (more) {
    step.after = keys.back();
    left_.push_back(std::move(step));
  }
  for (auto& key : keys) rows.store().erase(std::move(key));
}

// A step is one byte each for kind and filter, two ids, and a table's name that ends in NUL.
std::string Cascade::encode(const std::vector<CascadeStep>& steps) {
  std::string bytes;
  for (const auto& [kind, table, of, filter, under] : steps) {
    bytes.append(1, static_cast<char>(kind)).append(1, static_cast<char>(filter));
    bytes.append(of.key()).append(under.key()).append(table).append(1, '\0');
  }
  return bytes;
}

std::vector<CascadeStep> Cascade::decode(std::string_view bytes) {
  constexpr std::size_t kTableAt = 34;
  std::vector<CascadeStep> steps;
  while (bytes.size() > kTableAt) {
    const auto end = bytes.find('\0', kTableAt);
    if (end == bytes.npos) break;
    steps.push_back({static_cast<Kind>(bytes[0]),
                     std::string(bytes.substr(kTableAt, end - kTableAt)),
                     Uuid::from_key(bytes.substr(2, 16)), static_cast<std::uint8_t>(bytes[1]),
                     Uuid::from_key(bytes.substr(18, 16))});
    bytes.remove_prefix(end + 1);
  }
  return steps;
}

}  // namespace tilth
