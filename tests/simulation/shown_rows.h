// What queries have shown of the owners' streams, and whether the events of the log lead to it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "events/log/event.h"
#include "events/log/version_gate.h"
#include "projections/rows/rows.h"
#include "query/listing.h"
#include "tests/simulation/simulated_log.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

// A node is asked for records and lists through the queries of the API, with their caches. In the
// end each of these is asked of a fold of the stream up to the version that it was shown at, where
// a list is every row of its kind that fits, counted and sorted here.
class ShownRows {
 public:
  ShownRows(World& world, const SimulatedTopic& topic) : world_(world), topic_(topic) {}

  // A node shows some of the records and lists that a stream has or had, from the rows of the
  // registry as of `now`. `all`: each of them.
  void show_land(const std::string& node, const Rows& rows, Timestamp now, bool all);
  // The same of the sums of its money, from the rows of finance.
  void show_money(const std::string& node, const Rows& rows, Timestamp now);

  // Reports what does not follow from the log. Once nothing is added to it any more.
  void check();

  // One that can be asked of any version of a stream.
  struct Question {
    std::string about;
    // As a route does, page by page. `pages`: their limit, and the order of a list; its sort is
    // taken modulo those that there are.
    std::function<std::string(const Rows&, Timestamp now, const PageRequest& pages)> ask;
    std::function<std::string(const Rows&, Timestamp now, const PageRequest& pages)> expect;
  };
  using Questions = std::vector<std::shared_ptr<const Question>>;

 private:
  struct Shown {
    std::string node;
    std::shared_ptr<const Question> question;
    Timestamp now;
    PageRequest pages;
    std::string text;
  };
  using ByVersion = std::map<std::uint64_t, std::vector<Shown>>;
  struct Stream {
    std::vector<Event> events;  // those that count
    Questions of_land, of_money;
    ByVersion land, money;
  };

  void read_on();
  void show(const std::string& node, const Rows& rows, Timestamp now,
            const std::shared_ptr<const Question>& question, ByVersion& to);
  void check(const std::string& name, const Stream& stream, const std::string& projection,
             const ByVersion& shown);

  World& world_;
  const SimulatedTopic& topic_;
  std::vector<std::size_t> read_;  // records, by partition
  VersionGate gate_;
  std::map<std::string, Stream> streams_;
};

}  // namespace tilth::testing
