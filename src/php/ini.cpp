#include "php/ini.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/dsn.h"

namespace presence::php {
namespace {

using Parsed = Result<void>;

/// One INI entry. `parse` checks the text and puts it into the settings; its error says what the value must be and
/// does not repeat it.
struct Entry {
  const char* name;
  const char* initial;
  std::uint8_t modifiable;
  bool secret;
  Parsed (*parse)(std::string_view text, Settings& settings);
};

Error must_be(std::string what) { return {ErrorCode::invalid_argument, std::move(what)}; }

Result<bool> parse_switch(std::string_view text) {
  for (const std::string_view on : {"1", "on", "yes", "true", "On", "Yes", "True", "ON", "YES", "TRUE"}) {
    if (text == on) {
      return true;
    }
  }
  for (const std::string_view off :
       {"", "0", "off", "no", "false", "none", "Off", "No", "False", "OFF", "NO", "FALSE"}) {
    if (text == off) {
      return false;
    }
  }
  return must_be("1 or 0");
}

/// A whole number; with `suffixes` also one that ends in K, M or G as in other INI entries.
template <class Number>
Result<Number> parse_number(std::string_view text, Number least, Number most, bool suffixes = false) {
  const auto complaint = [&] {
    return must_be("a whole number from " + std::to_string(least) + " to " + std::to_string(most) +
                   (suffixes ? ", which may end in K, M or G" : ""));
  };
  int shift = 0;
  if (suffixes && !text.empty()) {
    switch (text.back()) {
      case 'K':
      case 'k': shift = 10; break;
      case 'M':
      case 'm': shift = 20; break;
      case 'G':
      case 'g': shift = 30; break;
      default: break;
    }
    text.remove_suffix(shift > 0 ? 1 : 0);
  }
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() || number > (most >> shift)) {
    return complaint();
  }
  number = static_cast<Number>(number * (Number{1} << shift));
  return number < least ? Result<Number>(complaint()) : Result<Number>(number);
}

template <class Number>
Parsed store_number(std::string_view text, Number& target, Number least, Number most, bool suffixes = false) {
  Result<Number> number = parse_number<Number>(text, least, most, suffixes);
  if (!number.ok()) {
    return std::move(number).error();
  }
  target = *number;
  return {};
}

Parsed store_path(std::string_view text, std::string& target) {
  if (!text.empty() && text.front() != '/') {
    return must_be("an absolute path, or empty for the default");
  }
  if (text.size() > 1024 || text.find('\0') != std::string_view::npos) {
    return must_be("a path of at most 1024 bytes without NUL");
  }
  target = text;
  return {};
}

Parsed store_dsn(std::string_view text, bool may_be_empty, std::string& target) {
  if (!(may_be_empty && text.empty())) {
    if (Result<Dsn> dsn = parse_dsn(text); !dsn.ok()) {
      return must_be("a valid DSN (" + dsn.error().message + ")");
    }
  }
  target = text;
  return {};
}

template <class Choice, std::size_t size>
Parsed store_choice(std::string_view text, Choice& target,
                    const std::array<std::pair<std::string_view, Choice>, size>& choices) {
  std::string names;
  for (const auto& [name, choice] : choices) {
    if (text == name) {
      target = choice;
      return {};
    }
    names += (names.empty() ? "\"" : " or \"") + std::string(name) + "\"";
  }
  return must_be(std::move(names));
}

constexpr int kYear = 525600;  // In minutes.

// What belongs to the process (memory, files, who writes) is the administrator's; what a site sees of it may differ by
// folder (.user.ini, .htaccess).
constexpr std::uint8_t kSystem = ZEND_INI_SYSTEM;
constexpr std::uint8_t kFolder = ZEND_INI_SYSTEM | ZEND_INI_PERDIR;

constexpr Entry kEntries[] = {
    {"presence.enabled", "1", kFolder, false,
     [](std::string_view text, Settings& settings) -> Parsed {
       Result<bool> enabled = parse_switch(text);
       if (!enabled.ok()) {
         return std::move(enabled).error();
       }
       settings.enabled = *enabled;
       return {};
     }},
    {"presence.segment", "", kSystem, false,
     [](std::string_view text, Settings& settings) { return store_path(text, settings.segment); }},
    {"presence.segment_size", "0", kSystem, false,
     [](std::string_view text, Settings& settings) {
       return store_number(text, settings.segment_size, std::uint64_t{0}, std::uint64_t{1} << 40, true);
     }},
    {"presence.data_dir", "", kSystem, false,
     [](std::string_view text, Settings& settings) { return store_path(text, settings.data_dir); }},
    {"presence.store", "shm:", kFolder, true,
     [](std::string_view text, Settings& settings) { return store_dsn(text, false, settings.store); }},
    {"presence.key", "users:online", kFolder, false,
     [](std::string_view text, Settings& settings) -> Parsed {
       if (text.empty() || text.size() > 200) {
         return must_be("1 to 200 bytes long");
       }
       for (const char c : text) {
         if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7F) {
           return must_be("free of spaces and control characters");
         }
       }
       settings.key = text;
       return {};
     }},
    {"presence.window", "5", kFolder, false,
     [](std::string_view text, Settings& settings) { return store_number(text, settings.window, 1, kYear); }},
    {"presence.retention", "60", kFolder, false,
     [](std::string_view text, Settings& settings) { return store_number(text, settings.retention, 1, kYear); }},
    {"presence.throttle", "", kFolder, false,
     [](std::string_view text, Settings& settings) -> Parsed {
       if (text.empty()) {
         settings.throttle.reset();
         return {};
       }
       int seconds = 0;
       Parsed parsed = store_number(text, seconds, 0, 86400);
       if (parsed.ok()) {
         settings.throttle = seconds;
       }
       return parsed;
     }},
    {"presence.mode", "buffered", kFolder, false,
     [](std::string_view text, Settings& settings) {
       constexpr std::array<std::pair<std::string_view, PresenceMode>, 2> choices{
           {{"buffered", PresenceMode::buffered}, {"direct", PresenceMode::direct}}};
       return store_choice(text, settings.mode, choices);
     }},
    {"presence.timeout", "0.2", kFolder, false,
     [](std::string_view text, Settings& settings) -> Parsed {
       double seconds = 0;
       const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
       if (text.empty() || error != std::errc{} || end != text.data() + text.size() ||
           !(seconds >= 0.001 && seconds <= 60)) {
         return must_be("a number of seconds from 0.001 to 60");
       }
       settings.timeout = seconds;
       return {};
     }},
    {"presence.on_error", "throw", kFolder, false,
     [](std::string_view text, Settings& settings) {
       constexpr std::array<std::pair<std::string_view, OnError>, 2> choices{
           {{"throw", OnError::raise}, {"silent", OnError::silent}}};
       return store_choice(text, settings.on_error, choices);
     }},
    {"presence.sink", "", kFolder, true,
     [](std::string_view text, Settings& settings) { return store_dsn(text, true, settings.sink); }},
    {"presence.flusher", "auto", kSystem, false,
     [](std::string_view text, Settings& settings) {
       // What PHP makes of  presence.flusher = off  in php.ini, without quotes.
       if (text.empty()) {
         text = "off";
       }
       constexpr std::array<std::pair<std::string_view, FlusherMode>, 3> choices{
           {{"auto", FlusherMode::automatic}, {"request", FlusherMode::request}, {"off", FlusherMode::off}}};
       return store_choice(text, settings.flusher, choices);
     }},
    {"presence.spool_max", "256M", kSystem, false,
     [](std::string_view text, Settings& settings) {
       return store_number(text, settings.spool_max, std::uint64_t{65536}, std::uint64_t{1} << 40, true);
     }},
    {"presence.max_series", "8192", kSystem, false,
     [](std::string_view text, Settings& settings) {
       return store_number(text, settings.max_series, std::uint32_t{64}, std::uint32_t{1} << 22, true);
     }},
    {"presence.max_visitors", "65536", kSystem, false,
     [](std::string_view text, Settings& settings) {
       return store_number(text, settings.max_visitors, std::uint32_t{64}, std::uint32_t{1} << 26, true);
     }},
};

