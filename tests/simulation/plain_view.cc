#include "tests/simulation/plain_view.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kEvery = 1s;         // a node announces itself
constexpr auto kIsDead = 3s;        // after it was heard last
constexpr auto kHears = 2s;         // after it has sent the last announcement that came back
constexpr auto kForgotten = 10min;  // after it was heard last

// "node-1 live ready 2 copies: 0 2 without 2"
std::string text(const std::string& node, const std::string& state, bool ready, bool draining,
                 std::int64_t copies) {
  return node + " " + state + (ready ? " ready" : "") + (draining ? " draining" : "") + " " +
         std::to_string(copies) + " copies:";
}

std::string label_of(NodeState of) {
  for (const auto& [state, label] : labels(NodeState{})) {
    if (state == of) return std::string(label);
  }
  return "?";
}

std::string concluded(const std::vector<NodeStanding>& nodes) {
  std::string all = nodes.front().node + (nodes.front().unheard ? " unheard" : "");
  for (const auto& node : nodes) {
    if (&node == &nodes.front()) continue;
    all += ", " + text(node.node, label_of(node.state), node.ready, node.draining, node.copies);
    for (const auto& next : node.next) all += " " + std::to_string(next.partition);
    if (!node.halted.empty()) all += " without";
    for (const auto partition : node.halted) all += " " + std::to_string(partition);
  }
  return all;
}

}  // namespace

class PlainView::Reader final : public PassingReader {
 public:
  Reader(PlainView& view, std::unique_ptr<LogReader> reader)
      : PassingReader(std::move(reader)), view_(view) {}

  Result<std::vector<LoggedRecord>> next(std::size_t limit,
                                         std::chrono::milliseconds timeout) override {
    auto page = PassingReader::next(limit, timeout);
    if (!page) return page;
    for (const auto& logged : *page) view_.hear(*logged.record);
    return page;
  }

 private:
  PlainView& view_;
};

PlainView::PlainView(Parts parts)
    : PassingLog(parts.log),
      parts_(std::move(parts)),
      run_(++parts_.announced.runs),
      begun_(parts_.world.now()),
      begins_at_(parts_.topic.end(0)) {}

void PlainView::append(Record record, OnAppended done) {
  if (*appends_) parts_.world.violated(parts_.node + " announces itself twice at once");
  *appends_ = true;
  is_asked_ = false;
  newest_ = record.envelope.id;
  sent_ = parts_.world.now();
  parts_.announced.by_id[newest_] = {run_, parts_.self()};
  PassingLog::append(std::move(record),
                     [appends = appends_, done = std::move(done)](const auto& outcome) {
                       *appends = false;
                       done(outcome);
                     });
}

Result<std::unique_ptr<LogReader>> PlainView::read(const std::vector<Position>& from) {
  if (from.front().offset < begins_at_) {
    parts_.world.violated(parts_.node + " hears what was said before it began");
  }
  return PassingLog::read(from);
}

std::unique_ptr<LogReader> PlainView::around(std::unique_ptr<LogReader> reader) {
  reads_ = true;
  return std::make_unique<Reader>(*this, std::move(reader));
}

void PlainView::hear(const Record& record) {
  const auto& [run, what] = parts_.announced.by_id.at(record.envelope.id);
  const auto now = parts_.world.now();
  if (run == run_) {
    if (record.envelope.id != newest_) return;
    last_own_ = sent_;
    if (!first_own_) first_own_ = sent_;
    return;
  }
  const auto number = ++heard_so_far_;
  auto& heard = heard_[run];
  const bool is_new = heard.last_in_order == 0 || now >= heard.at + kForgotten;
  heard = {what, now, is_new ? number : heard.first_in_order, number};
}

bool PlainView::is_fresh() const {
  return parts_.world.now() < last_own_.value_or(begun_) + kHears;
}

// By a run of its node that began to speak after this one was last heard.
bool PlainView::is_replaced(const Heard& heard) const {
  return std::ranges::any_of(heard_, [&](const auto& other) {
    return other.second.last.node == heard.last.node &&
           other.second.first_in_order > heard.last_in_order;
  });
}

std::string PlainView::expected() const {
  const auto now = parts_.world.now();
  std::vector<const Heard*> others;
  for (const auto& [run, heard] : heard_) {
    if (!is_replaced(heard) && now < heard.at + kForgotten) others.push_back(&heard);
  }
  std::ranges::sort(others, [](const auto* a, const auto* b) {
    return std::tie(a->last.node, a->last.started_at) < std::tie(b->last.node, b->last.started_at);
  });
  std::string all = parts_.node + (is_fresh() ? "" : " unheard");
  for (const auto* other : others) {
    const auto& last = other->last;
    const auto state = last.left                   ? "left"
                       : now < other->at + kIsDead ? "live"
                       : is_fresh()                ? "dead"
                                                   : "unknown";
    all += ", " + text(last.node, state, last.ready, last.draining, last.copies);
    for (const auto& held : last.holds) all += " " + std::to_string(held.partition);
    if (!last.halted.empty()) all += " without";
    for (const auto partition : last.halted) all += " " + std::to_string(partition);
  }
  return all;
}

void PlainView::judge(const Membership& membership) const {
  const auto now = parts_.world.now();
  const auto wrong = [this](const std::string& what) {
    parts_.world.violated(parts_.node + " " + what);
  };
  const bool is_due = !sent_ || now >= *sent_ + kEvery || is_asked_;
  if (reads_ && !*appends_ && is_due) wrong("does not announce itself in time");
  const auto takes = concluded(membership.heard());
  if (takes != expected()) wrong("takes the nodes to be " + takes + "; they are " + expected());
  const bool hears = first_own_ && is_fresh();
  if (membership.hears() != hears) wrong("does not know whether it hears itself");
  if (membership.has_heard_all() != (hears && now >= *first_own_ + kIsDead)) {
    wrong("does not know whether it has heard all");
  }
}

}  // namespace tilth::testing
