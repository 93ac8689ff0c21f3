// Money in the finance projection: a booking for each expense, overhead and sale, under the record
// that it is removed with, and the records that can be removed: farms, fields and crops.

#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "events/land/crop.h"
#include "projections/fold/row_type.h"

namespace tilth {

enum class Book : std::uint8_t { kRevenue, kExpenses, kOverheads };

constexpr auto labels(Book) { return named<Book>("revenue", "expenses", "overheads"); }

// The key by which money is summed. Revenue has only one category.
struct Account {
  Book book = {};
  std::uint8_t category = 0;  // an ExpenseCategory or an OverheadCategory
  Currency currency;
  friend auto operator<=>(const Account&, const Account&) = default;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("book", book), member("category", category), member("currency", currency));
  }
};

struct BookedFarm {
  static constexpr std::string_view kTable = "booked_farm";
  static constexpr std::array<std::string_view, 1> kSorts{"id"};
  static constexpr std::array<std::string_view, 0> kFilters{};

  Id<BookedFarm> id;  // the farm's
  std::optional<Currency> currency;
  std::optional<Country> country;

  Uuid parent() const { return {}; }
  void index_to(RowIndex& index) const {
    index.sort(id.uuid.key());
    index.only_walked();
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id), member("currency", currency), member("country", country));
  }
};

struct BookedField {
  static constexpr std::string_view kTable = "booked_field";
  static constexpr std::array<std::string_view, 1> kSorts{"id"};
  static constexpr std::array<std::string_view, 0> kFilters{};

  static constexpr std::array kGoesWith{goes_with<BookedFarm>()};

  Id<BookedField> id;  // the field's
  FarmId farm_id;

  Uuid parent() const { return farm_id.uuid; }
  void index_to(RowIndex& index) const {
    index.sort(id.uuid.key());
    index.only_walked();
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id), member("farmId", farm_id));
  }
};

struct BookedCrop {
  static constexpr std::string_view kTable = "booked_crop";
  static constexpr std::array<std::string_view, 1> kSorts{"id"};
  static constexpr std::array<std::string_view, 0> kFilters{};

  static constexpr std::array kGoesWith{goes_with<BookedField>()};

  Id<BookedCrop> id;  // the crop's
  FieldId field_id;

  Uuid parent() const { return field_id.uuid; }
  void index_to(RowIndex& index) const {
    index.sort(id.uuid.key());
    index.only_walked();
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id), member("fieldId", field_id));
  }
};

struct Booking {
  static constexpr std::string_view kTable = "booking";
  static constexpr std::array<std::string_view, 1> kSorts{"day"};
  static constexpr std::array<std::string_view, 0> kFilters{};

  static constexpr std::array kGoesWith{goes_with<BookedFarm>(), goes_with<BookedField>(),
                                        goes_with<BookedCrop>()};

  Id<Booking> id;  // the entry's
  FarmId farm_id;
  Uuid goes_with;  // a crop, a field or the farm
  Account account;
  Date day;
  Decimal amount;

  Uuid parent() const { return goes_with; }
  void index_to(RowIndex& index) const {
    index.sort(day);
    index.only_walked();
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id), member("farmId", farm_id), member("goesWith", goes_with),
       member("account", account), member("day", day), member("amount", amount));
  }
};

}  // namespace tilth
