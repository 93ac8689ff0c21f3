#include "projections/bulk_fold.h"

#include <algorithm>
#include <utility>

#include "events/version_gate.h"
#include "projections/fold_record.h"
#include "projections/stored_offsets.h"

namespace tilth {
namespace {

constexpr std::size_t kPieceBytes = 192 << 20;  // beside what the piece is sorted in
constexpr std::size_t kPages = 8;               // at once, before the caller is asked
constexpr std::size_t kSweptAtOnce = 10'000;

}  // namespace

BulkFold::BulkFold(EventLog& log, BulkStore& store, const Projection& projection,
                   const StandingOrders& orders)
    : log_(log), store_(store), projection_(projection) {
  for (const auto& skipped : orders.skipped) {
    passed_over_.emplace(skipped.partition, skipped.offset);
  }
  begin();
}

// From the last checkpoint.
void BulkFold::begin() {
  decoded_.reset();
  state_ = store_.state();
  rows_ = std::make_unique<BulkRows>(*state_);
  next_ = Projector::stands_at(*state_, log_.partitions()).value();
  versions_.clear();
}

Result<bool> BulkFold::advance(const std::vector<Position>& ends) {
  if (ends_.empty()) ends_ = ends;
  if (!decoded_) decoded_ = std::make_unique<DecodedLog>(log_, next_, ends_, projection_.follows);
  for (std::size_t page = 0; page < kPages; ++page) {
    const auto read = decoded_->next();
    if (!read) return read.error();
    if (read->empty()) {
      if (const auto taken = take_piece(); !taken) return taken.error();
      decoded_.reset();
      return true;
    }
    for (const auto& decoded : *read) {
      if (decoded.event) {
        if (const auto done = fold(decoded); !done) return done.error();
      }
      const auto& position = decoded.logged.position;
      for (auto& each : next_) {
        if (each.partition == position.partition) each.offset = position.offset + 1;
      }
    }
    folded_ += read->size();
    if (rows_->bytes() < kPieceBytes) continue;
    if (const auto taken = take_piece(); !taken) return taken.error();
  }
  return false;
}

Status BulkFold::fold(const DecodedRecord& decoded) {
  const auto& [position, record] = decoded.logged;
  const auto at = version(record.stream);
  if (!VersionGate::counts(record, at)) return kDone;
  const bool passed_over = passed_over_.contains({position.partition, position.offset});
  if (!passed_over && !*decoded.event) return decoded.event->error();
  MutableRows rows(*rows_, record.stream, at);
  fold_record(projection_, rows, decoded.logged, passed_over ? nullptr : &**decoded.event);
  versions_[record.stream] = at + 1;
  if (rows.sweeps().empty()) return kDone;
  Sweep sweep(rows.sweeps());
  while (!sweep.advance(rows, kSweptAtOnce)) {
  }
  return kDone;
}

Status BulkFold::take_piece() {
  for (const auto& position : next_) {
    auto [key, value] = stored_offset(position);
    rows_->put(std::move(key), std::move(value));
  }
  if (const auto taken = store_.ingest(*rows_); !taken) {
    begin();
    return taken;
  }
  state_ = store_.state();
  rows_ = std::make_unique<BulkRows>(*state_);
  return kDone;
}

std::uint64_t BulkFold::version(const std::string& stream) {
  if (const auto known = versions_.find(stream); known != versions_.end()) return known->second;
  const auto stored = rows_->get(Rows(*rows_, stream, 0).own_key('v'));
  return versions_[stream] = stored ? static_cast<std::uint64_t>(read_stored_number(*stored)) : 0;
}

}  // namespace tilth
