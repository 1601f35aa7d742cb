// SPDX-License-Identifier: Apache-2.0
// Gives a device that is written for device.h the calls of plexor_device.h: compiled together with its
// files, it makes them a library.
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "device.h"
#include "plexor_device.h"

namespace {

struct Exported {
  std::unique_ptr<plexor::Device> device;
  std::string error, load;
  std::vector<plexor::Edge> edges;
  size_t taken = 0;  // of edges
};

Exported& of(void* device) { return *static_cast<Exported*>(device); }

void* create(const char* options, uint32_t strikes, char* error, size_t error_bytes) {
  try {
    auto made = std::make_unique<Exported>();
    made->device = plexor::make_device(options);
    if (strikes && !made->device->restart(strikes)) made->device->input(0, strikes, false);
    made->load = made->device->load().name;
    return made.release();
  } catch (const std::exception& failed) {
    std::snprintf(error, error_bytes, "%s", failed.what());
    return nullptr;
  }
}

int32_t advance(void* device, int64_t to_ps, plexor_edge* edges, uint32_t* count) {
  Exported& exported = of(device);
  auto& waiting = exported.edges;
  const uint32_t room = *count;
  *count = 0;
  try {
    if (waiting.empty()) exported.device->advance(to_ps, waiting);
  } catch (const std::exception& failed) {
    exported.error = failed.what();
    return PLEXOR_FAILED;
  }
  for (; *count < room && exported.taken < waiting.size(); exported.taken++) {
    const plexor::Edge& edge = waiting[exported.taken];
    edges[(*count)++] = {edge.time_ps, edge.channel, static_cast<uint8_t>(edge.level)};
  }
  if (exported.taken < waiting.size()) return PLEXOR_MORE;
  waiting.clear();
  exported.taken = 0;
  return PLEXOR_DONE;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const plexor_device* plexor_device_get(
    uint32_t version) {
  static const plexor_device calls = [] {
    plexor_device made{};
    made.version = PLEXOR_DEVICE_VERSION;
    made.bytes = sizeof made;
    made.create = create;
    made.destroy = [](void* device) { delete &of(device); };
    made.input = [](void* device, int64_t time_ps, uint32_t strikes, uint32_t load) {
      of(device).device->input(time_ps, strikes, load != 0);
    };
    made.advance = advance;
    made.error = [](void* device) { return of(device).error.c_str(); };
    made.quiet_until_ps = [](void* device) { return of(device).device->quiet_until_ps(); };
    made.initial_levels = [](void* device) { return of(device).device->initial_levels(); };
    made.load = [](void* device) { return of(device).load.c_str(); };
    made.draws = [](void* device) { return static_cast<int32_t>(of(device).device->draws()); };
    made.timecode = [](void* device, int64_t time_ps, uint32_t pins) {
      of(device).device->timecode(time_ps, pins);
    };
    return made;
  }();
  return version == PLEXOR_DEVICE_VERSION ? &calls : nullptr;
}
