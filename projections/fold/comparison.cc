#include "projections/fold/comparison.h"

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "projections/rows/row_batch.h"

namespace tilth {
namespace {

constexpr std::size_t kAgedAtOnce = 5'000;
constexpr std::uint64_t kKeysBetweenQuestions = 16'384;
constexpr char kOfNoStream = '\1';  // starts the keys that belong to no stream

std::string_view stream_of(std::string_view key) {
  return key.starts_with(kOfNoStream) ? std::string_view() : key.substr(0, key.find('\0'));
}

// Progress keys are not compared: two equal states may differ in them.
bool is_compared(std::string_view key) {
  return !key.starts_with("\1offset") && !key.starts_with("\1cascade") &&
         !key.starts_with("\1fingerprint");
}

bool is_row(std::string_view key) {
  const auto end = key.find('\0');
  return !key.starts_with(kOfNoStream) && key.substr(end + 1).starts_with('r');
}

std::string id_in(std::string_view bytes) {
  return bytes.size() < 16 ? std::string() : " " + Uuid::from_key(bytes.substr(0, 16)).text();
}

// A key of a stream, described for people.
std::string described(std::string_view key) {
  if (key.starts_with(kOfNoStream)) return "what is kept next to the streams";
  key.remove_prefix(std::min(key.size(), key.find('\0') + 1));
  const char kind = key.empty() ? '\0' : key.front();
  const auto end = key.find('\0');
  const std::string table(key.substr(std::min<std::size_t>(1, key.size()), end - 1));
  const auto rest = end == key.npos ? std::string_view() : key.substr(end + 1);
  switch (kind) {
    case 'r':
      return table + id_in(rest);
    case 'l':
      return "a list of " + table + " under" + id_in(rest);
    case 'u':
      return "a unique key of " + table + " under" + id_in(rest);
    case 'a':
      return "when a " + table + " falls due";
    case 'v':
      return "the version";
    case 'i':
    case 't':
      return "a remembered request";
    default:
      return std::string("what is kept under ") + kind;
  }
}

class Comparing {
 public:
  Comparing(const Projection& projection, const ComparedStates& states,
            const std::function<bool()>& go_on)
      : projection_(projection), states_(states), go_on_(go_on) {}

  // Compares the states as stored. A stream that differs is compared again as of `now`.
  Result<Comparison> run() {
    const auto live = states_.live.cursor();
    auto fresh = states_.fresh().cursor();
    live->seek({}), fresh->seek({});
    std::string stream;
    std::uint64_t rows_before = 0;
    for (std::uint64_t keys = 1; live->valid() || fresh->valid(); ++keys) {
      if (keys % kKeysBetweenQuestions == 0 && !go_on_()) return stopped();
      const bool first_is_live = !fresh->valid() || (live->valid() && live->key() <= fresh->key());
      const auto& first = first_is_live ? *live : *fresh;
      if (!is_compared(first.key())) {
        first_is_live ? live->next() : fresh->next();
        continue;
      }
      if (const auto now = stream_of(first.key()); now != stream) {
        stream = now;
        rows_before = found_.rows;
      }
      const bool both = live->valid() && fresh->valid() && live->key() == fresh->key();
      if (both && live->value() == fresh->value()) {
        found_.rows += is_row(live->key());
        live->next(), fresh->next();
      } else if (stream.empty()) {
        report(first.key(), kind(both, first_is_live));
        if (both || first_is_live) live->next();
        if (both || !first_is_live) fresh->next();
      } else {
        found_.rows = rows_before;
        fresh.reset();  // it ends when rows age
        if (const auto done = compare_stream(stream); !done) return done.error();
        fresh = states_.fresh().cursor();
        const auto after = stream + '\1';
        live->seek(after), fresh->seek(after);
      }
    }
    return std::move(found_);
  }

 private:
  static Error stopped() { return {ErrorCode::kUnavailable, "The comparison was stopped."}; }

  static DifferenceKind kind(bool both, bool only_live) {
    return both        ? DifferenceKind::kOther
           : only_live ? DifferenceKind::kUnexpected
                       : DifferenceKind::kMissing;
  }

  void report(std::string_view key, DifferenceKind live) {
    if (++found_.found > Comparison::kMostReported) return;
    found_.differences.push_back({std::string(stream_of(key)), described(key), live});
  }

  Status compare_stream(const std::string& stream) {
    RowBatch aged(states_.live);
    if (projection_.age) {
      if (const auto done = states_.age_again(stream); !done) return done;
      MutableRows rows(aged, stream, 0);
      while (!projection_.age(rows, states_.now, kAgedAtOnce)) {
        if (!go_on_()) return stopped();
      }
    }
    const auto all = stream + '\0';
    const auto live = aged.cursor(), fresh = states_.fresh().cursor();
    live->seek(all), fresh->seek(all);
    const auto within = [&](const RowCursor& at) {
      return at.valid() && at.key().starts_with(all);
    };
    for (std::uint64_t keys = 1; within(*live) || within(*fresh); ++keys) {
      if (keys % kKeysBetweenQuestions == 0 && !go_on_()) return stopped();
      const int order = !within(*fresh)  ? -1
                        : !within(*live) ? 1
                                         : live->key().compare(fresh->key());
      if (order >= 0) found_.rows += is_row(fresh->key());
      if (order != 0 || live->value() != fresh->value()) {
        report(order <= 0 ? live->key() : fresh->key(), kind(order == 0, order < 0));
      }
      if (order <= 0) live->next();
      if (order >= 0) fresh->next();
    }
    return kDone;
  }

  const Projection& projection_;
  const ComparedStates& states_;
  const std::function<bool()>& go_on_;
  Comparison found_;
};

}  // namespace

Result<Comparison> compare(const Projection& projection, const ComparedStates& states,
                           const std::function<bool()>& go_on) {
  return Comparing(projection, states, go_on).run();
}

}  // namespace tilth
