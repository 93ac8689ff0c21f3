#include "api/platform/metered_rows.h"

#include <utility>

namespace tilth {
namespace {

constexpr std::size_t kStepsOfARow = 8;  // read, decoded and rendered
constexpr std::size_t kStepsOfASeek = 4;

class MeteredCursor final : public RowCursor {
 public:
  MeteredCursor(std::unique_ptr<RowCursor> cursor, RowMeter& meter)
      : cursor_(std::move(cursor)), meter_(meter) {}

  void seek(std::string_view key) override {
    meter_.spend(kStepsOfASeek);
    cursor_->seek(key);
  }
  void seek_for_prev(std::string_view key) override {
    meter_.spend(kStepsOfASeek);
    cursor_->seek_for_prev(key);
  }
  void next() override {
    meter_.spend(1);
    cursor_->next();
  }
  void prev() override {
    meter_.spend(1);
    cursor_->prev();
  }
  bool valid() const override { return cursor_->valid(); }
  std::string_view key() const override { return cursor_->key(); }
  std::string_view value() const override { return cursor_->value(); }

 private:
  const std::unique_ptr<RowCursor> cursor_;
  RowMeter& meter_;
};

}  // namespace

void RowMeter::look() {
  if (token_ == nullptr) throw RowBudgetSpent{};
  if (!token_->go_on()) throw QueryCancelled{};
  left_ = kStepsBetweenLooks;
}

std::optional<std::string> MeteredRows::get(std::string_view key) const {
  meter_.spend(kStepsOfARow);
  return rows_.get(key);
}

std::vector<std::optional<std::string>> MeteredRows::get_many(
    const std::vector<std::string>& keys) const {
  meter_.spend(kStepsOfARow * keys.size());
  return rows_.get_many(keys);
}

std::unique_ptr<RowCursor> MeteredRows::cursor() const {
  return std::make_unique<MeteredCursor>(rows_.cursor(), meter_);
}

}  // namespace tilth
