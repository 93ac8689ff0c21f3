#include "infra/rocksdb/layer_writer.h"

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include <rocksdb/sst_file_writer.h>

#include "api/platform/thread_name.h"
#include "infra/rocksdb/slices.h"

namespace tilth {
namespace {

constexpr std::chrono::milliseconds kTimeout{1'000}, kBeforeLookingAgain{20}, kAfterAFailure{100};

// The newest file is soon compacted: compressing it takes more time than the space is worth.
rocksdb::Options unpacked(rocksdb::Options options) {
  options.compression = rocksdb::kNoCompression;
  options.compression_per_level.clear();
  return options;
}

std::filesystem::path file_of_layers(const rocksdb::DB& db) {
  return std::filesystem::path(db.GetName()) / "layer.sst";
}

// A crash may have left it as a second link to a file that the database had already ingested.
void remove_leftover(const rocksdb::DB& db) {
  std::error_code ignored;
  std::filesystem::remove(file_of_layers(db), ignored);
}

}  // namespace

LayerWriter::LayerWriter(rocksdb::DB& db, const rocksdb::Options& options)
    : db_(db),
      options_(unpacked(options)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {
  // Not only before the next layer: it has what is erased meanwhile.
  remove_leftover(db);
}

void LayerWriter::begin(SharedMap layer) {
  {
    const std::lock_guard lock(mutex_);
    layer_ = std::move(layer);
    ended_.reset();
  }
  changed_.notify_all();
}

std::optional<Status> LayerWriter::ended() {
  const std::lock_guard lock(mutex_);
  return ended_;
}

Status LayerWriter::end() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ended_.has_value(); });
  return *ended_;
}

void LayerWriter::run(const std::stop_token& stop) {
  name_thread("row layers");
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return layer_.has_value(); })) {
    const auto layer = *std::exchange(layer_, std::nullopt);
    lock.unlock();
    wait_for_room(stop);
    const auto written = write(layer);
    lock.lock();
    // An immediate retry must not keep a full disk busy.
    if (!written.ok()) changed_.wait_for(lock, stop, kAfterAFailure, [] { return false; });
    ended_ = written.ok()
                 ? kDone
                 : Status(Error{ErrorCode::kUnavailable,
                                "The read models cannot be written: " + written.ToString()});
    changed_.notify_all();
  }
}

// RocksDB does not throttle the ingestion of files, however far compaction lags behind.
void LayerWriter::wait_for_room(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto until = std::chrono::steady_clock::now() + kTimeout;
  std::uint64_t slowed = 0;
  while (db_.GetIntProperty(rocksdb::DB::Properties::kActualDelayedWriteRate, &slowed) &&
         slowed != 0 && std::chrono::steady_clock::now() < until && !stop.stop_requested()) {
    changed_.wait_for(lock, stop, kBeforeLookingAgain, [] { return false; });
  }
}

rocksdb::Status LayerWriter::write(const SharedMap& layer) const {
  const auto path = file_of_layers(db_);
  remove_leftover(db_);
  rocksdb::SstFileWriter file(rocksdb::EnvOptions(), options_);
  auto status = file.Open(path.string());
  SharedMap::Cursor entry(layer);
  for (entry.seek({}); status.ok() && entry.valid(); entry.next()) {
    const auto value = entry.value();
    status = value ? file.Put(slice(entry.key()), slice(*value)) : file.Delete(slice(entry.key()));
  }
  if (status.ok()) status = file.Finish();
  if (!status.ok()) {
    remove_leftover(db_);  // leaves the remaining space to the log
    return status;
  }
  rocksdb::IngestExternalFileOptions as_it_is;
  as_it_is.move_files = true;
  as_it_is.write_global_seqno = false;
  status = db_.IngestExternalFile({path.string()}, as_it_is);
  // After a full disk RocksDB resumes only on request.
  if (!status.ok() && db_.Resume().ok()) status = db_.IngestExternalFile({path.string()}, as_it_is);
  return status;
}

}  // namespace tilth
