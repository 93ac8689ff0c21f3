// How rows become bytes: cereal's binary form of what they describe. Include this only from the .cc
// of a row, which instantiates its codec:
//
//   template struct RowCodec<Plant>;
//
// We read back only what we wrote ourselves, from a store that checks its blocks.

#pragma once

#include <bit>
#include <istream>
#include <ostream>
#include <streambuf>

#include <cereal/archives/binary.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/tuple.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>

#include "events/catalogue.h"
#include "projections/rows.h"

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
void serialize(Archive& ar, DayBegin& day) {
  ar(day.date);
}
template <class Archive>
void serialize(Archive& ar, Country& country) {
  ar(country.name);
}
template <class Archive>
void serialize(Archive& ar, Currency& currency) {
  ar(currency.code);
}
template <class Archive>
void serialize(Archive& ar, TimeZone& zone) {
  ar(zone.name);
}
template <class Archive>
void serialize(Archive& ar, FreeObject& object) {
  ar(object.json);
}
template <class Archive>
void serialize(Archive& ar, LngLat& position) {
  ar(position.lng, position.lat);
}
template <class Archive>
void serialize(Archive& ar, Polygon& polygon) {
  ar(polygon.rings);
}
template <class Archive>
void serialize(Archive& ar, Geometry& geometry) {
  ar(geometry.shape);
}
template <class Archive>
void serialize(Archive& ar, GridOrigin& origin) {
  ar(origin.at);
}

// Streams over bytes that are there already; std::stringstream would copy them.
class BytesIn : public std::streambuf {
 public:
  explicit BytesIn(std::string_view bytes) {
    auto* begin = const_cast<char*>(bytes.data());  // only read
    setg(begin, begin, begin + bytes.size());
  }
};

class BytesOut : public std::streambuf {
 public:
  std::string bytes;

 protected:
  std::streamsize xsputn(const char* from, std::streamsize count) override {
    bytes.append(from, static_cast<std::size_t>(count));
    return count;
  }
  int overflow(int c) override {
    bytes.push_back(static_cast<char>(c));
    return c;
  }
};

template <class Row>
std::string RowCodec<Row>::encode(const Row& row) {
  BytesOut out;
  std::ostream stream(&out);
  cereal::BinaryOutputArchive archive(stream);
  archive(row);
  return std::move(out.bytes);
}

template <class Row>
Row RowCodec<Row>::decode(std::string_view bytes) {
  BytesIn in(bytes);
  std::istream stream(&in);
  cereal::BinaryInputArchive archive(stream);
  Row row;
  archive(row);
  return row;
}

}  // namespace tilth
