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
          .description = Description{.query = request_schema<ListVarieties>,
                                     .answer = row_schema<std::vector<Variety>>}};
}

}  // namespace

std::vector<Route> crop_library_routes() {
  constexpr auto kRead = Scope::kLibraryRead, kWrite = Scope::kLibraryWrite;
  std::vector<Route> routes{
      listing<ListAdminCrops>("/crop-library/crops", kRead, "List the library's crops"),
      single<AdminCropPath, AdminCrop>("/crop-library/crops/{id}", kRead,
                                       "Show a crop of the library"),
      variety_listing("/crop-library/varieties", kRead, "List a library crop's varieties"),
  };
  for (const auto& [many, one] :
       {std::pair{"/crop-library/user-crops", "/crop-library/user-crops/{id}"},
        std::pair{"/user-crops", "/user-crops/{id}"}}) {
    routes.push_back(listing<ListUserCrops>(many, kRead, "List the shortlist"));
    routes.push_back(
        creation<AddUserCrop, UserCrop>(many, kWrite, "Put a crop on the shortlist", kNowhere));
    routes.push_back(removal<Delete<UserCrop>>(one, kWrite, "Take a crop off the shortlist"));
  }
  return routes;
}

}  // namespace tilth
