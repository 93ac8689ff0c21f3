#include "projections/rows/forgotten_requests.h"

#include <string>
#include <utility>
#include <vector>

namespace tilth {
namespace {

// Where idempotency_record.cc has them, by key and by time.
constexpr char kByKey = 'i', kByTime = 't';

}  // namespace

bool remembers_requests(const Rows& rows) {
  const auto begin = rows.own_key(kByTime);
  const auto cursor = rows.cursor();
  cursor->seek(begin);
  return cursor->valid() && cursor->key().starts_with(begin);
}

void forget_requests(MutableRows& rows) {
  std::vector<std::string> all;
  for (const char kind : {kByKey, kByTime}) {
    const auto begin = rows.own_key(kind);
    const auto cursor = rows.store().cursor();
    for (cursor->seek(begin); cursor->valid() && cursor->key().starts_with(begin); cursor->next()) {
      all.emplace_back(cursor->key());
    }
  }
  for (auto& key : all) rows.store().erase(std::move(key));
}

}  // namespace tilth
