#include "infra/kafka/write/sealed_appends.h"

#include <utility>

#include "api/platform/thread_name.h"
#include "events/access/user.h"

namespace tilth {
namespace {

bool is_first_of_owner(const Record& record, const std::string& owner) {
  return record.stream == owner ? record.envelope.stream_version == 0
                                : record.envelope.type == UserRegistered::kType.name;
}

}  // namespace

SealedAppends::SealedAppends(std::shared_ptr<SharedOwnerKeys> keys, Produce produce, Post post)
    : keys_(std::move(keys)),
      produce_(std::move(produce)),
      post_(std::move(post)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

SealedAppends::~SealedAppends() {
  thread_.request_stop();
  thread_.join();
  for (auto& append : waiting_) {
    refuse(std::move(append.done), {ErrorCode::kUnavailable, "The service ends."});
  }
}

void SealedAppends::append(Record record, OnAppended done) {
  Append append{std::move(record), {}, std::move(done)};
  append.personal = personal_part_of(append.record);
  {
    const std::lock_guard lock(mutex_);
    const auto& stream = append.record.stream;
    const bool wants_key = append.personal && !keys_->knows(append.personal->owner);
    if (wants_key || behind_.contains(stream)) {
      ++behind_[stream];
      waiting_.push_back(std::move(append));
      changed_.notify_all();
      return;
    }
  }
  carry_out(std::move(append));
}

void SealedAppends::run(const std::stop_token& stop) {
  name_thread("sealed appends");
  while (true) {
    std::deque<Append> batch;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, stop, [this] { return !waiting_.empty(); });
      if (stop.stop_requested()) return;
      batch.swap(waiting_);
    }
    std::vector<std::string> owners;
    for (const auto& append : batch) {
      if (append.personal && may_make_key(append)) owners.push_back(append.personal->owner);
    }
    const auto made = keys_->make(owners);
    for (auto& append : batch) {
      const auto stream = append.record.stream;
      if (append.personal && !keys_->knows(append.personal->owner)) {
        refuse(std::move(append.done), made ? missing(append.personal->owner) : made.error());
      } else {
        carry_out(std::move(append));
      }
      const std::lock_guard lock(mutex_);
      if (const auto behind = behind_.find(stream); --behind->second == 0) behind_.erase(behind);
    }
    changed_.notify_all();
  }
}

// Of an owner who has records a key may be somewhere, where the topic of the keys was lost: another
// one would make them unreadable where that is given back later.
bool SealedAppends::may_make_key(const Append& append) const {
  return !keys_->is_restored() || is_first_of_owner(append.record, append.personal->owner);
}

Error SealedAppends::missing(const std::string& owner) {
  return {ErrorCode::kUnavailable,
          "The key of the owner " + owner +
              " was lost with the topic of the owners' keys: put it "
              "into owner-keys/ of a node, from a newer copy, and start that again."};
}

void SealedAppends::carry_out(Append append) {
  auto& record = append.record;
  if (!append.personal) return produce_(std::move(record), nullptr, std::move(append.done));
  auto json = seal_part(record, std::move(*append.personal), *keys_, NewKeys::kDurable);
  if (!json) return refuse(std::move(append.done), json.error());
  if (json->sealed.empty()) {  // the owner was erased: this node must not read more than others
    record.json = json->open;
    record.event.reset();
  }
  produce_(std::move(record), &*json, std::move(append.done));
}

void SealedAppends::refuse(OnAppended done, Error why) {
  post_([done = std::move(done), why = std::move(why)] { done(why); });
}

bool SealedAppends::wait_until_idle(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, timeout, [this] { return behind_.empty(); });
}

}  // namespace tilth
