// SPDX-License-Identifier: Apache-2.0
// Random times in ps whose draws are the same on every platform.
//
// Their texts are those of DISTRIBUTIONS in ../device_forms.py, with times in whole ps.
//
// Integers come from Random (random.h). Normal numbers use Marsaglia's polar method ("Improving the
// Ziggurat", SIAM Review 6(3), 1964): u, v are uniform in [-1, 1), and s = u*u + v*v is drawn again
// unless 0 < s < 1. Then z = u * sqrt(-2 ln s / s); the second normal number is not used. Logarithm
// and exponential use only +, -, * and /, which IEEE 754 rounds alike everywhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "random.h"

namespace plexor {

constexpr int64_t kMostPs = 1'000'000'000'000'000;  // 1000 s, the maximum time of an option

class Distribution {
 public:
  explicit Distribution(int64_t fixed_ps = 0) : a_(static_cast<double>(fixed_ps)), low_(fixed_ps) {}

  // Throws BadOption for any other text.
  static Distribution parse(const std::string& key, const std::string& text);

  // Returns a time from 0 to kMostPs.
  int64_t draw(Random& random);

  // Whether draws differ by chance.
  bool draws() const { return kind_ != Kind::kFixed && kind_ != Kind::kList; }

 private:
  enum class Kind { kFixed, kUniform, kNormal, kLognormal, kExponential, kList, kMixture };

  static Distribution parse_one(const std::string& key, const std::string& text);

  Kind kind_ = Kind::kFixed;
  double a_ = 0, b_ = 0;          // mean or median, sigma
  int64_t low_ = 0, high_ = 0;    // of the uniform; low_ is the fixed time
  std::vector<int64_t> list_;
  size_t next_ = 0;
  std::vector<Distribution> parts_;
  std::vector<double> bounds_;    // part n is chosen below bounds_[n], a fraction of 1
};

double portable_log(double x);
double portable_exp(double x);

}  // namespace plexor
