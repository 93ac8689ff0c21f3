// The HTTP server with a handler that does no work: the baseline for the API's figures.
// Usage: http_bare_server [PORT [WORKERS [ANSWER]]]; ends when its input does. The file ANSWER
// holds the response to every request: headers, one per line, an empty line, and a body.

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>

#include "infra/http/server.h"

namespace {

tilth::HttpResponse read_answer(const char* file) {
  tilth::HttpResponse answer;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line) && !line.empty();) {
    const auto colon = line.find(": ");
    answer.headers.emplace_back(line.substr(0, colon), line.substr(colon + 2));
  }
  answer.body.assign(std::istreambuf_iterator<char>(in), {});
  return answer;
}

class FixedAnswer final : public tilth::HttpHandler {
 public:
  explicit FixedAnswer(tilth::HttpResponse answer) : answer_(std::move(answer)) {}

  void handle(tilth::HttpRequest, std::unique_ptr<tilth::Responder> responder) override {
    responder->respond(answer_);
  }

  tilth::HttpResponse refuse(int status, std::string_view reason,
                             const tilth::HttpRequest&) override {
    return {status, {}, std::string(reason)};
  }

 private:
  const tilth::HttpResponse answer_;
};

}  // namespace

int main(int count, char** arguments) {
  FixedAnswer handler(count > 3 ? read_answer(arguments[3])
                                : tilth::HttpResponse{200,
                                                      {{"Content-Type", "application/json"}},
                                                      R"({"data":"tilth"})"});
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
