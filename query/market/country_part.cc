#include "query/market/country_part.h"

#include <algorithm>
#include <iterator>

#include <boost/algorithm/hex.hpp>

#include "events/json/json_writer.h"
#include "events/json/stored_json.h"

namespace tilth {
namespace {

constexpr std::size_t kMostDigits = 65'536;  // of a number; a longer one is no sum of ours

// A part as JSON: whole numbers of any size are text.
struct CropForm {
  std::string crop, money, tons, lowest, highest;
  std::int64_t cut = 0, farms = 0, reporting = 0, selling = 0, owners = 0;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("crop", crop), member("money", money), member("tons", tons), member("lowest", lowest),
       member("highest", highest), member("cut", cut), member("farms", farms),
       member("reporting", reporting), member("selling", selling), member("owners", owners));
  }
};
struct CutForm {
  std::string crop, numerator, denominator;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("crop", crop), member("numerator", numerator), member("denominator", denominator));
  }
};
struct PartForm {
  std::int64_t format = 1;
  std::string mark;
  bool same = false;
  std::vector<CropForm> crops;
  std::vector<CutForm> cut;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("format", format), member("mark", mark), member("same", same), member("crops", crops),
       member("cut", cut));
  }
};

template <class Form>
std::optional<Form> read(std::string_view text) {
  Form blank;
  blank.format = 0;
  auto form = read_stored(text, std::move(blank));
  return form && form->format == Form{}.format ? std::move(form) : std::nullopt;
}

std::optional<Integer> natural(const std::string& text) {
  const bool digits = text.find_first_not_of("0123456789") == text.npos;
  if (text.empty() || text.size() > kMostDigits || !digits) return std::nullopt;
  const auto first = std::min(text.find_first_not_of('0'), text.size() - 1);
  return Integer(text.substr(first));  // a leading zero would make it octal
}

CropForm form_of(const CropPrices& crop) {
  const auto& sums = crop.sums;
  const auto count = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  return {.crop = crop.crop_name,
          .money = sums.money.str(),
          .tons = sums.tons.str(),
          .lowest = crop.lowest.str(),
          .highest = crop.highest.str(),
          .cut = count(sums.cut),
          .farms = count(sums.farms),
          .reporting = count(sums.reporting),
          .selling = count(sums.selling),
          .owners = count(sums.owners)};
}

std::optional<CropPrices> crop_of(const CropForm& form) {
  const auto money = natural(form.money), tons = natural(form.tons);
  const auto lowest = natural(form.lowest), highest = natural(form.highest);
  const auto counts = {form.cut, form.farms, form.reporting, form.selling, form.owners};
  const bool counted = std::ranges::all_of(counts, [](auto count) { return count >= 0; });
  if (!money || !tons || *tons == 0 || !lowest || !highest || !counted) return std::nullopt;
  const auto count = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  return CropPrices{.crop_name = form.crop,
                    .sums = {*money, *tons, count(form.cut), count(form.farms),
                             count(form.reporting), count(form.selling), count(form.owners)},
                    .lowest = *lowest,
                    .highest = *highest};
}

std::string hexadecimal(const std::string& bytes) {
  std::string text;
  boost::algorithm::hex_lower(bytes, std::back_inserter(text));
  return text;
}

}  // namespace

std::string written(const CountryAsk& ask) { return JsonWriter::text(ask); }

std::string written(const CountryPart& part) {
  PartForm form;
  form.mark = part.mark, form.same = part.same;
  form.crops.reserve(part.crops.size());
  for (const auto& crop : part.crops) form.crops.push_back(form_of(crop));
  for (const auto& [crop, cut] : part.cut) {
    form.cut.push_back({crop, numerator(cut).str(), denominator(cut).str()});
  }
  return JsonWriter::text(form);
}

std::optional<CountryAsk> read_country_ask(std::string_view json) { return read<CountryAsk>(json); }

std::optional<CountryPart> read_country_part(std::string_view json) {
  const auto form = read<PartForm>(json);
  if (!form) return std::nullopt;
  CountryPart part;
  part.mark = form->mark, part.same = form->same;
  for (const auto& each : form->crops) {
    auto crop = crop_of(each);
    if (!crop) return std::nullopt;
    part.crops.push_back(std::move(*crop));
  }
  for (const auto& each : form->cut) {
    const auto above = natural(each.numerator), below = natural(each.denominator);
    if (!above || !below || *below == 0) return std::nullopt;
    part.cut[each.crop] = Fraction(*above, *below);
  }
  return part;
}

CountryPart country_part(const Rows& market, const CountryAsk& ask) {
  CountryPart part{.mark = hexadecimal(prices_mark(market, ask.country)), .crops = {}, .cut = {}};
  for (const auto& crop : ask.exactly) part.cut[crop] = cut_from(market, ask.country, crop);
  part.same = !ask.mark.empty() && ask.mark == part.mark;
  if (part.same) return part;
  for_each_crop(market, ask.country, ask.all_crops ? Crops::kAll : Crops::kShown,
                [&](CropPrices crop) { part.crops.push_back(std::move(crop)); });
  return part;
}

}  // namespace tilth
