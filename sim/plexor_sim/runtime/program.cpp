// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <unistd.h>

#include <exception>

#include "device.h"
#include "said.h"
#include "truth.h"

namespace plexor {

volatile sig_atomic_t g_stop = 0;

namespace {

void stop(int) { g_stop = 1; }

std::FILE* take_stdout() {
  std::FILE* lines = fdopen(dup(STDOUT_FILENO), "w");
  dup2(STDERR_FILENO, STDOUT_FILENO);
  said::take_over();
  return lines;
}

// The error comes last, after everything that the device printed.
int failed(int code, const std::exception& error) {
  said::finish();
  said::error(std::string("error: ") + error.what());
  return code;
}

}  // namespace

void stop_without(int parent) {
  if (parent && getppid() != parent) g_stop = 1;
}

int program(int count, char** arguments, void (*simulate)(Options options, std::FILE* lines)) {
  struct sigaction action {};
  action.sa_handler = stop;  // without SA_RESTART a signal ends a blocked wait
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  try {
    const Options options = parse(count, arguments);
    simulate(options, take_stdout());
    said::finish();
    return 0;
  } catch (const BadOption& error) {
    return failed(2, error);
  } catch (const Usage& error) {
    return failed(2, error);
  } catch (const CannotWrite& error) {
    return failed(4, error);
  } catch (const std::exception& error) {
    return failed(3, error);
  }
}

}  // namespace plexor
