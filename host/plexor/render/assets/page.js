/** A page with still pictures alone. */

import { measureStill } from "./still.js";

measureStill();
