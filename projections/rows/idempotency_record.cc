#include "projections/rows/idempotency_record.h"

#include <chrono>
#include <vector>

#include "projections/rows/row_codec.h"

namespace tilth {

// IdempotencyRecord as stored.
struct IdempotencyRecordRow {
  std::string request_hash;
  Timestamp at;
  std::int64_t partition = 0;
  std::int64_t offset = 0;
  std::optional<std::pair<std::string, std::string>> row = {};
  std::optional<std::tuple<std::string, std::string, std::string>> refusal = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(request_hash, at, partition, offset, row, refusal);
  }
};

namespace {

constexpr std::chrono::hours kKept{24};
constexpr std::size_t kForgottenAtOnce = 8;

std::string by_time(const Rows& rows, Timestamp at, std::string_view key) {
  return rows.own_key('t') + at.sort_key() + std::string(key);
}

void forget_old(MutableRows& rows, Timestamp now) {
  const auto begin = rows.own_key('t');
  const auto limit = by_time(rows, Timestamp{now.at - kKept}, {});
  std::vector<std::string> old;
  {
    const auto cursor = rows.store().cursor();
    for (cursor->seek(begin); old.size() < kForgottenAtOnce && cursor->valid() &&
                              cursor->key().starts_with(begin) && cursor->key() <= limit;
         cursor->next()) {
      old.emplace_back(cursor->key());
    }
  }
  for (auto& key : old) {
    rows.store().erase(rows.own_key('i') + key.substr(begin.size() + 8));
    rows.store().erase(std::move(key));
  }
}

}  // namespace

std::optional<IdempotencyRecord> find_idempotency_record(const Rows& rows, std::string_view key,
                                                         Timestamp now) {
  const auto bytes = rows.own(rows.own_key('i') + std::string(key));
  if (!bytes) return std::nullopt;
  auto row = RowCodec<IdempotencyRecordRow>::decode(*bytes);
  if (now.at - row.at.at >= kKept) return std::nullopt;
  IdempotencyRecord remembered{
      std::move(row.request_hash), row.at, {static_cast<int>(row.partition), row.offset}};
  if (row.row) remembered.row = RowBytes{row.row->first, row.row->second};
  if (row.refusal) {
    const auto& [code, message, details] = *row.refusal;
    remembered.refusal = RequestRefused{code, message, {details}, row.at};
  }
  return remembered;
}

void remember(MutableRows& rows, std::string_view key, const IdempotencyRecord& remembered) {
  forget_old(rows, remembered.at);
  const auto entry = rows.own_key('i') + std::string(key);
  if (const auto before = rows.own(entry)) {
    rows.store().erase(by_time(rows, RowCodec<IdempotencyRecordRow>::decode(*before).at, key));
  }
  IdempotencyRecordRow row{remembered.request_hash, remembered.at, remembered.position.partition,
                           remembered.position.offset};
  if (remembered.row) row.row.emplace(remembered.row->table, remembered.row->bytes);
  if (const auto& refusal = remembered.refusal) {
    row.refusal.emplace(refusal->code, refusal->message, refusal->details.json);
  }
  rows.store().put(entry, RowCodec<IdempotencyRecordRow>::encode(row));
  rows.store().put(by_time(rows, remembered.at, key), {});
}

}  // namespace tilth
