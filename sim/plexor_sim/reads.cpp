// SPDX-License-Identifier: Apache-2.0
// Starts a device, and prints the paths of the files that it has read then, one a line.
// Argument: device options. reads.py calls it.
#include <unistd.h>

#include <cstdio>
#include <exception>

#include "device.h"
#include "said.h"

int main(int count, char** arguments) {
  if (count != 2) return 2;
  std::FILE* lines = fdopen(dup(STDOUT_FILENO), "w");
  plexor::said::take_over();
  int code = 0;
  try {
    plexor::make_device(arguments[1]);
  } catch (const std::exception& error) {
    plexor::said::error(error.what());
    code = 3;
  }
  for (const std::string& path : plexor::said::reads()) std::fprintf(lines, "%s\n", path.c_str());
  std::fclose(lines);
  return code;
}
