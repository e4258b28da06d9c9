<?php
// Puts the clock into the test's own hands. Required first, since it starts the test's PHP once more, with the same
// settings, under libfaketime. From then on time stands still at 2025-01-01 00:00:00 UTC until set_clock() moves it, for
// this process and for all that it starts; run_php() included. CLOCK_MONOTONIC, which measures durations, runs as always.

const CLOCK_START = 1735689600;

/** Time is now so many seconds after CLOCK_START. */
function set_clock(int $seconds): void
{
    $file = getenv('FAKETIME_TIMESTAMP_FILE');
    // Never half written for a process that looks at the clock just now.
    file_put_contents("$file.new", CLOCK_START + $seconds);
    rename("$file.new", $file);
}

function start_under_faketime(): never
{
    // Of this process, without PHP's own name.
    $arguments = array_slice(explode("\0", rtrim(file_get_contents('/proc/self/cmdline'), "\0")), 1);
    $clock = ini_get('presence.segment') . '.clock';
    file_put_contents($clock, CLOCK_START);
    pcntl_exec(readlink('/proc/self/exe'), $arguments, [
        'LD_PRELOAD' => faketime_library(),
        'FAKETIME_TIMESTAMP_FILE' => $clock,
        'FAKETIME_FMT' => '%s',
        'FAKETIME_NO_CACHE' => '1',
        'FAKETIME_DONT_FAKE_MONOTONIC' => '1',
        'NO_FAKE_STAT' => '1',
        'TZ' => 'UTC',
    ] + array_diff_key(getenv(), ['FAKETIME' => true]));
}

if (getenv('FAKETIME_TIMESTAMP_FILE') === false) {
    start_under_faketime();
}
// The semaphore and shared memory of libfaketime would outlive the process that made them. Its children use the same.
register_shutdown_function(function (int $owner) {
    if (getmypid() === $owner) {
        array_map('unlink', glob("/dev/shm/{sem.faketime_sem,faketime_shm}_$owner", GLOB_BRACE));
    }
}, getmypid());
