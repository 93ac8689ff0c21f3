// A projection's store whose rows cannot be read any more, as soon as a test says so.

#pragma once

#include <memory>
#include <utility>

#include "projections/projection_store.h"

namespace tilth::testing {

// It stands for one store: what another one throws is none of its own. Threads: as the store under
// it, but harm() and heal() are for whoever turns the rest.
class DamagedStore final : public ProjectionStore {
 public:
  explicit DamagedStore(ProjectionStore& store, std::string name = "damaged")
      : store_(store), name_(std::move(name)) {}

  const RowReader& newest() const override {
    newest_.of = std::shared_ptr<const RowReader>(&store_.newest(), [](const auto*) {});
    return newest_;
  }
  std::shared_ptr<const RowReader> snapshot() const override {
    auto reader = std::make_shared<Reader>(*this);
    reader->of = store_.snapshot();
    return reader;
  }
  Status commit(const RowBatch::Changes& changes) override { return store_.commit(changes); }
  bool holds(const UnreadableRows& rows) const override { return rows.store() == name_; }

  void harm() { harmed_ = true; }
  // Now and then a test reads what else is there.
  void heal() { harmed_ = false; }

  void read() const {
    if (harmed_) throw UnreadableRows(name_, "The rows cannot be read: they are damaged.");
  }

 private:
  struct Reader final : RowReader {
    explicit Reader(const DamagedStore& from) : store(from) {}
    std::optional<std::string> get(std::string_view key) const override {
      store.read();
      return of->get(key);
    }
    std::vector<std::optional<std::string>> get_many(
        const std::vector<std::string>& keys) const override {
      store.read();
      return of->get_many(keys);
    }
    std::unique_ptr<RowCursor> cursor() const override {
      store.read();
      return of->cursor();
    }
    const DamagedStore& store;
    std::shared_ptr<const RowReader> of;
  };

  ProjectionStore& store_;
  const std::string name_;
  bool harmed_ = false;
  mutable Reader newest_{*this};
};

}  // namespace tilth::testing
