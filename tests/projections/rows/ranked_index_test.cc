#include <algorithm>
#include <random>
#include <tuple>
#include <utility>

#include <gtest/gtest.h>

#include "projections/rows/lists/ranked_blocks.h"
#include "projections/rows/lists/ranked_list.h"
#include "projections/rows/row_batch.h"

namespace tilth {
namespace {

const std::string kPrefix = "list";

struct Entry {
  RankedKey key;
  std::string value;
};

// A list with one sort order, so that the tests below query one index.
class OneOrder {
 public:
  OneOrder(const RowReader& store, const std::string& prefix, bool fingerprinted = false,
           ListPartsCache* known = nullptr)
      : list_(store, prefix, fingerprinted), known_(known) {}

  std::uint64_t size() const { return list_.size(); }
  std::vector<std::string> page(Order order, std::uint64_t offset, std::uint64_t limit) {
    return index().page(order, offset, limit);
  }
  RankedIndex::Part part(const std::optional<std::string>& from,
                         const std::optional<std::string>& until) {
    return index().part(from, until);
  }
  std::vector<std::string> page(Order order, std::uint64_t offset, std::uint64_t limit,
                                const RankedIndex::Part& part) {
    return index().page(order, offset, limit, part);
  }
  void insert(RowStore& store, const RankedKey& key, std::string value) {
    list_.insert(store, 0, key, std::move(value));
    list_.save(store);
  }
  void erase(RowStore& store, const RankedKey& key, std::string_view value) {
    list_.erase(store, 0, key, value);
    list_.save(store);
  }
  void set(RowStore& store, const RankedKey& key, std::string_view old_value, std::string value) {
    list_.set(store, 0, key, old_value, std::move(value));
    list_.save(store);
  }
  RankedIndex index() { return list_.sorted_by(0, known_); }

 private:
  RankedList list_;
  ListPartsCache* const known_;
};

// The simplest possible list: it is sorted on every read.
struct Model {
  std::vector<std::string> sorted(Order order) {
    const bool up = order == Order::kAscending;
    std::sort(entries.begin(), entries.end(), [up](const Entry& a, const Entry& b) {
      if (a.key.sort.has_value() != b.key.sort.has_value()) return a.key.sort.has_value();
      const auto left = std::tie(a.key.sort, a.key.id), right = std::tie(b.key.sort, b.key.id);
      return up ? left < right : right < left;
    });
    std::vector<std::string> values;
    for (const auto& entry : entries) values.push_back(entry.value);
    return values;
  }

  std::vector<Entry> entries;
};

std::vector<std::string> slice(const std::vector<std::string>& values, std::size_t offset,
                               std::size_t limit) {
  const auto begin = std::min(offset, values.size()), end = std::min(begin + limit, values.size());
  return {values.begin() + static_cast<std::ptrdiff_t>(begin),
          values.begin() + static_cast<std::ptrdiff_t>(end)};
}

// Many ties, some nulls.
std::vector<Entry> make_entries(std::size_t count, std::mt19937& random) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < count; ++i) {
    auto id = std::to_string(random());
    id = std::string(10 - id.size(), '0') + id + std::to_string(i % 10);
    std::optional<std::string> sort;
    if (random() % 10 > 0) sort = std::to_string(random() % (count / 4 + 1)) + '\0';
    entries.push_back({{sort, id}, std::to_string(i)});
  }
  return entries;
}

std::size_t counters(const RowBatch& store, char level) {
  const auto under = kPrefix + '\0' + level;
  return static_cast<std::size_t>(
      std::count_if(store.changes().begin(), store.changes().end(),
                    [&](const auto& change) { return change.first.starts_with(under); }));
}

// Compares the part between two sort keys with that of the model, which is sorted in this order.
void expect_same_part(OneOrder& index, const Model& sorted, std::mt19937& random, Order order) {
  const auto some_key = [&]() -> std::optional<std::string> {
    if (random() % 4 == 0) return std::nullopt;
    return std::to_string(random() % (sorted.entries.size() / 4 + 2)) + '\0';
  };
  const auto from = some_key(), until = some_key();
  std::vector<std::string> values;
  for (const auto& entry : sorted.entries) {
    const auto& sort = entry.key.sort;
    if (sort && (!from || *sort >= *from) && (!until || *sort < *until))
      values.push_back(entry.value);
  }
  const auto part = index.part(from, until);
  ASSERT_EQ(part.count, values.size());
  ASSERT_EQ(index.page(order, 0, part.count + 1, part), values);
  const std::size_t offset = random() % (part.count + 2);
  ASSERT_EQ(index.page(order, offset, 7, part), slice(values, offset, 7));
}

