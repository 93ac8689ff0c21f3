#include "infra/embedded/record_bytes.h"

#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include <xxhash.h>

namespace tilth {
namespace {

static_assert(std::endian::native == std::endian::little);

// The second has a traceparent, the third a predecessor after a traceparent that may be empty.
// Those of a sealed log also have a sealed part, and 3 more as their number.
constexpr std::uint8_t kForm = 1, kTracedForm = 2, kFollowingForm = 3;
constexpr std::uint8_t kMoreIfSealed = 3;
constexpr std::size_t kChecksumBytes = sizeof(std::uint64_t);

std::uint64_t checksum(std::int64_t offset, std::string_view bytes) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), static_cast<XXH64_hash_t>(offset));
}

class Writer {
 public:
  explicit Writer(std::string& bytes) : bytes_(bytes) {}

  template <class T>
  void operator()(const T& value) {
    if constexpr (std::is_integral_v<T>) {
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    } else {
      // Longer strings never get here: RocksDB stores no value of 4 GiB.
      (*this)(static_cast<std::uint32_t>(value.size()));
      bytes_.append(value);
    }
  }

 private:
  std::string& bytes_;
};

// After the first missing bytes, everything else reads as empty.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  void operator()(T& value) {
    if constexpr (std::is_integral_v<T>) {
      if (const auto bytes = take(sizeof value); bytes.size() == sizeof value) {
        std::memcpy(&value, bytes.data(), sizeof value);
      }
    } else {
      std::uint32_t size = 0;
      (*this)(size);
      value = std::string(take(size));
    }
  }

  bool ended_well() const { return whole_ && rest_.empty(); }

 private:
  std::string_view take(std::size_t size) {
    whole_ = whole_ && size <= rest_.size();
    if (!whole_) return {};
    const auto taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
  bool whole_ = true;
};

// The members in the order in which they are stored.
template <class Archive, class R>
void members(Archive& archive, R& record) {
  auto& envelope = record.envelope;
  archive(record.stream);
  archive(envelope.id);
  archive(envelope.type);
  archive(envelope.schema_version);
  archive(envelope.source);
  archive(envelope.stream_version);
  archive(envelope.correlation_id);
  archive(envelope.causation_id);
  archive(envelope.actor);
}

Error damaged(std::string what) { return {ErrorCode::kDamaged, std::move(what)}; }

// Without what a sealed part adds.
std::uint8_t form_of(const Record& record) {
  if (!record.envelope.predecessor.empty()) return kFollowingForm;
  return record.envelope.traceparent.empty() ? kForm : kTracedForm;
}

bool is_sealed(std::uint8_t form) { return form > kMoreIfSealed; }

// `sealed`: null in a log that is not sealed.
void encode(std::int64_t offset, const Record& record, std::string_view json,
            const std::string* sealed, std::string& bytes) {
  const std::size_t start = bytes.size();
  bytes.append(kChecksumBytes, '\0');
  Writer write(bytes);
  const auto form = form_of(record);
  write(static_cast<std::uint8_t>(sealed != nullptr ? form + kMoreIfSealed : form));
  members(write, record);
  write(static_cast<std::int64_t>(record.envelope.time.at.time_since_epoch().count()));
  const auto& idempotency = record.envelope.idempotency;
  write(static_cast<std::uint8_t>(idempotency.has_value()));
  if (idempotency) {
    write(idempotency->key);
    write(idempotency->request_hash);
  }
  if (form >= kTracedForm) write(record.envelope.traceparent);
  if (form == kFollowingForm) write(record.envelope.predecessor);
  write(json);
  if (sealed != nullptr) write(*sealed);
  const auto sum = checksum(offset, std::string_view(bytes).substr(start + kChecksumBytes));
  std::memcpy(bytes.data() + start, &sum, sizeof sum);
}

}  // namespace

void encode_record(std::int64_t offset, const Record& record, std::string& bytes) {
  encode(offset, record, record.json, nullptr, bytes);
}

void encode_record(std::int64_t offset, const Record& record, const SealedJson& json,
                   std::string& bytes) {
  encode(offset, record, json.open, &json.sealed, bytes);
}

bool is_of_sealed_log(std::string_view bytes) {
  return bytes.size() > kChecksumBytes &&
         is_sealed(static_cast<std::uint8_t>(bytes[kChecksumBytes]));
}

Status decode_record(std::int64_t offset, std::string_view bytes, Record& record,
                     std::string* sealed) {
  if (bytes.size() <= kChecksumBytes) return damaged("it is too short to be one");
  std::uint64_t sum = 0;
  std::memcpy(&sum, bytes.data(), sizeof sum);
  bytes.remove_prefix(kChecksumBytes);
  if (sum != checksum(offset, bytes)) return damaged("its checksum does not match its bytes");

  Reader read(bytes);
  std::uint8_t stored_form = 0;
  read(stored_form);
  if (stored_form < kForm || stored_form > kFollowingForm + kMoreIfSealed) {
    return damaged("its form " + std::to_string(stored_form) + " is not known here");
  }
  const int form = is_sealed(stored_form) ? stored_form - kMoreIfSealed : stored_form;
  members(read, record);
  std::int64_t time = 0;
  read(time);
  record.envelope.time.at =
      std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(time));
  std::uint8_t has_idempotency = 0;
  read(has_idempotency);
  if (has_idempotency > 1) return damaged("its bytes do not make sense");
  if (has_idempotency == 1) {
    Idempotency& idempotency = record.envelope.idempotency.emplace();
    read(idempotency.key);
    read(idempotency.request_hash);
  }
  auto& traceparent = record.envelope.traceparent;
  auto& predecessor = record.envelope.predecessor;
  if (form >= kTracedForm) read(traceparent);
  if (form == kFollowingForm) read(predecessor);
  read(record.json);
  if (is_sealed(stored_form)) {
    std::string part;
    read(part);
    if (sealed != nullptr) *sealed = std::move(part);
  }
  if (!read.ended_well()) return damaged("its lengths do not fit its bytes");
  const bool whole = form == kTracedForm      ? !traceparent.empty()
                     : form == kFollowingForm ? !predecessor.empty()
                                              : true;
  if (!whole) return damaged("its bytes do not make sense");
  return kDone;
}

Result<Record> decode_record(std::int64_t offset, std::string_view bytes, std::string* sealed) {
  Record record;
  if (const auto decoded = decode_record(offset, bytes, record, sealed); !decoded) {
    return decoded.error();
  }
  return record;
}

}  // namespace tilth
