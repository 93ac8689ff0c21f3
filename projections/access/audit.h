// The rows of the audit trail: one for each request of an operator that changes something.

#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "events/access/audit.h"
#include "projections/rows/rows.h"

namespace tilth {

struct AuditEntry {
  static constexpr std::string_view kTable = "audit_entry";
  static constexpr std::array<std::string_view, 1> kSorts{"at"};
  static constexpr std::array<std::string_view, 1> kFilters{"operator"};

  AuditId id;
  AuditRecorded recorded;

  Uuid parent() const { return {}; }
  void index_to(RowIndex& index) const {
    index.filter(recorded.operator_name);
    index.sort_and_cut(recorded.at);
  }

  // As operators see it.
  struct Shown {
    AuditId id;
    AuditRecorded recorded;

    template <class Archive>
    void serialize(Archive& ar) {
      auto& of = recorded;
      ar(member("id", id), member("operator", of.operator_name), member("role", of.role),
         member("action", of.action), member("method", of.method), member("target", of.target),
         member("created", of.created), member("status", of.status),
         member("requestId", of.request_id), member("address", of.address), member("at", of.at));
    }
  };
  Shown shown() const { return {id, recorded}; }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id));
    recorded.serialize(ar);
  }
};

}  // namespace tilth