void expect_same(OneOrder& index, Model& model, std::mt19937& random) {
  const auto size = model.entries.size();
  ASSERT_EQ(index.size(), size);
  for (const auto order : {Order::kAscending, Order::kDescending}) {
    const auto all = model.sorted(order);
    ASSERT_EQ(index.page(order, 0, size + 1), all);
    for (int i = 0; i < 50; ++i) {
      const std::size_t offset = random() % (size + 5), limit = random() % 30;
      ASSERT_EQ(index.page(order, offset, limit), slice(all, offset, limit)) << "from " << offset;
    }
    for (int i = 0; i < 20; ++i)
      ASSERT_NO_FATAL_FAILURE(expect_same_part(index, model, random, order));
  }
}

TEST(RankedIndex, OfNothingHasNoPage) {
  const RowBatch store;
  OneOrder index(store, kPrefix);
  EXPECT_EQ(index.size(), 0U);
  EXPECT_TRUE(index.page(Order::kAscending, 0, 10).empty());
  EXPECT_TRUE(index.page(Order::kDescending, 0, 10).empty());
}

TEST(RankedIndex, PutsNullsLastInBothOrdersAndTiesByIdInTheirDirection) {
  RowBatch store;
  OneOrder index(store, kPrefix);
  for (const auto& [sort, id] : std::vector<std::pair<std::optional<std::string>, std::string>>{
           {{}, "1"}, {"b", "2"}, {"a", "3"}, {"b", "1"}, {{}, "2"}}) {
    index.insert(store, {sort, id}, sort.value_or("null") + id);
  }
  const std::vector<std::string> up{"a3", "b1", "b2", "null1", "null2"};
  const std::vector<std::string> down{"b2", "b1", "a3", "null2", "null1"};
  EXPECT_EQ(index.page(Order::kAscending, 0, 10), up);
  EXPECT_EQ(index.page(Order::kDescending, 0, 10), down);
  const std::vector<std::string> across{"a3", "null2"};
  EXPECT_EQ(index.page(Order::kDescending, 2, 2), across);
}

// Compares with the model every few changes. Large enough for both levels of counters, which must
// be created and removed on the way.
void expect_what_a_sorted_vector_shows(bool fingerprinted, ListPartsCache* known) {
  std::mt19937 random(20260301);
  RowBatch store;
  OneOrder index(store, kPrefix, fingerprinted, known);
  Model model;
  auto left = make_entries(42'000, random);
  while (!left.empty()) {
    const auto what = random() % 10;
    if (what < 8 || model.entries.empty()) {
      model.entries.push_back(left.back());
      left.pop_back();
      index.insert(store, model.entries.back().key, model.entries.back().value);
    } else {
      auto& any = model.entries[random() % model.entries.size()];
      if (what == 8) {
        const auto old_value = std::exchange(any.value, any.value + "'");
        index.set(store, any.key, old_value, any.value);
      } else {
        index.erase(store, any.key, any.value);
        std::swap(any, model.entries.back());
        model.entries.pop_back();
      }
    }
    if (left.size() % 8'000 == 0 || (left.size() > 41'700 && left.size() % 50 == 0)) {
      ASSERT_NO_FATAL_FAILURE(expect_same(index, model, random));
    }
  }
  ASSERT_GT(counters(store, '\2'), 100U) << "the test needs counters";
  ASSERT_GT(counters(store, '\3'), 1U) << "the test needs counters of counters";
  std::shuffle(model.entries.begin(), model.entries.end(), random);
  while (!model.entries.empty()) {
    index.erase(store, model.entries.back().key, model.entries.back().value);
    model.entries.pop_back();
    if (model.entries.size() % 9'000 == 0 || model.entries.size() == 150) {
      ASSERT_NO_FATAL_FAILURE(expect_same(index, model, random));
    }
  }
  EXPECT_TRUE(store.changes().empty());
}

TEST(RankedIndex, ShowsWhatASortedVectorShows) {
  expect_what_a_sorted_vector_shows(false, nullptr);
}

// The cache is too small for all parts, so that some are read again.
TEST(RankedIndex, ShowsWhatASortedVectorShowsWhileItsPartsAreKnown) {
  ListPartsCache known(128 << 10);
  expect_what_a_sorted_vector_shows(true, &known);
  EXPECT_GT(known.bytes(), 0U);
}

