#include "flusher/spool_notes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/hash.h"
#include "base/stop_points.h"
#include "flusher/set_aside_lines.h"

namespace presence {
namespace {

template <class Number>
void append_field(std::string& out, Number number) {
  std::array<char, 32> digits;
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out += ' ';
  out.append(digits.data(), written.ptr);
}

/// Takes one number and the space or line end behind it.
template <class Number>
bool take_field(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data() + text.size()) {
    return false;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return true;
}

Error damaged() { return {ErrorCode::damaged, "the note about an attempt to send a batch is damaged"}; }

}  // namespace

// One line for each row, and a last one with the checksum of all before it: short, and readable in an emergency.
std::string encode_attempt(std::span<const StoredSums> expected) {
  std::string text;
  for (const StoredSums& row : expected) {
    text += view(row.hash);
    append_field(text, row.sums.count);
    append_field(text, row.sums.total);
    append_field(text, row.sums.minimum);
    append_field(text, row.sums.maximum);
    text += '\n';
  }
  const std::uint64_t checksum = hash_bytes(text, 0);
  text += "checksum";
  append_field(text, checksum);
  text += '\n';
  return text;
}

Result<std::vector<StoredSums>> decode_attempt(std::string_view text) {
  constexpr std::string_view kChecksum = "checksum ";
  const std::size_t end = text.rfind(kChecksum);
  if (end == std::string_view::npos) {
    return damaged();
  }
  std::uint64_t checksum = 0;
  std::string_view last = text.substr(end + kChecksum.size());
  if (!take_field(last, checksum) || checksum != hash_bytes(text.substr(0, end), 0)) {
    return damaged();
  }
  std::vector<StoredSums> rows;
  for (std::string_view left = text.substr(0, end); !left.empty();) {
    StoredSums& row = rows.emplace_back();
    if (left.size() <= row.hash.size()) {
      return damaged();
    }
    std::copy_n(left.begin(), row.hash.size(), row.hash.begin());
    left.remove_prefix(row.hash.size() + 1);
    if (!take_field(left, row.sums.count) || !take_field(left, row.sums.total) || !take_field(left, row.sums.minimum) ||
        !take_field(left, row.sums.maximum)) {
      return damaged();
    }
  }
  return rows;
}

Status SpoolNotes::check_room(std::size_t bytes) const {
  if (spool_.bytes_set_aside() + bytes <= max_aside_) {
    return {};
  }
  return Error{ErrorCode::no_space,
               "the folder " + spool_.folder() +
                   "/set-aside has reached presence.spool_max: see to the rows in it, then remove its files"};
}

Status SpoolNotes::before_commit(std::span<const RefusedRow> refused, std::span<const StoredSums> expected) {
  // What an earlier attempt set aside is decided anew, and the rows are all in the batch.
  for (const Beside kind : {Beside::refused, Beside::doubtful}) {
    if (Status removed = spool_.remove_beside(entry_, kind); !removed) {
      return removed;
    }
  }
  if (!refused.empty()) {
    std::string lines;
    for (const RefusedRow& row : refused) {
      append_set_aside_line(lines, rows_[row.index], row.reason);
    }
    Status room = check_room(lines.size());
    if (Status kept = room ? spool_.write_beside(entry_, Beside::refused, lines) : std::move(room); !kept) {
      return kept;
    }
    stop_point("notes.refused");
  }
  if (expected.empty()) {
    return {};
  }
  Status noted = spool_.write_beside(entry_, Beside::attempt, encode_attempt(expected));
  stop_point("notes.attempt");
  return noted;
}

void SpoolNotes::not_committed() {
  for (const Beside kind : {Beside::attempt, Beside::refused}) {
    static_cast<void>(spool_.remove_beside(entry_, kind).ok());
  }
}

Result<std::vector<StoredSums>> SpoolNotes::unanswered() {
  const Result<std::optional<std::string>> text = spool_.read_beside(entry_, Beside::attempt);
  if (!text) {
    return text.error();
  }
  return *text ? decode_attempt(**text) : Result<std::vector<StoredSums>>(std::vector<StoredSums>());
}

std::uint64_t SpoolNotes::rows_refused_before() const {
  const Result<std::optional<std::string>> text = spool_.read_beside(entry_, Beside::refused);
  return text && *text ? static_cast<std::uint64_t>(std::count((*text)->begin(), (*text)->end(), '\n')) : 0;
}

Status SpoolNotes::set_aside_as_doubtful() {
  std::string lines;
  for (const CounterRow& row : rows_) {
    append_set_aside_line(
        lines, row, "the answer to the commit got lost, there is no ledger, and others have changed these rows since");
  }
  Status room = check_room(lines.size());
  return room ? spool_.write_beside(entry_, Beside::doubtful, lines) : std::move(room);
}

}  // namespace presence
