// The kernel includes <stdlib.h> for this alone.
#pragma once
#include <stddef.h>