// Counts the steps of its cursors.
class CountedSteps final : public RowReader {
 public:
  explicit CountedSteps(const RowReader& store) : store_(store) {}

  std::optional<std::string> get(std::string_view key) const override { return store_.get(key); }
  std::vector<std::optional<std::string>> get_many(
      const std::vector<std::string>& keys) const override {
    return store_.get_many(keys);
  }
  std::unique_ptr<RowCursor> cursor() const override {
    return std::make_unique<Cursor>(store_.cursor(), steps_);
  }

  std::size_t take_steps() const { return std::exchange(steps_, 0); }

 private:
  class Cursor final : public RowCursor {
   public:
    Cursor(std::unique_ptr<RowCursor> at, std::size_t& steps) : at_(std::move(at)), steps_(steps) {}

    void seek(std::string_view key) override { at_->seek(key); }
    void seek_for_prev(std::string_view key) override { at_->seek_for_prev(key); }
    void next() override { ++steps_, at_->next(); }
    void prev() override { ++steps_, at_->prev(); }
    bool valid() const override { return at_->valid(); }
    std::string_view key() const override { return at_->key(); }
    std::string_view value() const override { return at_->value(); }

   private:
    const std::unique_ptr<RowCursor> at_;
    std::size_t& steps_;
  };

  const RowReader& store_;
  mutable std::size_t steps_ = 0;
};

TEST(RankedIndex, ReadsTheCountersOfAListThatIsKnownOnce) {
  constexpr std::size_t kAll = 40'000, kRank = 23'456;
  std::mt19937 random(17);
  RowBatch store;
  for (OneOrder index(store, kPrefix, true);
       const auto& [key, value] : make_entries(kAll, random)) {
    index.insert(store, key, value);
  }
  const CountedSteps counted(store);
  ListPartsCache known(1 << 20);
  const auto steps_of_a_page = [&] {
    OneOrder index(counted, kPrefix, true, &known);
    EXPECT_EQ(index.page(Order::kAscending, kRank, 1).size(), 1U);
    return counted.take_steps();
  };
  const auto first = steps_of_a_page(), second = steps_of_a_page();
  EXPECT_GT(first, second + 20) << "the counters of the section that the rank is in";
  EXPECT_EQ(steps_of_a_page(), second);
  OneOrder unknown(counted, kPrefix, true);
  EXPECT_EQ(unknown.page(Order::kAscending, kRank, 1).size(), 1U);
  EXPECT_EQ(counted.take_steps(), first);
}

