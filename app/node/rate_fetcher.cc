#include "app/node/rate_fetcher.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/platform/thread_name.h"
#include "events/log/streams.h"
#include "infra/system/fetch.h"
#include "infra/system/zip_file.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostBytes = 256 << 20;
constexpr std::chrono::milliseconds kTimeout = 60s;
constexpr std::chrono::milliseconds kAfterAFailure = 10min;

}  // namespace

void RateFetcher::begin() {
  if (!parts_.config.every) return;
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

Result<std::string> RateFetcher::fetch() const {
  const auto& url = parts_.config.url;
  if (url.empty()) {
    return Error{ErrorCode::kConflict,
                 "The configuration has no address of exchange rates: rates.url."};
  }
  auto fetched = tilth::fetch({.url = url,
                               .stopped = &stopped_,
                               .accept = "text/csv, application/zip, */*",
                               .timeout = kTimeout,
                               .most_bytes = kMostBytes});
  if (!fetched) return fetched.error();
  if (fetched->status != 200) {
    return Error{ErrorCode::kUnavailable,
                 without_credentials(url) + " answers " + std::to_string(fetched->status) + "."};
  }
  if (!is_zip(fetched->body)) return std::move(fetched->body);
  auto text = unzipped(fetched->body, kMostBytes);
  if (text) return text;
  return Error{ErrorCode::kUnavailable, without_credentials(url) + ": " + text.error().message};
}

void RateFetcher::stop() {
  stopped_ = true;
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void RateFetcher::run(const std::stop_token& stop) {
  name_thread("rates");
  while (!stop.stop_requested()) {
    auto pause = *parts_.config.every;
    if (const auto imported = import()) {
      parts_.log.info("Exchange rates were fetched.",
                      {{"days", imported->days}, {"changed", imported->changed}});
    } else if (!stop.stop_requested()) {
      parts_.log.error("Exchange rates cannot be fetched.", {{"reason", imported.error().message}});
      pause = std::min(pause, kAfterAFailure);
    }
    std::unique_lock lock(mutex_);
    stopping_.wait_for(lock, stop, pause, [] { return false; });
  }
}

Result<ImportedExchangeRates> RateFetcher::import() const {
  const auto file = fetch();
  if (!file) return file.error();
  const ExchangeRateImport import{parts_.commands, std::string(kClockActor),
                                  parts_.ids.uuid(parts_.clock.now()).text()};
  return import.run(*file, parts_.config.source);
}

}  // namespace tilth
