// How many bytes clients can make the service hold: a limit for all of them, and one for each
// account.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tilth {

class MemoryShare;

// Threads: any. Shares keep their budget, so they may outlive the server.
class MemoryBudget : public std::enable_shared_from_this<MemoryBudget> {
 public:
  struct Limits {
    std::size_t bytes = SIZE_MAX;
    std::size_t account_bytes = SIZE_MAX;  // one share larger than that is granted to an account
                                           // that holds nothing else
  };

  explicit MemoryBudget(Limits limits) : limits_(limits) {}

  // Bytes on account of `account`. Null: beyond one of the limits, which is counted as a refusal.
  std::unique_ptr<MemoryShare> take(std::string_view account, std::size_t bytes);

  std::size_t limit() const { return limits_.bytes; }
  std::size_t used() const;
  std::uint64_t refusals() const;

 private:
  friend class MemoryShare;
  // Bytes more for a share that has `own` of the account's.
  bool add(const std::string& account, std::size_t own, std::size_t bytes);
  void give_back(const std::string& account, std::size_t bytes);

  const Limits limits_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::size_t> accounts_;
  std::size_t used_ = 0;
  std::uint64_t refusals_ = 0;
};

// Gives its bytes back when it is destroyed. Threads: one at a time.
class MemoryShare {
 public:
  MemoryShare(std::shared_ptr<MemoryBudget> budget, std::string account, std::size_t bytes)
      : budget_(std::move(budget)), account_(std::move(account)), bytes_(bytes) {}
  ~MemoryShare() { budget_->give_back(account_, bytes_); }
  MemoryShare(const MemoryShare&) = delete;
  MemoryShare& operator=(const MemoryShare&) = delete;

  // False: beyond a limit; the share keeps what it has. Shrinking succeeds. An account's only share
  // may grow beyond the account's limit, as take() may grant one that is larger.
  bool resize(std::size_t bytes);

  std::size_t bytes() const { return bytes_; }

 private:
  const std::shared_ptr<MemoryBudget> budget_;
  const std::string account_;
  std::size_t bytes_ = 0;
};

// The budgets of one server.
struct MemoryBudgets {
  std::shared_ptr<MemoryBudget> bodies = std::make_shared<MemoryBudget>(MemoryBudget::Limits{});
  std::shared_ptr<MemoryBudget> answers = std::make_shared<MemoryBudget>(MemoryBudget::Limits{});
  std::shared_ptr<MemoryBudget> streams = std::make_shared<MemoryBudget>(MemoryBudget::Limits{});
};

}  // namespace tilth
