// SPDX-License-Identifier: Apache-2.0
/** A page with still pictures alone. */

import { measureStill } from "./still.js";

measureStill();
