// Stores the operator overrides of the projections: the file `projections` of the data directory.

#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>

#include "events/values/result.h"
#include "projections/fold/operator_overrides.h"

namespace tilth {

// It is separate from the read models, which are disposable: a skipped event stays on record for
// ever. Threads: any. Crash: overrides are durable once keep() has returned.
class OverridesFile {
 public:
  explicit OverridesFile(std::filesystem::path path) : path_(std::move(path)) {}

  // kDamaged, kUnavailable: the file cannot be read; the message names it.
  Status open();

  OperatorOverrides of(const std::string& projection) const;

  // kUnavailable: they are not stored, and the previous ones stay in effect.
  Status keep(const std::string& projection, const OperatorOverrides& overrides);

 private:
  const std::filesystem::path path_;
  mutable std::mutex mutex_;  // guards what follows
  std::map<std::string, OperatorOverrides> by_projection_;
};

}  // namespace tilth
