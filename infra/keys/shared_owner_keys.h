// The keys of the owners that all nodes of a log share, in a log of their own.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "events/log/event_log.h"
#include "infra/embedded/owner_key_files.h"
#include "infra/keys/owner_keys.h"
#include "infra/keys/sealer.h"

namespace tilth {

// Operation: the log of the keys has one partition, and may be compacted: for each stream name the
// newest record stays. These streams are, each with one record:
//
//   sealing/NODE       the history is sealed, in this format, or not. The first one counts.
//   key/PRINT/OWNER    a key; PRINT is its hash. The first one of an owner counts, so that nodes
//                      that meet a new owner at once come to use one key. Once it is destroyed, a
//                      record without JSON takes its place, by which compaction removes it.
//   destroyed/OWNER    the owner's key is destroyed, whatever else is there. It stays for ever.
//   cleaned/NODE/OWNER nothing of the owner is left in the files of that node.
//   hour/NODE          keeps the log moving: brokers compact nothing that was just written.
//
// All of it is read at the start, and followed. A caller that meets an owner without a key reads up
// to the end of the log first.
//
// A directory of this node remembers where copies of the keys are, and has notes of those that are
// destroyed, as OwnerKeyFiles. Keys that lie there, from a backup, are used where the log has none.
//
// Memory: about 150 bytes for each owner.
//
// Threads: any; one of its own follows the log.
//
// Crash: a key is durable in the log before it seals anything. destroy() makes its note durable
// first; what remains to be done then, any node does.
class SharedOwnerKeys final : public OwnerKeys {
 public:
  struct Options {
    std::string node;
    std::filesystem::path directory;  // of this node, for OwnerKeyFiles
    // Whether the history has no record yet, as it was before this log was read, and whether it is
    // to be sealed then.
    bool history_is_empty = false;
    bool seal_new = true;
    std::chrono::milliseconds timeout = std::chrono::seconds(10);
    std::function<void(std::string_view)> say = [](std::string_view) {};
  };

  // Reads `log`. If the history is empty, decides with the other nodes whether it is sealed.
  //
  //   kConflict     the history is sealed by a newer release.
  //   kUnavailable  the log does not respond, or the directory cannot be read.
  static Result<std::shared_ptr<SharedOwnerKeys>> open(std::shared_ptr<EventLog> log,
                                                       Options options);
  ~SharedOwnerKeys() override;

  // Whether the history is sealed. Never changes.
  bool is_sealed() const { return sealed_; }

  Result<std::optional<std::string>> seal(const std::string& owner, std::string_view context,
                                          std::string_view plain, NewKeys fresh) override;
  Result<std::optional<std::string>> open(const std::string& owner, std::string_view context,
                                          std::string_view sealed) override;
  Status destroy(const std::string& owner) override;
  Result<std::vector<Destroyed>> destroyed() const override;
  bool is_destroyed(const std::string& owner) override;
  Status set_cleaned(const std::string& owner) override;
  Status copy_to(const std::filesystem::path& directory,
                 const std::filesystem::path& remembered) override;

  // Whether seal() for this owner need not wait for the log.
  bool knows(const std::string& owner) const;
  // Makes keys for those of the owners who have none: all at once. kUnavailable: the log does not
  // respond.
  Status make(const std::vector<std::string>& owners);

  // Why no key can be made any more: a sentence; empty if that is not so.
  std::string trouble() const;

  // The nodes that have called set_cleaned() for the owner.
  std::set<std::string> cleaned_by(const std::string& owner) const;

  // From now on `called` is, on a thread of this, when keys were destroyed by any node.
  void on_destroyed(std::function<void()> called);

 private:
  struct Owner {
    std::optional<OwnerKey> key = {};
    bool destroyed = false;
  };

  SharedOwnerKeys(std::shared_ptr<EventLog> log, Options options);

  Status begin();
  Status agree_on_sealing();
  void follow(const std::stop_token& stop);
  Status read_some(std::chrono::milliseconds timeout);
  void apply(const Record& record);
  void drop(const std::string& owner);
  // Appends all, and waits until they are read back.
  Status put(std::vector<Record> records);
  Record record(std::string stream, std::string_view type, std::string json) const;
  Status read_to_end();
  Status wait_for(std::int64_t end);
  Status bury();
  std::optional<Owner> find(const std::string& owner) const;
  // The same; if there is none, after reading on.
  Result<std::optional<Owner>> look_for(const std::string& owner);

  const std::shared_ptr<EventLog> log_;
  const Options options_;
  std::unique_ptr<OwnerKeyFiles> files_;
  Sealer sealer_;
  std::atomic<bool> sealed_ = false;
  std::unique_ptr<LogReader> reader_;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::int64_t read_to_ = 0;
  std::optional<Error> lost_;  // the log can no longer be read
  std::optional<bool> first_sealing_;
  bool newer_release_ = false;
  std::unordered_map<std::string, Owner> owners_;
  // Streams of keys that are destroyed, or lost to another key of their owner, and still have JSON.
  std::set<std::string> unburied_;
  std::unordered_map<std::string, std::vector<std::string>> losers_;  // streams, by owner
  std::unordered_map<std::string, std::set<std::string>> cleaned_;    // nodes, by owner
  std::function<void()> on_destroyed_;
  bool is_told_ = true;  // whether on_destroyed_ was called since a key was destroyed

  std::mutex copying_;  // held while keys are copied, and while they are destroyed in copies
  std::jthread thread_;
};

}  // namespace tilth
