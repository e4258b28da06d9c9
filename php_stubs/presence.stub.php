<?php

/**
 * @generate-class-entries
 *
 * The PHP API of the extension, for people, IDEs and static analysers. The arginfo that the extension is compiled with
 * is generated from this file by script/generate-arginfo.
 */

namespace Presence {

    /**
     * What an application depends on, and replaces by a fake in its own tests.
     */
    interface Repository
    {
        /** The visitor is here now. See \Presence::persist(). */
        public function persist(string|int $visitorId): void;

        /** Takes out visitors last seen longer ago than the retention. See \Presence::purge(). */
        public function purge(): void;

        /** How many visitors are online. See \Presence::count(). */
        public function count(?int $minutes = null): int;

        /**
         * Who is online. See \Presence::ids().
         *
         * @return list<string>
         */
        public function ids(?int $minutes = null): array;
    }

    /**
     * Anything that went wrong at run time. Wrong arguments throw \ValueError and \TypeError instead.
     */
    class PresenceException extends \Exception
    {
    }

    /**
     * A server or file cannot be reached, is missing its tables, or answered an error. Trying later may help.
     */
    class ConnectionException extends PresenceException
    {
    }

    /**
     * The chosen store or sink cannot answer that, or this build lacks its client library. The message names one that can.
     */
    class UnsupportedException extends PresenceException
    {
    }
}

namespace {

    /**
     * How often and how long: totals, counts, minima and maxima for each minute.
     *
     * Adds go to memory shared by all PHP processes of one user. Finished minutes are written to a database in batches,
     * added to what other servers wrote. The database is what the request chose last, by Counters::$db or by
     * Counters::connect(); otherwise that of the INI entry presence.sink, or else an SQLite file in presence.data_dir.
     *
     * @strict-properties
     * @not-serializable
     */
    final class Counters
    {
        /**
         * A connection of the application to write through, of the drivers mysql or sqlite. It is used at the end of
         * the request, outside of transactions only: with one open, the rows wait for the next request. A database in
         * memory gets each value at once. With null, the extension connects by itself. After a fork, open another
         * connection in the child.
         */
        public static ?PDO $db = null;

        /** Everything here is static; there are no objects of it. */
        private function __construct()
        {
        }

        /**
         * Sets the database for this request: `mysql://user:password@host:port/database` (`?socket=` for a local one) or
         * `sqlite:/path`. Only the form is checked here; the connection is made when rows are written or read.
         *
         * @throws ValueError if the DSN is malformed; nothing is changed then
         * @throws Presence\UnsupportedException if there is no sink of that scheme, or this build lacks it
         */
        public static function connect(#[\SensitiveParameter] string $dsn): void
        {
        }

        /**
         * Whether counting happens in shared memory. If not (see status() for why), each add is written straight to the
         * database, or for Counters::$db at the end of the request.
         */
        public static function available(): bool
        {
        }

        /**
         * Adds a value to the counter of this minute. Costs tens of nanoseconds and never waits for anything.
         *
         * @param string $name what is counted: UTF-8, 1 to 64 bytes
         * @param string|null $argument what it is split by, such as a path or a method of payment. Any bytes: longer
         *     than 250 it keeps its start and ends in "~" and 8 hex digits of its hash, and invalid UTF-8 is replaced
         * @param float $value any finite number, not null; whole numbers stay exact up to 2^53
         *
         * @throws ValueError if the name is empty, too long or not UTF-8, or the value is NAN or INF
         */
        public static function add(string $name, ?string $argument = null, float $value = 1.0): void
        {
        }

        /**
         * Calls `$work()` and adds how long it took, in seconds, also when it throws. Returns what it returned: that the time
         * could not be put anywhere is a warning here, not an exception.
         *
         * @param string $name see add()
         * @param string|null $argument see add()
         *
         * @throws ValueError if the name is wrong; $work is not called then
         */
        public static function time(string $name, ?string $argument, callable $work): mixed
        {
        }

        /**
         * Writes the finished minutes to the database now and waits for that. Meant for cron jobs and tests; otherwise
         * it happens by itself. Where another process is at it already, such as the flusher, waits for that, up to ten
         * seconds.
         *
         * @return int how many rows were written, by this process or the one it waited for
         *
         * @throws Presence\ConnectionException if the current database cannot be reached or lacks the tables, or another
         *     process is still at it after ten seconds; the rows stay. What befell other databases is in status() only
         */
        public static function flush(): int
        {
        }

        /**
         * The start of a minute as Unix time: what the rows of that minute carry as `timeslot`.
         *
         * @param int|null $time Unix time; null for now
         */
        public static function slot(?int $time = null): int
        {
        }

        /**
         * The identity of a row, its column `hash`: 32 hex digits of the SHA-256 of "name:slot" or "name:slot:argument".
         * A name that holds a ":" is hashed in another form, since that text would be ambiguous.
         *
         * @param string $name see add()
         * @param string|null $argument see add()
         * @param int $slot start of a minute, see slot()
         *
         * @throws ValueError if the name is wrong or $slot is not a multiple of 60
         */
        public static function hash(string $name, ?string $argument, int $slot): string
        {
        }

        /**
         * The sums of a counter over time, stored and not yet stored together. Steps without values are left out.
         *
         * @param int $since Unix time, inclusive; the step it falls into is returned whole
         * @param int|null $until Unix time, exclusive; null for up to now
         * @param int $step seconds that each row covers, a multiple of 60: 3600 gives hours, 86400 days (of UTC)
         * @param string|null $argument only this argument; null for all arguments together
         *
         * @return list<array{slot: int, total: float, count: int, minimum: float, maximum: float, average: float}>
         *     sorted by slot
         *
         * @throws ValueError if the name is wrong, $until is before $since, or $step is not a positive multiple of 60
         * @throws Presence\ConnectionException if the database cannot be reached or lacks the tables (an SQLite file that is
         *     not there yet just has no rows)
         */
        public static function read(string $name, int $since, ?int $until = null, int $step = 60, ?string $argument = null): array
        {
        }

        /**
         * The rows of the current database that are not in it yet, those of the running minute included.
         *
         * @return list<array{name: string, argument: string|null, slot: int, total: float, count: int, minimum: float, maximum: float}>
         */
        public static function pending(): array
        {
        }

        /**
         * Creates the tables of the current database where they are missing; existing ones are left alone.
         *
         * @throws Presence\ConnectionException if the database cannot be reached or refuses
         */
        public static function install(): void
        {
        }

        /**
         * How the counters are doing: the segment, series in use and at most, what went straight to the database, the
         * flusher, what was written and what waits, and the database's last error. Holds no secrets.
         *
         * @return array<string, mixed>
         */
        public static function status(): array
        {
        }
    }

