// SPDX-License-Identifier: Apache-2.0
/** A page with still pictures alone. */

import { offerImages } from "./save.js";
import { measureStill } from "./still.js";

offerImages();
measureStill();
