// SPDX-License-Identifier: Apache-2.0
// The kernel includes <stdlib.h> for this alone.
#pragma once
#include <stddef.h>
