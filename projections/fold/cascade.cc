#include "projections/fold/cascade.h"

#include <algorithm>
#include <utility>

#include "projections/fold/row_list.h"
#include "projections/fold/row_type.h"

namespace tilth {
namespace {

using Kind = CascadeStep::Kind;

// Taking a row out of lists that stay costs about this many times what erasing it in place does.
constexpr std::size_t kCostOfTakingOut = 20;

// So many rows below one that is taken out of lists are hidden, and not erased with it.
constexpr std::uint64_t kWorthHiding = 100;
// Steps that are hidden: they are stored again with each commit that changes them.
constexpr std::size_t kMostHidden = 1'000;

std::vector<std::string> key_prefixes(const Rows& rows, const CascadeStep& step) {
  if (step.kind == Kind::kLists) return rows.parent_prefixes(step.table, step.of);
  const auto* type = find_row_type(step.table);
  if (type == nullptr || type->own_keys == nullptr) return {};
  return {type->own_keys(rows, step.of)};
}

bool lies_in_own_list(const CascadeStep& step) {
  return step.kind == Kind::kChildren && step.filter == CascadeStep::kOwnList;
}

bool can_be_hidden(const CascadeStep& step) {
  return lies_in_own_list(step) && !hidden_below(step.table).empty();
}

}  // namespace

Cascade::Cascade(std::vector<CascadeStep> steps) {
  for (auto& step : steps) {
    if (can_be_hidden(step)) {
      hidden_.push_back(std::move(step));
    } else {
      first_.push_back(step);
      left_.push_back({std::move(step)});
    }
  }
}

bool Cascade::advance(MutableRows& rows, std::size_t budget) {
  while (!left_.empty() && budget > 0) take(rows, left_, budget);
  if (left_.empty()) first_.clear();
  while (left_.empty() && !hidden_.empty() && budget > 0) {
    if (begun_.empty()) begun_.push_back({hidden_.back()});
    while (!begun_.empty() && budget > 0) take(rows, begun_, budget);
    if (begun_.empty()) hidden_.pop_back();
  }
  return left_.empty() && hidden_.empty();
}

// What `later` has begun is begun again.
void Cascade::add(Cascade later) {
  first_ = std::move(later.first_);
  left_ = std::move(later.left_);
  hidden_.insert(hidden_.begin(), later.hidden_.begin(), later.hidden_.end());
}

std::set<Uuid> Cascade::hidden_below() const {
  std::set<Uuid> ids;
  for (const auto& step : hidden_) ids.insert(step.of);
  return ids;
}

std::vector<CascadeStep> Cascade::steps() const {
  auto steps = hidden_;
  steps.insert(steps.end(), first_.begin(), first_.end());
  return steps;
}

// Takes the next step. A step costs something even if it finds nothing, since it looks.
void Cascade::take(MutableRows& rows, Steps& steps, std::size_t& budget) {
  auto step = std::move(steps.back());
  steps.pop_back();
  --budget;
  switch (step.step.kind) {
    case Kind::kChildren:
      return erase_children(rows, steps, std::move(step), budget);
    case Kind::kOne:
      if (!step.where_it_lies) budget -= std::min(budget, kCostOfTakingOut);
      return take_out(rows, step);
    case Kind::kLists:
    case Kind::kKeys:
      return erase_keys(rows, steps, std::move(step), budget);
  }
}

void Cascade::take_out(MutableRows& rows, const Step& step) {
  const auto& [kind, table, id, filter, under] = step.step;
  const auto* type = find_row_type(table);
  if (type == nullptr) return;
  if (type->before_cascade != nullptr) type->before_cascade(rows, id);
  if (step.where_it_lies) {
    rows.erase_where_it_lies(table, id);
  } else {
    type->take_out(rows, id);
  }
}

// Visits the children in the order of their list, from where it stopped last time. A cursor that
// leaves a list then reaches one that is still there, and not all that was erased before.
void Cascade::erase_children(MutableRows& rows, Steps& steps, Step step, std::size_t& budget) {
  const auto& [kind, table, of, filter, under] = step.step;
  const auto* type = find_row_type(table);
  if (type == nullptr) return;
  const bool lists_stay = filter != CascadeStep::kOwnList;
  const auto at_most = std::max<std::size_t>(budget, 1);
  const auto found =
      rows.ids_in_list(table, lists_stay ? under : of,
                       lists_stay ? ListFilter{filter, std::string(of.key()), true} : ListFilter{},
                       step.after, at_most);
  const bool more = found.size() == at_most;
  budget -= std::min(budget, found.size());
  if (more) {
    steps.push_back(step);
  } else if (!lists_stay) {
    steps.push_back({{Kind::kLists, table, of}});
  }
  const auto dependents = dependents_of(table);
  for (auto child = found.rbegin(); child != found.rend(); ++child) {
    Step itself{{Kind::kOne, table, *child}, {}, !lists_stay};
    if (lists_stay || !dependents.empty()) {
      steps.push_back(std::move(itself));
    } else {
      take_out(rows, itself);
    }
    for (const auto& [below, link] : dependents) {
      if (link->filter != CascadeStep::kOwnList) continue;  // these are removed with its parent
      CascadeStep its{Kind::kChildren, std::string(below->table), *child};
      if (lists_stay && hides(rows, its)) continue;
      steps.push_back({std::move(its)});
    }
  }
}

// Leaves what lies below a row in lists that stay for later, if it is much.
bool Cascade::hides(const MutableRows& rows, const CascadeStep& step) {
  if (!can_be_hidden(step) || hidden_.size() >= kMostHidden) return false;
  if (rows.count(step.table, step.of) < kWorthHiding) return false;
  hidden_.insert(hidden_.begin(), step);  // the last one may have begun
  return true;
}

void Cascade::erase_keys(MutableRows& rows, Steps& steps, Step step, std::size_t& budget) {
  std::vector<std::string> keys;
  const auto at_most = std::max<std::size_t>(budget, 1);
  bool more = false;
  for (const auto& prefix : key_prefixes(rows, step.step)) {
    const auto cursor = rows.store().cursor_within(prefix);
    for (cursor->seek(std::max(step.after, prefix));
         cursor->valid() && cursor->key().starts_with(prefix); cursor->next()) {
      if (cursor->key() == step.after) continue;
      if ((more = keys.size() == at_most)) break;
      keys.emplace_back(cursor->key());
    }
    if (more) break;
  }
  budget -= std::min(budget, keys.size());
  if (more) {
    step.after = keys.back();
    steps.push_back(std::move(step));
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
