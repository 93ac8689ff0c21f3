// A store of archived files that an operator's own program reaches.

#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>
#include <vector>

#include "infra/embedded/archive_store.h"

namespace tilth {

// Runs `PROGRAM put FILE NAME` and `PROGRAM get NAME FILE` as infra/system/command.h says. It has
// to exit with 0 once that is done, and with another number otherwise.
class ArchiveCommand final : public ArchiveStore {
 public:
  ArchiveCommand(std::filesystem::path program, std::chrono::milliseconds timeout)
      : program_(std::move(program)), timeout_(timeout) {}

  Status put(const std::filesystem::path& file, const std::string& name) override;
  Status get(const std::string& name, const std::filesystem::path& to) override;
  void end() override { ended_ = true; }
  void end_when(std::function<bool()> asked) override;

 private:
  Status run(std::vector<std::string> arguments);
  bool goes_on();

  const std::filesystem::path program_;
  const std::chrono::milliseconds timeout_;
  std::atomic<bool> ended_ = false;
  std::mutex mutex_;  // guards what follows
  std::function<bool()> end_asked_;
};

}  // namespace tilth
