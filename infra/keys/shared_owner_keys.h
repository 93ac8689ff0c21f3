// The keys of the owners that all nodes of a log share, in a log of their own.

#pragma once

#include <array>
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
//   sealing/NODE/MARK  the history is sealed, in this format, or not. The first one counts.
//   key/MARK/OWNER     a key. The first one of an owner counts, so that nodes that meet a new owner
//                      at once come to use one key. Others are tried where it opens nothing. Once
//                      they are destroyed, records without JSON take their places, by which
//                      compaction removes them.
//   destroyed/OWNER    the owner's key is destroyed, whatever else is there. It stays for ever.
//   cleaned/NODE/OWNER nothing of the owner is left in the files of that node.
//   hour/NODE          keeps the log moving: brokers compact nothing that was just written.
//
// MARK differs with each append: compaction keeps the last record of a name, and the first of
// all names has to stay.
//
// All of it is read at the start, and followed. A caller that meets an owner without a key reads up
// to the end of the log first.
//
// A directory of this node remembers where copies of the keys are, and has notes of those that are
// destroyed, as OwnerKeyFiles. Keys that lie there, from a backup, are appended at the start if the
// log lacks them. If the log was lost, that is so before the history is said to be sealed, so that
// no other node makes another key of an owner who has one.
//
// Memory: about 150 bytes for each owner.
//
// Threads: any; one of its own follows the log.
//
// Crash: a key is durable in the log before it seals anything. destroy() makes its note durable
// first; what remains to be done then, any node does. A key that comes after that note is buried by
// each node that reads it.
class SharedOwnerKeys final : public OwnerKeys {
 public:
  struct Options {
    std::string node;
    std::filesystem::path directory;  // of this node, for OwnerKeyFiles
    // Whether the history has no record yet, as it was before this log was read, and whether it is
    // to be sealed then.
    bool history_is_empty = false;
    bool seal_new = true;
    // sealing() when this node last read the history. Empty: it was not sealed, or not read.
    std::string known_sealing = {};
    // Whether a record of the history is sealed. Called if nothing else tells.
    std::function<Result<bool>()> history_is_sealed = [] { return Result<bool>(false); };
    std::chrono::milliseconds timeout = std::chrono::seconds(10);
    // How long open() waits for a key that is on its way: its caller may hold up others.
    std::chrono::milliseconds open_timeout = std::chrono::milliseconds(100);
    std::function<void(std::string_view)> log_line = [](std::string_view) {};
  };

  // Reads `log`. If the history is empty, decides with the other nodes whether it is sealed.
  //
  //   kConflict     the history is sealed by a newer release.
  //   kLost         the history is sealed, and the log does not say so: it was lost.
  //   kUnavailable  the log does not respond, or the directory cannot be read.
  static Result<std::shared_ptr<SharedOwnerKeys>> open(std::shared_ptr<EventLog> log,
                                                       Options options);
  ~SharedOwnerKeys() override;

  // Whether the history is sealed. Never changes.
  bool is_sealed() const { return sealed_; }
  // By which the log is known again. Empty: the history is not sealed.
  std::string sealing() const;
  // Whether the log was lost, and keys in files took its place: some may be missing.
  bool is_restored() const;

  Result<std::optional<std::string>> seal(const std::string& owner, std::string_view context,
                                          std::string_view plain, NewKeys fresh) override;
  // kUnavailable also if the key may be on its way: call again.
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

  // Why no key can be made or read: a sentence; empty if that is not so.
  std::string trouble() const;

  // The nodes that have called set_cleaned() for the owner.
  std::set<std::string> cleaned_by(const std::string& owner) const;

  // From now on `called` is, on a thread of this, when keys were destroyed by any node.
  void on_destroyed(std::function<void()> called);

 private:
  using Mark = std::array<std::uint8_t, 16>;
  struct Owner {
    std::optional<OwnerKey> key = {};
    Mark mark = {};  // of the record that has it
    bool destroyed = false;
  };
  // A record with a key that is not the first of its owner.
  struct Other {
    std::string stream;
    OwnerKey key;
  };
  // The first record that says whether the history is sealed.
  struct Sealing {
    std::string id;
    bool sealed = false;
    bool restored = false;  // from files
    bool by_newer_release = false;
  };

  SharedOwnerKeys(std::shared_ptr<EventLog> log, Options options);

  Status begin();
  Status agree_on_sealing();
  Status publish_sealing(bool restored);
  // Appends what the files have and the log has not.
  Status give_back();
  std::optional<Sealing> decided() const;
  void follow(const std::stop_token& stop);
  Status read_some(std::chrono::milliseconds timeout);
  void note_reading(const Status& read);
  void apply(const Record& record);
  void drop(const std::string& owner);
  // Appends all, and waits until they are read back.
  Status put(std::vector<Record> records);
  Record record(std::string stream, std::string_view type, std::string json) const;
  Record key_record(const std::string& owner, const OwnerKey& key) const;
  Status read_to_end();
  // The same, within that time.
  Status read_on(std::chrono::milliseconds timeout);
  Status wait_for(std::int64_t end);
  Error silent() const;  // with the lock held
  Status bury();
  std::optional<Owner> find(const std::string& owner) const;
  // All keys of the owner that this node has read in the log, the first one in front.
  std::vector<OwnerKey> keys_of(const std::string& owner) const;

  const std::shared_ptr<EventLog> log_;
  const Options options_;
  std::unique_ptr<OwnerKeyFiles> files_;
  Sealer sealer_;
  std::atomic<bool> sealed_ = false;
  std::unique_ptr<LogReader> reader_;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::int64_t read_to_ = 0;
  std::optional<Error> lost_;        // the log can no longer be read
  std::optional<Error> unreadable_;  // at the moment
  std::optional<Sealing> sealing_;
  std::unordered_map<std::string, Owner> owners_;
  // Streams of keys that are destroyed, or lost to another key of their owner, and still have JSON.
  std::set<std::string> unburied_;
  std::set<std::string> late_;  // of these, which follow() has to bury
  std::unordered_map<std::string, std::vector<Other>> others_;      // by owner
  std::unordered_map<std::string, std::set<std::string>> cleaned_;  // nodes, by owner
  std::function<void()> on_destroyed_;
  bool is_notified_ = true;  // whether on_destroyed_ was called since a key was destroyed

  std::mutex copying_;  // held while keys are copied, and while they are destroyed in copies
  std::jthread thread_;
};

}  // namespace tilth
