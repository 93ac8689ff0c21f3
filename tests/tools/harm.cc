// Harms the data directory of a stopped service, as a fault or another version of Tilth would.
//
// Usage: tilth_harm poison DATA STREAM             appends an event of an unknown type, and prints
//                                                  its partition, offset and id
//        tilth_harm row DATA PROJECTION GENERATION STREAM
//                                                  erases the first row of the stream
//        tilth_harm shape DATA PROJECTION GENERATION
//                                                  makes the rows look like another version's

#include <future>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "infra/embedded/embedded_event_log.h"
#include "infra/embedded/owner_key_files.h"
#include "infra/rocksdb/rocks_store.h"
#include "projections/fold/projection.h"

namespace {

using namespace tilth;
namespace fs = std::filesystem;

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

void poison(const fs::path& data, const std::string& stream) {
  const auto log = must(EmbeddedEventLog::open(
      data / "log", {.store = {.keys = must(OwnerKeyFiles::open(data / kOwnerKeys))}}));
  const auto reader = must(log->read({{0, 0}}));
  std::uint64_t version = 0;
  for (auto page = must(reader->next(1'000, {})); !page.empty();
       page = must(reader->next(1'000, {}))) {
    for (const auto& logged : page) version += logged.record->stream == stream ? 1 : 0;
  }
  const Envelope envelope{
      .id = "00000000-0000-7000-8000-000000000bad",
      .type = "tilth.field.enchanted",
      .source = "tilth://harm",
      .time = must(Result<Timestamp>(*Timestamp::parse("2026-03-01T06:30:00Z"))),
      .stream_version = version,
      .correlation_id = "harm",
      .causation_id = "harm",
      .actor = "harm"};
  std::promise<Result<Position>> end;
  log->append({stream, envelope, "{}"}, [&](const auto& done) { end.set_value(done); });
  const auto position = must(end.get_future().get());
  std::cout << "{\"partition\":" << position.partition << ",\"offset\":" << position.offset
            << ",\"id\":\"" << envelope.id << "\"}\n";
}

void change(const fs::path& data, const std::string& name, int generation,
            const std::function<RowBatch::Changes(const RowReader&)>& changes) {
  const RocksMemory memory(1 << 20, 1 << 20);
  const auto fingerprint = name == "access" ? access().fingerprint : registry().fingerprint;
  const auto store = must(RocksStore::open(data / "views", name, generation, fingerprint, memory));
  if (!store->commit(changes(store->newest()))) throw std::runtime_error("it cannot be written");
}

RowBatch::Changes first_row(const RowReader& rows, const std::string& stream) {
  const auto cursor = rows.cursor();
  const auto prefix = stream + '\0' + 'r';
  cursor->seek(prefix);
  if (!cursor->valid() || !cursor->key().starts_with(prefix)) throw std::runtime_error("no row");
  return {{std::string(cursor->key()), std::nullopt}};
}

}  // namespace

int main(int count, char** arguments) try {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  const auto is = [&](std::string_view what, std::size_t length) {
    return words.size() == length && words[0] == what;
  };
  if (is("poison", 3)) {
    poison(words[1], words[2]);
  } else if (is("row", 5)) {
    change(words[1], words[2], std::stoi(words[3]),
           [&](const RowReader& rows) { return first_row(rows, words[4]); });
  } else if (is("shape", 4)) {
    change(words[1], words[2], std::stoi(words[3]), [](const RowReader&) {
      return RowBatch::Changes{{"\1fingerprint", "another"}};
    });
  } else {
    return 2;
  }
} catch (const std::exception& error) {
  std::cerr << "tilth_harm: " << error.what() << '\n';
  return 1;
}
