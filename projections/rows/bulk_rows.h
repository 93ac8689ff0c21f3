// The rows of one stream while all of its events are folded at once. Lists, which are most of what
// an event changes, are built from the rows at the end.

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "projections/rows/lists/list_builder.h"
#include "projections/rows/row_batch.h"
#include "projections/rows/row_keys.h"
#include "projections/rows/row_store.h"

namespace tilth {

// Operation: a row is stored as it is, without reading its previous state or changing a list. The
// first read of a list or a unique key builds those of that parent's rows, which are kept up to
// date from then on. What take() yields is the same, byte for byte, as if each change had updated
// each list.
//
// Rows and their ageing keys can be looked up or taken, but iterating over them is a logic_error.
//
// Threads: one.
class BulkRows final : public RowStore {
 public:
  explicit BulkRows(std::string_view stream);
  ~BulkRows() override;

  std::optional<std::string> get(std::string_view key) const override;
  std::vector<std::optional<std::string>> get_many(
      const std::vector<std::string>& keys) const override;
  std::unique_ptr<RowCursor> cursor() const override;
  void put(std::string key, std::string value) override;
  void erase(std::string key) override;
  bool put_row(const RowKind& kind, const Uuid& id, const Uuid& parent,
               const std::string& bytes) override;
  bool erase_row(const RowKind& kind, const Uuid& id, const Uuid& parent) override;

  // About how much memory it uses.
  std::size_t bytes() const { return bytes_; }

  // Hands over all keys in order, each once; nothing may be put afterwards.
  using Each = std::function<void(std::string_view key, std::string_view value)>;
  void take(const Each& each);

 private:
  struct Parent;
  struct Row;
  struct Table;
  class Cursor;

  using Changes = std::vector<std::pair<std::string, std::string>>;

  Table* find_table(std::string_view name) const;
  Row* find_row(const RowKeyParts& key) const;
  void keep_up(std::string_view table, const Uuid& parent);
  ListBuilder follow(Table& table, Parent& parent, Changes& uniques);
  std::string key_of(char kind, std::string_view table, const Uuid& of) const;

  const std::string stream_;
  std::map<std::string_view, std::unique_ptr<Table>> tables_;  // by name
  RowBatch ordered_;                                           // all else
  std::size_t bytes_ = 0;
};

}  // namespace tilth
