#include <algorithm>
#include <iterator>

#include "api/routing/resource_route.h"
#include "command/library/user_crop.h"
#include "query/library/admin_crop.h"
#include "query/library/user_crop.h"

namespace tilth {
namespace {

// All varieties of a crop in one response, without pages.
Route variety_listing(std::string_view pattern, Scope scope, std::string_view summary) {
  const auto read = [](const Call& call) -> Result<Intent> {
    ListVarieties question;
    RequestIssues problems;
    QueryReader query(call.query, problems);
    read_question(call, question, query, problems);
    if (const auto verdict = problems.verdict(); !verdict) return verdict.error();
    return Intent(RowQuery([question](const Rows& rows, Timestamp) -> Result<QueryResult> {
      std::string body = "{\"data\":[";
      for (const auto& variety : run_query(rows, question)) {
        if (body.back() != '[') body.push_back(',');
        body.append(render_json(variety));
      }
      return QueryResult(json_response(200, body + "]}"));
    }));
  };
  return {.method = "GET",
          .pattern = pattern,
          .summary = summary,
          .scope = scope,
          .action = Operation{.read = read},
          .description = Description{.name = list_name(type_name(kSpelling<Variety>)),
                                     .about = "Returns all varieties of one crop of the library, "
                                              "without pages. An unknown crop has none.",
                                     .query = request_schema<ListVarieties>,
                                     .answer = row_schema<std::vector<Variety>>}};
}

}  // namespace

std::vector<Route> crop_library_routes() {
  constexpr auto kRead = Scope::kLibraryRead, kWrite = Scope::kLibraryWrite;
  std::vector<Route> routes{
      explained(listing<ListAdminCrops>("/crop-library/crops", kRead, "List the library's crops"),
                "Lists the verified crops that every owner can choose from, by name."),
      single<AdminCropPath, AdminCrop>("/crop-library/crops/{id}", kRead,
                                       "Show a crop of the library"),
      variety_listing("/crop-library/varieties", kRead, "List a library crop's varieties"),
  };
  const auto shortlist = [&](std::string_view many, std::string_view one) -> std::vector<Route> {
    return {
        listing<ListUserCrops>(many, kRead, "List the shortlist"),
        explained(creation<CreateUserCrop, UserCrop>(many, kWrite, "Add a crop to the shortlist",
                                                     kNowhere),
                  "Chooses a crop of the library for a farm, or for no farm in particular. If the "
                  "crop is on the list already, the response is its entry, unchanged."),
        removal<Delete<UserCrop>>(one, kWrite, "Remove a crop from the shortlist"),
    };
  };
  const auto add = [&](std::vector<Route> more) {
    std::move(more.begin(), more.end(), std::back_inserter(routes));
  };
  add(shortlist("/crop-library/user-crops", "/crop-library/user-crops/{id}"));
  add(as_aliases(shortlist("/user-crops", "/user-crops/{id}")));
  return routes;
}

}  // namespace tilth
