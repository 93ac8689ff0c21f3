// Queries on webhooks: the same rows that decisions look up.

#pragma once

#include "projections/integrations/webhook.h"
#include "query/listing.h"

namespace tilth {

struct ListWebhooks {
  using Row = Webhook;
  WholeStream at;

  template <class Archive>
  void serialize(Archive&) {}
};

inline Result<Listed<Webhook>> run_query(const Rows& rows, const ListWebhooks&,
                                         const PageRequest& page) {
  return list_page<Webhook>(rows, {}, ListFilters(), page);
}

}  // namespace tilth
