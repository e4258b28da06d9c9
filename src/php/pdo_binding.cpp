#include "php/pdo_binding.h"

#include <utility>
#include <vector>

#include "php/pdo_sink.h"

namespace presence::php {
namespace {

/// Stands for a connection that must not be used now: what is counted for its database waits.
class UnusableSink final : public Sink {
 public:
  explicit UnusableSink(const char* why) : why_(why) {}

  Status install() override { return error(); }
  using Sink::write;
  Result<WriteReport> write(const BatchId&, std::span<const CounterRow>, BatchNotes&) override { return error(); }
  Result<std::vector<CounterBucket>> read(const CounterQuery&) override { return error(); }

 private:
  [[nodiscard]] Error error() const { return {ErrorCode::transient, why_}; }

  const char* why_;
};

}  // namespace

Status PdoBinding::change(CounterService& counters, zend_object* now, std::uint32_t epoch) {
  const bool inherited = now != nullptr && now == pdo_;
  epoch_ = epoch;
  if (ended_) {
    return {};
  }
  if (now == nullptr) {
    pdo_ = nullptr;
    counters.use(nullptr);
    holds_object_ = false;
    sink_.reset();
    return {};
  }
  const Result<PdoIdentity> identity = identify_pdo(now);
  if (!identity) {
    return identity.error();
  }
  Result<std::unique_ptr<Sink>> sink =
      inherited ? Result<std::unique_ptr<Sink>>(std::make_unique<UnusableSink>(
                      "the connection in Counters::$db is that of the parent process; open another one after a fork"))
                : open_pdo_sink(now);
  if (!sink) {
    return std::move(sink).error();
  }
  fingerprint_ = identity->fingerprint;
  is_private_ = identity->is_private;
  pdo_ = now;
  bind(counters, std::move(*sink));
  holds_object_ = !inherited;
  return {};
}

void PdoBinding::bind(CounterService& counters, std::unique_ptr<Sink> sink) {
  const OwnSink own{sink.get(), fingerprint_, is_private_};
  counters.use(&own);
  sink_ = std::move(sink);
}

Status PdoBinding::ready_to_write() {
  if (sink_ == nullptr) {
    return {};
  }
  if (holds_object_) {
    return check_no_transaction(pdo_);
  }
  const Result<WriteReport> written = sink_->write({}, {});
  return written ? Status() : Status(written.error());
}

void PdoBinding::end_request(CounterService& counters) {
  ended_ = true;
  if (sink_ != nullptr) {
    bind(counters, std::make_unique<UnusableSink>("the request is over"));
    holds_object_ = false;
  }
}

void PdoBinding::begin_request() {
  ended_ = false;
  pdo_ = nullptr;
  // Still a sink over an object only if the end of the last request broke off: that object is gone, and releasing it
  // again would be worse than losing these few bytes.
  if (holds_object_) {
    static_cast<void>(sink_.release());
  }
  holds_object_ = false;
  sink_.reset();
}

}  // namespace presence::php
