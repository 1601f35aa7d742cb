// SPDX-License-Identifier: Apache-2.0
#include "distribution.h"

#include <cmath>
#include <fstream>

#include "option_text.h"

namespace plexor {

namespace {

constexpr double kLn2 = 0x1.62e42fefa39efp-1;

int64_t rounded(double ps) {
  if (!(ps > 0)) return 0;
  if (ps >= static_cast<double>(kMostPs)) return kMostPs;
  return static_cast<int64_t>(ps + 0.5);
}

double normal(Random& random) {
  for (;;) {
    const double u = 2 * random.unit() - 1;
    const double v = 2 * random.unit() - 1;
    const double s = u * u + v * v;
    if (s > 0 && s < 1) return u * std::sqrt(-2 * portable_log(s) / s);
  }
}

std::vector<int64_t> read_list(const std::string& key, const std::string& path) {
  std::ifstream file(path);
  if (!file) bad_option(key, "list:" + path, "the file cannot be read");
  std::vector<int64_t> list;
  for (std::string word; file >> word;) list.push_back(option_integer(key, word, 0, kMostPs));
  if (list.empty()) bad_option(key, "list:" + path, "the file has no numbers");
  return list;
}

}  // namespace

// x = m * 2**e with m near 1; ln m = 2 artanh((m - 1) / (m + 1)), as a series.
double portable_log(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0x1.6a09e667f3bcdp-1) {
    m *= 2;
    exponent--;
  }
  const double s = (m - 1) / (m + 1);
  const double square = s * s;
  double sum = 0;
  for (int k = 25; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
  return exponent * kLn2 + 2 * s * sum;
}

// x = n ln 2 + r with |r| <= ln 2 / 2; exp r by its Taylor series.
double portable_exp(double x) {
  const double n = std::floor(x / kLn2 + 0.5);
  const double r = x - n * kLn2;
  double sum = 1;
  for (int k = 18; k >= 1; k--) sum = 1 + r * sum / k;
  return std::ldexp(sum, static_cast<int>(n));
}

int64_t Distribution::draw(Random& random) {
  switch (kind_) {
    case Kind::kFixed:
      return low_;
    case Kind::kUniform:
      return low_ + static_cast<int64_t>(random.below(static_cast<uint64_t>(high_ - low_) + 1));
    case Kind::kNormal:
      return rounded(a_ + b_ * normal(random));
    case Kind::kLognormal:
      return rounded(a_ * portable_exp(b_ * normal(random)));
    case Kind::kExponential:
      return rounded(-a_ * portable_log(1 - random.unit()));
    case Kind::kList: {
      const int64_t ps = list_[next_];
      next_ = (next_ + 1) % list_.size();
      return ps;
    }
    case Kind::kMixture: {
      const double chosen = random.unit();
      size_t part = 0;
      while (part + 1 < parts_.size() && chosen >= bounds_[part]) part++;
      return parts_[part].draw(random);
    }
  }
  return 0;
}

Distribution Distribution::parse(const std::string& key, const std::string& text) {
  const size_t star = text.find('*');
  if (star == std::string::npos || text.find_first_not_of("0123456789.") < star)
    return parse_one(key, text);
  Distribution mixture;
  mixture.kind_ = Kind::kMixture;
  double total = 0;
  for (const std::string& part : split(text, '+')) {
    const size_t times = part.find('*');
    if (times == std::string::npos)
      bad_option(key, text, "each part of a mixture is WEIGHT*distribution");
    total += option_real(key, part.substr(0, times), 0, 1e9);
    mixture.bounds_.push_back(total);
    mixture.parts_.push_back(parse_one(key, part.substr(times + 1)));
  }
  if (!(total > 0)) bad_option(key, text, "a weight above 0 is needed");
  for (double& bound : mixture.bounds_) bound /= total;
  return mixture;
}

Distribution Distribution::parse_one(const std::string& key, const std::string& text) {
  const size_t colon = text.find(':');
  const std::string name = colon == std::string::npos ? "fixed" : text.substr(0, colon);
  const std::string rest = colon == std::string::npos ? text : text.substr(colon + 1);
  Distribution result;
  if (name == "list") {
    result.kind_ = Kind::kList;
    result.list_ = read_list(key, rest);
    return result;
  }
  const std::vector<std::string> numbers = split(rest, ':');
  const size_t needed = name == "fixed" || name == "exponential" ? 1 : 2;
  const bool known = needed == 1 || name == "uniform" || name == "normal" || name == "lognormal";
  if (!known || numbers.size() != needed)
    bad_option(key, text,
               "a time in ps, uniform:A:B, normal:MEAN:SIGMA, lognormal:MEDIAN:SIGMA, "
               "exponential:MEAN, list:PATH or WEIGHT*one+WEIGHT*other is needed");
  result.low_ = option_integer(key, numbers[0], 0, kMostPs);
  result.a_ = static_cast<double>(result.low_);
  if (name == "uniform") {
    result.kind_ = Kind::kUniform;
    result.high_ = option_integer(key, numbers[1], result.low_, kMostPs);
  } else if (name == "normal") {
    result.kind_ = Kind::kNormal;
    result.b_ = static_cast<double>(option_integer(key, numbers[1], 0, kMostPs));
  } else if (name == "lognormal") {
    result.kind_ = Kind::kLognormal;
    result.b_ = option_real(key, numbers[1], 0, 10);
  } else if (name == "exponential") {
    result.kind_ = Kind::kExponential;
  }
  return result;
}

}  // namespace plexor
