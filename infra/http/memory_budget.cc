#include "infra/http/memory_budget.h"

#include <utility>

namespace tilth {

std::unique_ptr<MemoryShare> MemoryBudget::take(std::string_view account, std::size_t bytes) {
  std::string name(account);
  if (!add(name, 0, bytes)) return nullptr;
  return std::make_unique<MemoryShare>(shared_from_this(), std::move(name), bytes);
}

std::size_t MemoryBudget::used() const {
  const std::lock_guard lock(mutex_);
  return used_;
}

std::uint64_t MemoryBudget::refusals() const {
  const std::lock_guard lock(mutex_);
  return refusals_;
}

bool MemoryBudget::add(const std::string& account, std::size_t own, std::size_t bytes) {
  if (bytes == 0) return true;
  const std::lock_guard lock(mutex_);
  const auto found = accounts_.find(account);
  const std::size_t held = found == accounts_.end() ? 0 : found->second;
  const bool fits = bytes <= limits_.bytes - used_;
  const bool fair =
      held == own || (held <= limits_.account_bytes && bytes <= limits_.account_bytes - held);
  if (!fits || !fair) return ++refusals_, false;
  used_ += bytes;
  accounts_[account] = held + bytes;
  return true;
}

void MemoryBudget::give_back(const std::string& account, std::size_t bytes) {
  if (bytes == 0) return;
  const std::lock_guard lock(mutex_);
  used_ -= bytes;
  const auto found = accounts_.find(account);
  if ((found->second -= bytes) == 0) accounts_.erase(found);
}

bool MemoryShare::resize(std::size_t bytes) {
  if (bytes > bytes_) {
    if (!budget_->add(account_, bytes_, bytes - bytes_)) return false;
  } else {
    budget_->give_back(account_, bytes_ - bytes);
  }
  bytes_ = bytes;
  return true;
}

}  // namespace tilth
