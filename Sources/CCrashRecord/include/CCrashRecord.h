#pragma once
#include <stdint.h>

/// What a process notes in a file when it is about to end by a signal of its own fault, such as SIGSEGV: the signal's number, a count, and as
/// many numbers, which say what it was at. All are of 64 bits, in the machine's order. A signal that somebody else has sent to end it, such as
/// SIGKILL or SIGTERM, is no fault.

/// How many numbers are noted at most.
#define CRASH_RECORD_CAPACITY 1024

/// From now on a crash is noted after what the file has. The descriptor stays open.
/// @return 0, or an error number
int crash_record_begin(int descriptor);

/// What a crash notes from now on. For one thread at a time.
void crash_record_set(const int64_t *numbers, int count);
