#include "flusher/spool.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "counters/row_hash.h"
#include "flusher/batch_format.h"
#include "unit/temp_folder.h"

namespace presence {
namespace {

const std::string kSource(32, 'a');
const std::string kOtherSource(32, 'b');
const std::string kTarget(32, '1');
const std::string kOtherTarget(32, '2');

CounterRow row(std::string name, std::optional<std::string> argument, double total) {
  CounterRow made;
  made.name = std::move(name);
  made.argument = std::move(argument);
  made.slot = 1'700'000'040;
  made.hash = row_hash(made.name, made.argument, made.slot);
  made.sums = {total, -1.5, total, 3};
  return made;
}

const std::vector<CounterRow> kRows = {row("a", std::nullopt, 0.1), row("b", "", 1e300),
                                       row("ü", std::string("x\0y", 3), 5)};

class SpoolTest : public testing::Test {
 protected:
  Spool open() {
    Result<Spool> spool = Spool::open(folder_.file("data"));
    EXPECT_TRUE(spool.ok());
    return std::move(*spool);
  }

  TempFolder folder_;
};

TEST_F(SpoolTest, GivesBackWhatWasPut) {
  const Spool spool = open();
  const SpoolEntry entry{{kSource, 7}, kTarget};
  ASSERT_TRUE(spool.put(entry, kRows).ok());
  const Result<std::vector<CounterRow>> rows = spool.load(entry);
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  ASSERT_EQ(rows->size(), kRows.size());
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    EXPECT_EQ((*rows)[i].name, kRows[i].name);
    EXPECT_EQ((*rows)[i].argument, kRows[i].argument);
    EXPECT_EQ((*rows)[i].slot, kRows[i].slot);
    EXPECT_EQ((*rows)[i].hash, kRows[i].hash);
    EXPECT_EQ((*rows)[i].sums.total, kRows[i].sums.total);
    EXPECT_EQ((*rows)[i].sums.minimum, kRows[i].sums.minimum);
    EXPECT_EQ((*rows)[i].sums.maximum, kRows[i].sums.maximum);
    EXPECT_EQ((*rows)[i].sums.count, kRows[i].sums.count);
  }
}

TEST_F(SpoolTest, PutTwiceKeepsTheFirst) {
  const Spool spool = open();
  const SpoolEntry entry{{kSource, 7}, kTarget};
  ASSERT_TRUE(spool.put(entry, kRows).ok());
  ASSERT_TRUE(spool.put(entry, {}).ok());
  EXPECT_EQ(spool.load(entry)->size(), kRows.size());
}

TEST_F(SpoolTest, ListsByTargetAndSourceWithGrowingNumbersAndNothingElse) {
  const Spool spool = open();
  for (const std::uint64_t number : {300U, 5U, 0x10U}) {
    ASSERT_TRUE(spool.put({{kSource, number}, kTarget}, kRows).ok());
  }
  ASSERT_TRUE(spool.put({{kOtherSource, 1}, kOtherTarget}, kRows).ok());
  std::ofstream(spool.folder() + "/unfinished-" + kSource) << "half";
  std::ofstream(spool.folder() + "/notes.batch") << "not ours";
  const Result<std::vector<SpoolEntry>> entries = spool.list();
  ASSERT_TRUE(entries.ok());
  ASSERT_EQ(entries->size(), 4U);
  EXPECT_EQ((*entries)[0].id.number, 5U);
  EXPECT_EQ((*entries)[1].id.number, 0x10U);
  EXPECT_EQ((*entries)[2].id.number, 300U);
  EXPECT_EQ((*entries)[3].fingerprint, kOtherTarget);
}

TEST_F(SpoolTest, RemovedIsGone) {
  const Spool spool = open();
  const SpoolEntry entry{{kSource, 7}, kTarget};
  ASSERT_TRUE(spool.put(entry, kRows).ok());
  ASSERT_TRUE(spool.remove(entry).ok());
  EXPECT_TRUE(spool.remove(entry).ok()) << "twice is fine";
  EXPECT_TRUE(spool.list()->empty());
}

TEST_F(SpoolTest, SetAsideIsKeptWithItsReasonAndNotListed) {
  const Spool spool = open();
  const SpoolEntry entry{{kSource, 7}, kTarget};
  ASSERT_TRUE(spool.put(entry, kRows).ok());
  ASSERT_TRUE(spool.set_aside(entry, "refused").ok());
  EXPECT_TRUE(spool.list()->empty());
  int kept = 0;
  for (const auto& file : std::filesystem::directory_iterator(spool.folder() + "/set-aside")) {
    ++kept;
    EXPECT_GT(file.file_size(), 0U);
  }
  EXPECT_EQ(kept, 2);
}

TEST_F(SpoolTest, AnyDamageIsNoticed) {
  const std::string bytes = encode_batch(kRows);
  ASSERT_TRUE(decode_batch(bytes).ok());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_FALSE(decode_batch(damaged).ok()) << at;
    EXPECT_FALSE(decode_batch(bytes.substr(0, at)).ok()) << at;
  }
}

TEST_F(SpoolTest, OnlyOneMaySend) {
  const Spool spool = open();
  std::optional<UniqueFd> first = spool.lock_for_sending();
  EXPECT_TRUE(first.has_value());
  EXPECT_FALSE(spool.lock_for_sending().has_value());
  first.reset();
  EXPECT_TRUE(spool.lock_for_sending().has_value());
}

TEST_F(SpoolTest, AFolderThatOthersMayWriteToIsRefused) {
  ASSERT_EQ(mkdir(folder_.file("open").c_str(), 0700), 0);
  ASSERT_EQ(chmod(folder_.file("open").c_str(), 0777), 0);
  EXPECT_FALSE(Spool::open(folder_.file("open")).ok());
  ASSERT_EQ(symlink("/tmp", folder_.file("link").c_str()), 0);
  EXPECT_FALSE(Spool::open(folder_.file("link")).ok());
  EXPECT_FALSE(Spool::open(folder_.file("none/data")).ok());
}

}  // namespace
}  // namespace presence