    /**
     * Who is online.
     *
     * A visitor id is a string of 1 to 250 bytes without NUL, or an integer, which means the same as its decimal text. With or
     * without strict_types, null is a \TypeError.
     * Numbers of minutes are 1 to the retention; null stands for the window of the object, presence.window if not set.
     *
     * @strict-properties
     * @not-serializable
     */
    final class Presence implements Presence\Repository, Countable
    {
        /**
         * Connects to nothing yet.
         *
         * @param string|null $store DSN of where visitors are kept, such as `shm:`; null for presence.store
         * @param array $options what differs from the INI entries of the same names: `key` (string),
         *     `window` and `retention` (minutes), `throttle` and `timeout` (seconds), `mode` ("buffered" or "direct"),
         *     `on_error` ("throw" or "silent"), and what is particular to a store
         *
         * @throws ValueError if the DSN is malformed, an option is unknown or out of range
         * @throws Presence\UnsupportedException if this build has no such store
         */
        public function __construct(#[\SensitiveParameter] ?string $store = null, array $options = [])
        {
        }

        /**
         * The visitor is here now.
         *
         * @throws ValueError if the id is not one this store can hold
         */
        public function persist(string|int $visitorId): void
        {
        }

        /**
         * Takes out visitors last seen longer ago than the retention. Happens by itself as well.
         */
        public function purge(): void
        {
        }

        /**
         * How many different visitors were here in the last minutes.
         *
         * @throws ValueError if $minutes is out of range
         */
        public function count(?int $minutes = null): int
        {
        }

        /**
         * Who was here in the last minutes, in no particular order.
         *
         * @return list<string>
         *
         * @throws ValueError if $minutes is out of range
         * @throws Presence\UnsupportedException if this store keeps numbers only
         */
        public function ids(?int $minutes = null): array
        {
        }

        /**
         * Whether the visitor was here in the last minutes. The answer is kept for the request, at most a second.
         *
         * @throws ValueError if the id or $minutes is out of range
         */
        public function isOnline(string|int $visitorId, ?int $minutes = null): bool
        {
        }

        /**
         * The same for many visitors, with at most one round trip to a server.
         *
         * @param array $visitorIds strings and integers
         *
         * @return array<string|int, bool> keyed by the ids
         *
         * @throws ValueError if an id or $minutes is out of range
         * @throws TypeError if an id is neither a string nor an integer
         */
        public function areOnline(array $visitorIds, ?int $minutes = null): array
        {
        }

        /**
         * When the visitor was last here, as Unix time; null if not within the retention.
         *
         * @throws ValueError if the id is not one this store can hold
         * @throws Presence\UnsupportedException if this store keeps no times
         */
        public function lastSeen(string|int $visitorId): ?int
        {
        }

        /**
         * Takes the visitor out, for a logout or for privacy. Of this key only: rooms are keys of their own.
         *
         * @throws ValueError if the id is not one this store can hold
         */
        public function forget(string|int $visitorId): void
        {
        }

        /**
         * The guest became a user: $from is now called $to. Does nothing if $from is not here. Of this key only: rooms are
         * keys of their own.
         *
         * @throws ValueError if an id is not one this store can hold
         */
        public function replace(string|int $from, string|int $to): void
        {
        }

        /**
         * Presence in a part of the site, such as a topic: an object of its own with the same settings.
         *
         * @param string $name 1 to 100 bytes; a room of a room has a longer key, of at most 200
         *
         * @throws ValueError if the name is empty or too long
         */
        public function room(string $name): static
        {
        }

        /**
         * Pushes what is buffered to the store now.
         *
         * @throws Presence\ConnectionException if the store cannot be reached and on_error is "throw"
         */
        public function flush(): void
        {
        }

        /**
         * How the store is doing: its kind, the settings, visitors in use and at most, the last error. Holds no secrets.
         *
         * @return array<string, mixed>
         */
        public function status(): array
        {
        }
    }
}
