#include "events/access/user.h"

#include "events/log/event_codec.h"

namespace tilth {

std::vector<EventCodec> user_events() {
  return codecs_of<UserRegistered, UserIdentified, UserAmended, UserDisabled, UserEnabled,
                   ApiKeyMinted, ApiKeyRevoked>();
}

}  // namespace tilth
