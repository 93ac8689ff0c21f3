// Rows that do not fit into memory, in an unnamed file.

#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "infra/system/descriptor.h"
#include "projections/rows/row_spill.h"

namespace tilth {

// Appends in large pieces, and reads ahead while it is read in the order of appending.
//
// Threads: one at a time. Crash: nothing is left.
class RowSpillFile final : public RowSpill {
 public:
  // kUnavailable: no file could be created in `directory`, which is created if necessary.
  static Result<std::unique_ptr<RowSpill>> make(const std::filesystem::path& directory);

  Result<std::uint64_t> append(std::string_view bytes) override;
  void read(std::uint64_t at, std::size_t size, std::string& bytes) const override;

 private:
  explicit RowSpillFile(Descriptor file) : file_(std::move(file)) {}
  Status flush();
  void read_file(std::uint64_t at, char* to, std::size_t size) const;

  const Descriptor file_;
  std::uint64_t written_ = 0;  // bytes in the file
  std::string pending_;        // after them
  mutable std::string ahead_;  // read from the file
  mutable std::uint64_t ahead_at_ = 0;
  mutable std::uint64_t last_end_ = 0;  // of what was read last
};

}  // namespace tilth
