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

// "node-1 live ready 2 copies: 0 2 without 2". `node`: a NodeStanding or an Announcement.
template <class Node, class Held>
std::string text(const Node& node, const std::string& state, const Held& held) {
  auto all = node.node + " " + state + (node.ready ? " ready" : "") +
             (node.draining ? " draining" : "") + " " + std::to_string(node.copies) + " copies:";
  for (const auto& each : held) all += " " + std::to_string(each.partition);
  if (!node.halted.empty()) all += " without";
  for (const auto partition : node.halted) all += " " + std::to_string(partition);
  return all;
}

std::string label_of(NodeState of) {
  for (const auto& [state, label] : labels(NodeState{})) {
    if (state == of) return std::string(label);
  }
  return "?";
}

std::string concluded(const std::vector<NodeStanding>& nodes) {
  std::string all;
  for (const auto& node : nodes) {
    const auto state = !node.self ? label_of(node.state) : node.cut_off ? "unheard" : "heard";
    all += text(node, state, node.next) + "\n";
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
    said_ready_ = what.ready;
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
  // What it could not announce yet, since its last announcement is under way, counts for itself.
  const auto own = is_due() ? parts_.self() : parts_.announced.by_id.at(newest_).what;
  auto all = text(own, is_fresh() ? "heard" : "unheard", own.holds) + "\n";
  for (const auto* other : others) {
    const auto& last = other->last;
    const auto state = last.left                   ? "left"
                       : now < other->at + kIsDead ? "live"
                       : is_fresh()                ? "dead"
                                                   : "unknown";
    all += text(last, state, last.holds) + "\n";
  }
  return all;
}

bool PlainView::is_due() const {
  return !sent_ || parts_.world.now() >= *sent_ + kEvery || is_asked_;
}

bool PlainView::has_said_that_it_leaves() const {
  return !*appends_ && sent_ && parts_.announced.by_id.at(newest_).what.left;
}

void PlainView::judge(const Membership& membership) const {
  const auto now = parts_.world.now();
  const auto wrong = [this](const std::string& what) {
    parts_.world.violated(parts_.node + " " + what);
  };
  if (!reads_) return;
  if (!*appends_ && is_due()) wrong("does not announce itself in time");
  const auto takes = concluded(membership.nodes());
  if (takes != expected()) wrong("takes the nodes to be\n" + takes + "They are\n" + expected());
  const bool hears = first_own_ && is_fresh();
  if (membership.is_current() != hears) wrong("does not know whether it hears itself");
  if (membership.has_announced_ready() != said_ready_)
    wrong("does not know whether others take it to be ready");
  if (membership.knows_all() != (hears && now >= *first_own_ + kIsDead)) {
    wrong("does not know whether it has heard all");
  }
}

}  // namespace tilth::testing
