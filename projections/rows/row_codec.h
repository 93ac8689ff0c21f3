// Encodes rows as bytes: cereal's binary form of what they describe. Include this only from the .cc
// of a row, which instantiates its codec:
//
//   template struct RowCodec<Plant>;
//
// It reads only what it wrote itself, from a store that checks its blocks.

#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <cereal/cereal.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/tuple.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>

#include "events/values/decimal.h"
#include "events/values/geometry.h"
#include "events/values/ids.h"
#include "events/values/time.h"
#include "projections/rows/rows.h"

namespace tilth {

template <class Archive>
void serialize(Archive& ar, Uuid& uuid) {
  ar(cereal::binary_data(uuid.bytes.data(), uuid.bytes.size()));
}
template <class Archive, class Of>
void serialize(Archive& ar, Id<Of>& id) {
  ar(id.uuid);
}
template <class Archive>
void serialize(Archive& ar, Decimal& decimal) {
  auto halves = std::bit_cast<std::array<std::uint64_t, 2>>(decimal);
  ar(cereal::binary_data(halves.data(), sizeof halves));
  decimal = std::bit_cast<Decimal>(halves);
}
template <class Archive>
void serialize(Archive& ar, Timestamp& timestamp) {
  auto count = timestamp.at.time_since_epoch().count();
  ar(count);
  timestamp.at = decltype(timestamp.at)(std::chrono::milliseconds(count));
}
template <class Archive>
void serialize(Archive& ar, Date& date) {
  auto count = date.day.time_since_epoch().count();
  ar(count);
  date.day = std::chrono::sys_days(std::chrono::days(count));
}
template <class Archive>
void serialize(Archive& ar, LngLat& position) {
  ar(position.lng, position.lat);
}
// A value that wraps one other; its bytes are those of that one.
template <class T>
concept Wrapping = requires {
  T::kWrapped;
};
template <class Archive, Wrapping T>
void serialize(Archive& ar, T& value) {
  ar(value.*T::kWrapped);
}

// cereal's binary form without a stream, which costs more to construct than a row. Most of what is
// written are a few bytes, which are collected.
class BytesOut : public cereal::OutputArchive<BytesOut, cereal::AllowEmptyClassElision> {
 public:
  // Appends to `bytes`, the last of it when this is destroyed.
  explicit BytesOut(std::string& bytes) : OutputArchive(this), bytes_(bytes) {}
  BytesOut(const BytesOut&) = delete;
  BytesOut& operator=(const BytesOut&) = delete;
  ~BytesOut() { bytes_.append(collected_.data(), count_); }

  void write(const void* from, std::size_t count) {
    if (count > collected_.size() - count_) {
      bytes_.append(collected_.data(), std::exchange(count_, 0));
      if (count > collected_.size()) {
        bytes_.append(static_cast<const char*>(from), count);
        return;
      }
    }
    std::memcpy(collected_.data() + count_, from, count);
    count_ += count;
  }

 private:
  std::string& bytes_;
  std::array<char, 512> collected_;  // not initialized
  std::size_t count_ = 0;
};

class BytesIn : public cereal::InputArchive<BytesIn, cereal::AllowEmptyClassElision> {
 public:
  explicit BytesIn(std::string_view bytes) : InputArchive(this), rest_(bytes) {}

  void read(void* to, std::size_t count) {
    if (count > rest_.size()) throw cereal::Exception("A row is cut short.");
    std::memcpy(to, rest_.data(), count);
    rest_.remove_prefix(count);
  }
  std::string_view take(std::size_t count) {
    if (count > rest_.size()) throw cereal::Exception("A row is cut short.");
    const auto taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

 private:
  std::string_view rest_;
};

}  // namespace tilth

CEREAL_SETUP_ARCHIVE_TRAITS(tilth::BytesIn, tilth::BytesOut)

namespace tilth {

template <class T>
requires std::is_arithmetic_v<T>
void save(BytesOut& ar, const T& number) { ar.write(&number, sizeof number); }
template <class T>
requires std::is_arithmetic_v<T>
void load(BytesIn& ar, T& number) { ar.read(&number, sizeof number); }

// As cereal's, without filling the string with zeros first.
inline void load(BytesIn& ar, std::string& text) {
  cereal::size_type size = 0;
  ar(cereal::make_size_tag(size));
  text = std::string(ar.take(size));
}

template <class T>
void save(BytesOut& ar, const cereal::BinaryData<T>& bytes) {
  ar.write(bytes.data, static_cast<std::size_t>(bytes.size));
}
template <class T>
void load(BytesIn& ar, cereal::BinaryData<T>& bytes) {
  ar.read(bytes.data, static_cast<std::size_t>(bytes.size));
}

template <class T>
void save(BytesOut& ar, const cereal::NameValuePair<T>& pair) {
  ar(pair.value);
}
template <class T>
void load(BytesIn& ar, cereal::NameValuePair<T>& pair) {
  ar(pair.value);
}

template <class T>
void save(BytesOut& ar, const cereal::SizeTag<T>& size) {
  ar(size.size);
}
template <class T>
void load(BytesIn& ar, cereal::SizeTag<T>& size) {
  ar(size.size);
}

template <class Row>
std::string RowCodec<Row>::encode(const Row& row) {
  std::string bytes;
  {
    BytesOut archive(bytes);
    archive(row);
  }
  return bytes;
}

template <class Row>
Row RowCodec<Row>::decode(std::string_view bytes) {
  BytesIn archive(bytes);
  Row row;
  archive(row);
  return row;
}

}  // namespace tilth