/// Checks a value and takes it over. If it is refused, says why in `message`, which is plain memory since the caller
/// may bail out while it reports that.
bool take_over(const Entry& entry, std::string_view text, std::span<char> message) noexcept {
  try {
    Settings changed = *PRESENCE_G(settings);
    if (const Parsed parsed = entry.parse(text, changed); !parsed.ok()) {
      snprintf(message.data(), message.size(), "%s must be %s", entry.name, parsed.error().message.c_str());
      return false;
    }
    *PRESENCE_G(settings) = std::move(changed);
    return true;
  } catch (...) {
    snprintf(message.data(), message.size(), "%s could not be read: the system is out of memory", entry.name);
    return false;
  }
}

int on_change(zend_ini_entry*, zend_string* value, void* entry_arg, void*, void*, int) {
  const Entry& entry = *static_cast<const Entry*>(entry_arg);
  const std::string_view text = value != nullptr ? std::string_view{ZSTR_VAL(value), ZSTR_LEN(value)} : "";
  char message[512];
  if (!take_over(entry, text, message)) {
    zend_error(E_WARNING, "%s; the value is ignored", message);
    return FAILURE;
  }
  PRESENCE_G(enabled) = PRESENCE_G(settings)->enabled;
  ++PRESENCE_G(settings_revision);
  return SUCCESS;
}

