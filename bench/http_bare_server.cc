// The HTTP server around a handler that does nothing: what the API's figures are measured against.
// Usage: http_bare_server [PORT [WORKERS]]; ends when its input does.

#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>

#include "infra/http/server.h"

namespace {

class FixedAnswer final : public tilth::HttpHandler {
 public:
  void handle(tilth::HttpRequest, std::unique_ptr<tilth::Responder> responder) override {
    responder->respond({200, {{"Content-Type", "application/json"}}, R"({"data":"tilth"})"});
  }

  tilth::HttpResponse refuse(int status, std::string_view reason) override {
    return {status, {}, std::string(reason)};
  }
};

}  // namespace

int main(int count, char** arguments) {
  FixedAnswer handler;
  tilth::ServerOptions options;
  if (count > 1) options.port = static_cast<std::uint16_t>(std::atoi(arguments[1]));
  if (count > 2) options.workers = std::atoi(arguments[2]);
  options.log = [](std::string_view line) { std::cerr << line << '\n'; };
  auto server = tilth::HttpServer::start(std::move(options), handler);
  if (!server) {
    std::cerr << server.error().message << '\n';
    return 1;
  }
  std::cout << (*server)->address() << std::endl;
  while (std::cin.get() != std::char_traits<char>::eof()) {
  }
  (*server)->drain(std::chrono::seconds(5));
}
