// Limits what a query may read on the thread where it runs.

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/platform/fair_executor.h"
#include "projections/rows/row_store.h"

namespace tilth {

// Thrown through a query, and caught where that begins, when it has read as much as it may.
struct RowBudgetSpent {};
// The same, when its token says that it should not continue.
struct QueryCancelled {};

// Counts steps: one is an entry of a list, about a microsecond; a row is several. Belongs to one
// thread.
class RowMeter {
 public:
  // A query on a server thread: at most about 4 ms.
  static constexpr std::size_t kStepsAtOnce = 2'000;

  RowMeter() = default;
  // On an executor's thread: looks at the token every few hundred steps instead.
  explicit RowMeter(WorkToken& token) : token_(&token), left_(kStepsBetweenLooks) {}

  void spend(std::size_t steps) {
    spent_ += steps;
    steps < left_ ? void(left_ -= steps) : look();
  }
  std::size_t spent() const { return spent_; }

 private:
  static constexpr std::size_t kStepsBetweenLooks = 512;

  void look();

  WorkToken* const token_ = nullptr;
  std::size_t left_ = kStepsAtOnce;
  std::size_t spent_ = 0;
};

// The rows of another reader, each read counted. Both must outlive it. Belongs to one thread.
class MeteredRows final : public RowReader {
 public:
  MeteredRows(const RowReader& rows, RowMeter& meter) : rows_(rows), meter_(meter) {}

  std::optional<std::string> get(std::string_view key) const override;
  std::vector<std::optional<std::string>> get_many(
      const std::vector<std::string>& keys) const override;
  std::unique_ptr<RowCursor> cursor() const override;

 private:
  const RowReader& rows_;
  RowMeter& meter_;
};

}  // namespace tilth