void expect_same_whatever_the_history(bool fingerprinted) {
  std::mt19937 random(7);
  auto entries = make_entries(20'000, random);
  RowBatch straight;
  OneOrder first(straight, kPrefix, fingerprinted);
  for (const auto& [key, value] : entries) first.insert(straight, key, value);

  const auto passing = make_entries(3'000, random);
  RowBatch roundabout;
  OneOrder second(roundabout, kPrefix, fingerprinted);
  std::shuffle(entries.begin(), entries.end(), random);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& [key, value] = entries[i];
    second.insert(roundabout, key, i % 7 == 0 ? "another" : value);
    if (i < passing.size())
      second.insert(roundabout, {passing[i].key.sort, "x" + passing[i].key.id}, "");
    if (i % 7 == 0) second.set(roundabout, key, "another", value);
    if (i % 11 == 0) {
      second.erase(roundabout, key, value);
      second.insert(roundabout, key, value);
    }
  }
  for (const auto& [key, value] : passing) second.erase(roundabout, {key.sort, "x" + key.id}, "");
  EXPECT_TRUE(straight.changes() == roundabout.changes());
}

TEST(RankedIndex, IsTheSameByteForByteWhateverItsHistory) {
  expect_same_whatever_the_history(false);
}

TEST(RankedIndex, IsTheSameByteForByteWhateverItsHistoryWhereItIsFingerprinted) {
  expect_same_whatever_the_history(true);
}

struct Parts {
  std::vector<RankedCount> sections, runs;
  std::vector<std::string> values;
};

Parts parts_of(const RowReader& store) {
  Parts parts;
  OneOrder stored(store, kPrefix);
  const auto index = stored.index();
  const auto entries = store.cursor(), counters = store.cursor();
  index.for_each_section(*entries, [&](const RankedCount& section, std::string_view before) {
    parts.sections.push_back(section);
    RankedCount all;
    const auto visit = [&](const RankedCount& run, std::string_view before_run) {
      all += run;
      parts.runs.push_back(run);
      index.values_after(*entries, before_run, run.entries,
                         [&](std::string_view value) { parts.values.emplace_back(value); });
    };
    index.for_each_run(*counters, before, section, visit);
    EXPECT_EQ(all.entries, section.entries);
    EXPECT_EQ(all.content, section.content);
  });
  return parts;
}

std::size_t different(const std::vector<RankedCount>& a, const std::vector<RankedCount>& b) {
  EXPECT_EQ(a.size(), b.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    count += a[i].content != b[i].content;
  }
  return count;
}

TEST(RankedIndex, TellsEachSectionAndRunAndWhichEntriesAreInIt) {
  std::mt19937 random(13);
  RowBatch store;
  OneOrder index(store, kPrefix, true);
  Model model;
  model.entries = make_entries(50'000, random);
  for (const auto& [key, value] : model.entries) index.insert(store, key, value);
  const auto before = parts_of(store);
  EXPECT_EQ(before.values, model.sorted(Order::kAscending));
  EXPECT_GT(before.sections.size(), 1U);
  EXPECT_GT(before.runs.size(), 60U);

  auto& changed = model.entries[2'500];
  index.set(store, changed.key, changed.value, changed.value + "'");
  const auto after = parts_of(store);
  EXPECT_EQ(different(after.sections, before.sections), 1U);
  EXPECT_EQ(different(after.runs, before.runs), 1U);

  index.set(store, changed.key, changed.value + "'", changed.value);
  const auto again = parts_of(store);
  EXPECT_EQ(different(again.sections, before.sections), 0U);
  EXPECT_EQ(different(again.runs, before.runs), 0U);
}

TEST(RankedList, ReadsTheTotalsOfAllItsOrdersAgain) {
  RowBatch store;
  std::mt19937 random(3);
  Model by_name, by_age;
  by_name.entries = make_entries(600, random);
  by_age.entries = by_name.entries;
  for (std::size_t i = 0; i < 600; ++i) {
    by_age.entries[i].key.sort = by_name.entries[599 - i].key.sort;
    RankedList list(store, kPrefix);
    list.insert(store, 0, by_name.entries[i].key, std::to_string(i));
    list.insert(store, 1, by_age.entries[i].key, std::to_string(i));
    list.save(store);
  }
  RankedList list(store, kPrefix);
  EXPECT_EQ(list.size(), 600U);
  for (const auto order : {Order::kAscending, Order::kDescending}) {
    EXPECT_EQ(list.sorted_by(0).page(order, 300, 100), slice(by_name.sorted(order), 300, 100));
    EXPECT_EQ(list.sorted_by(1).page(order, 300, 100), slice(by_age.sorted(order), 300, 100));
  }
}

// As after damage: the counters count entries that are gone.
TEST(RankedIndex, TakesNoOtherKeyForAnEntry) {
  RowBatch store;
  OneOrder index(store, kPrefix), next(store, kPrefix + "\x7f");
  for (const std::string id : {"1", "2", "3"}) {
    index.insert(store, {id, id}, "own " + id);
    next.insert(store, {id, id}, "other " + id);
  }
  const std::vector<std::string> left{"own 1", "own 2"};
  store.erase(RankedList::entries_prefix(kPrefix, 0) + ranked_entry({"3", "3"}));
  EXPECT_EQ(index.size(), 3U);
  EXPECT_EQ(index.page(Order::kAscending, 0, 10), left);
  EXPECT_EQ(index.page(Order::kDescending, 0, 10), (std::vector<std::string>{"own 2", "own 1"}));
}

TEST(RankedIndex, KeepsToItsOwnKeys) {
  RowBatch store;
  OneOrder a(store, "a"), b(store, "b"), c(store, "c");
  std::mt19937 random(5);
  for (const auto& [key, value] : make_entries(700, random)) {
    a.insert(store, key, "a" + value);
    c.insert(store, key, "c" + value);
  }
  EXPECT_EQ(b.size(), 0U);
  b.insert(store, {"1", "1"}, "b");
  EXPECT_EQ(b.page(Order::kDescending, 0, 10), std::vector<std::string>{"b"});
  b.erase(store, {"1", "1"}, "b");
  EXPECT_EQ(a.page(Order::kDescending, 0, 1'000).size(), 700U);
  for (const auto& value : c.page(Order::kAscending, 0, 1'000)) EXPECT_EQ(value.front(), 'c');
}

}  // namespace
}  // namespace tilth
