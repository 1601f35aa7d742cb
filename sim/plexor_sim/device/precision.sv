// SPDX-License-Identifier: Apache-2.0
// Times of a design count whole picoseconds or less, whatever its own precision.
package plexor_precision;
  timeunit 1ps;
  timeprecision 1ps;
endpackage
