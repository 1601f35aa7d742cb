// SPDX-License-Identifier: Apache-2.0
`timescale 1ns/1ps
