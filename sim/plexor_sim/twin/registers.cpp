// SPDX-License-Identifier: Apache-2.0
#include "registers.h"

namespace plexor {

Registers::Registers(const Geometry& geometry) : words_(kRegisterWords) {
  for (const Word& word : kWords)
    if (is_built(geometry, word)) words_[word.address] = {&word, word.reset};
  const std::pair<Reg, uint64_t> identity[] = {
      {kIdentityMagic, kMagic},
      {kIdentityProtocolVersion, kProtocolVersion},
      {kIdentityGatewareHash, geometry.gateware_hash},
      {kIdentityBoard, geometry.board},
      {kIdentityChannels, geometry.channels},
      {kIdentityStrikes, geometry.strikes},
      {kIdentitySamples, geometry.samples},
      {kIdentityTickFs, geometry.tick_fs},
      {kIdentityFeatures, geometry.features},
      {kIdentityLatencyMantissaBits, geometry.latency_mantissa_bits},
      {kIdentityIntervalMantissaBits, geometry.interval_mantissa_bits},
      {kIdentityZoomBits, geometry.zoom_bits},
      {kIdentityQueueDepth, geometry.queue_depth},
      {kIdentityWordFifoDepth, geometry.word_fifo_depth},
      {kIdentityUploadDepth, geometry.upload_depth},
      {kIdentityRingDepth, geometry.ring_depth},
      {kIdentityPhases, geometry.phases},
      {kIdentityDeepDepth, geometry.deep_depth},
      {kIdentityBuildId, geometry.build_id},
      {kIdentityFallMantissaBits, geometry.fall_mantissa_bits},
      {kIdentityTableSteps, geometry.table_steps},
      {kIdentityCodeBits, geometry.code_bits},
      {kIdentityTimecodeBits, geometry.timecode_bits},
      {kIdentityLamps, geometry.lamps},
  };
  for (const auto& [reg, value] : identity) set(reg, value);
}

// Blocks have as many copies as the build has parts; blocks of an absent feature are absent.
bool Registers::is_built(const Geometry& geometry, const Word& word) {
  switch (word.block) {
    case kBlockChannel:
    case kBlockChannelStatus:
      return word.copy < geometry.channels;
    case kBlockStimulus:
      return word.copy < geometry.strikes;
    case kBlockSource:
      return geometry.has_source(word.copy);
    case kBlockStep:
      return geometry.has(kFeatureSweep) && word.copy < geometry.table_steps;
    case kBlockCode:
      return geometry.has(kFeatureCodes);
    case kBlockSchedule:
      return geometry.has(kFeatureSchedule);
    default:
      return true;
  }
}

int64_t Registers::get(Reg reg, int copy) const {
  const size_t at = reg.address + static_cast<size_t>(copy) * reg.stride;
  uint64_t value = words_[at].value;
  if (reg.bits > 32) value |= static_cast<uint64_t>(words_[at + 1].value) << 32;
  if (reg.is_signed && reg.bits < 64 && value >> (reg.bits - 1) & 1) value |= ~uint64_t{0} << reg.bits;
  return static_cast<int64_t>(value);
}

void Registers::set(Reg reg, uint64_t value, int copy) {
  const size_t at = reg.address + static_cast<size_t>(copy) * reg.stride;
  if (!words_[at].word) return;
  words_[at].value = static_cast<uint32_t>(value);
  if (reg.bits > 32) words_[at + 1].value = static_cast<uint32_t>(value >> 32);
}

}  // namespace plexor