/// What people may see of a DSN, as a string of Zend's.
zend_string* redacted(const zend_string* value) noexcept {
  if (value == nullptr || ZSTR_LEN(value) == 0) {
    return ZSTR_EMPTY_ALLOC();
  }
  char shown[512] = "***";
  try {
    if (const Result<Dsn> dsn = parse_dsn({ZSTR_VAL(value), ZSTR_LEN(value)}); dsn.ok()) {
      snprintf(shown, sizeof shown, "%s", dsn->redacted().c_str());
    }
  } catch (...) {
  }
  return zend_string_init(shown, strlen(shown), false);
}

void display_dsn(zend_ini_entry* entry, int type) {
  const bool original = type == ZEND_INI_DISPLAY_ORIG && entry->modified != 0;
  zend_string* shown = redacted(original ? entry->orig_value : entry->value);
  if (ZSTR_LEN(shown) == 0) {
    php_printf(sapi_module.phpinfo_as_text != 0 ? "no value" : "<i>no value</i>");
  } else if (sapi_module.phpinfo_as_text != 0) {
    php_printf("%s", ZSTR_VAL(shown));
  } else {
    zend_html_puts(ZSTR_VAL(shown), ZSTR_LEN(shown));
  }
  zend_string_release(shown);
}

constexpr std::size_t kEntryCount = sizeof kEntries / sizeof kEntries[0];

constexpr std::array<zend_ini_entry_def, kEntryCount + 1> definitions() {
  std::array<zend_ini_entry_def, kEntryCount + 1> result{};  // The last one stays empty and marks the end.
  for (std::size_t i = 0; i < kEntryCount; ++i) {
    const Entry& entry = kEntries[i];
    zend_ini_entry_def& definition = result[i];
    definition.name = entry.name;
    definition.name_length = static_cast<std::uint16_t>(std::string_view(entry.name).size());
    definition.value = entry.initial;
    definition.value_length = static_cast<std::uint32_t>(std::string_view(entry.initial).size());
    definition.on_modify = on_change;
    definition.mh_arg1 = const_cast<Entry*>(&entry);
    definition.displayer = entry.secret ? display_dsn : nullptr;
    definition.modifiable = entry.modifiable;
  }
  return result;
}

constexpr auto kDefinitions = definitions();

}  // namespace

void register_ini(int module_number) { zend_register_ini_entries(kDefinitions.data(), module_number); }

void unregister_ini(int module_number) { zend_unregister_ini_entries(module_number); }

void print_ini(zend_module_entry* module) { display_ini_entries(module); }

}  // namespace presence::php
