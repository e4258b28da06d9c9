#include "stores/memcached/memcached_protocol.h"

#include <gtest/gtest.h>

#include "base/clock.h"

namespace presence {
namespace {

using Kind = MemcachedReply::Kind;

MemcachedConversation whole(MemcachedBatch& batch) {
  std::vector<std::size_t> indexes;
  for (std::size_t i = 0; i < batch.commands().size(); ++i) {
    indexes.push_back(i);
  }
  return {batch, indexes};
}

/// Hands the bytes over in pieces of that size, as a connection does.
Status feed(MemcachedConversation& conversation, std::string_view bytes, std::size_t piece) {
  std::string received;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    received += bytes.substr(at, piece);
    const auto used = conversation.take(received);
    if (!used) {
      return used.error();
    }
    received.erase(0, *used);
  }
  return {};
}

TEST(MemcachedProtocolTest, PutsCommandsIntoWords) {
  MemcachedBatch batch;
  batch.get("a");
  batch.add("b", 4, 60, "text");
  batch.get("c");
  batch.cas("d", 1, 0, "", 77);
  batch.remove("e");
  batch.change("f", 3);
  batch.change("f", -2);
  batch.change_quietly("g", -1);
  batch.set("h", 0, 1, "\r\n");
  EXPECT_EQ(whole(batch).request(),
            "gets a c\r\nadd b 4 60 4\r\ntext\r\ncas d 1 0 0 77\r\n\r\ndelete e\r\nincr f 3\r\ndecr f 2\r\n"
            "decr g 1 noreply\r\nset h 0 1 2\r\n\r\n\r\n");
}

TEST(MemcachedProtocolTest, ReadsRepliesCutAnywhere) {
  const std::string_view bytes =
      "VALUE b 4 5 99\r\nx\r\ny\0\r\nVALUE c 1 0 18446744073709551615\r\n\r\nEND\r\nSTORED\r\nNOT_STORED\r\n"
      "EXISTS\r\nNOT_FOUND\r\nDELETED\r\n12\r\nSERVER_ERROR object too large for cache\r\n";
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    MemcachedBatch batch;
    for (const char* key : {"a", "b", "c", "d"}) {
      batch.get(key);
    }
    batch.set("e", 0, 0, "");
    batch.add("e", 0, 0, "");
    batch.cas("e", 0, 0, "", 1);
    batch.cas("e", 0, 0, "", 1);
    batch.remove("e");
    batch.change("e", 1);
    batch.set("e", 0, 0, "");
    MemcachedConversation conversation = whole(batch);
    // The literal ends at its NUL: put the rest behind it.
    std::string text = "VALUE b 4 5 99\r\nx\r\ny";
    text += '\0';
    text +=
        "\r\nVALUE c 1 0 18446744073709551615\r\n\r\nEND\r\nSTORED\r\nNOT_STORED\r\nEXISTS\r\nNOT_FOUND\r\n"
        "DELETED\r\n12\r\nSERVER_ERROR object too large for cache\r\n";
    const Status status = feed(conversation, text, piece);
    ASSERT_TRUE(status.ok()) << piece;
    EXPECT_TRUE(conversation.complete());
    const std::vector<Kind> kinds{Kind::missing, Kind::value,      Kind::value,   Kind::missing,
                                  Kind::done,    Kind::not_stored, Kind::changed, Kind::missing,
                                  Kind::done,    Kind::number,     Kind::refused};
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      EXPECT_EQ(batch.reply(i).kind, kinds[i]) << i;
    }
    EXPECT_EQ(batch.reply(1).data, std::string("x\r\ny\0", 5));
    EXPECT_EQ(batch.reply(1).flags, 4U);
    EXPECT_EQ(batch.reply(1).cas, 99U);
    EXPECT_EQ(batch.reply(2).cas, UINT64_MAX);
    EXPECT_EQ(batch.reply(9).number, 12U);
    EXPECT_EQ(batch.reply(10).data, "object too large for cache");
  }
}

TEST(MemcachedProtocolTest, TellsTheSameKeyAskedTwice) {
  MemcachedBatch batch;
  batch.get("a");
  batch.get("a");
  MemcachedConversation conversation = whole(batch);
  ASSERT_TRUE(feed(conversation, "VALUE a 0 1 1\r\nx\r\nVALUE a 0 1 1\r\nx\r\nEND\r\n", 100).ok());
  EXPECT_EQ(batch.reply(0).data, "x");
  EXPECT_EQ(batch.reply(1).data, "x");
}

TEST(MemcachedProtocolTest, RefusesWhatNoMemcachedSays) {
  std::string endless(5000, 'x');
  for (const std::string_view bytes :
       {std::string_view("-ERR unknown command\r\n"), std::string_view("HTTP/1.1 400 Bad Request\r\n"),
        std::string_view("VALUE\r\n"), std::string_view("VALUE a\r\n"), std::string_view("VALUE a 0 1\r\n"),
        std::string_view("VALUE b 0 1 1\r\n"), std::string_view("VALUE a 0 -1 1\r\n"),
        std::string_view("VALUE a 0 99999999999999 1\r\n"), std::string_view("VALUE a 0 1 1\r\nxyz"),
        std::string_view("VALUE a 0 1 1 \r\n"), std::string_view("STORED\r\n"), std::string_view("ERROR\r\n"),
        std::string_view("CLIENT_ERROR bad command line format\r\n"), std::string_view("END\r\nmore"),
        std::string_view(endless)}) {
    for (const std::size_t piece : {std::size_t{1}, bytes.size()}) {
      MemcachedBatch batch;
      batch.get("a");
      MemcachedConversation conversation = whole(batch);
      EXPECT_FALSE(feed(conversation, bytes, piece).ok()) << bytes.substr(0, 40);
    }
  }
}

TEST(MemcachedProtocolTest, ARefusedGetRefusesItsKeysOnly) {
  MemcachedBatch batch;
  batch.get("a");
  batch.get("b");
  batch.set("c", 0, 0, "");
  MemcachedConversation conversation = whole(batch);
  ASSERT_TRUE(
      feed(conversation, "VALUE a 0 0 1\r\n\r\nSERVER_ERROR out of memory writing get response\r\nSTORED\r\n", 7).ok());
  EXPECT_EQ(batch.reply(0).kind, Kind::value);
  EXPECT_EQ(batch.reply(1).kind, Kind::refused);
  EXPECT_EQ(batch.reply(2).kind, Kind::done);
}

TEST(MemcachedProtocolTest, ATimeToLiveBeyond30DaysIsADate) {
  EXPECT_EQ(memcached_ttl(60), 60);
  EXPECT_EQ(memcached_ttl(30 * 86400), 30 * 86400);
  const UnixTime before = clock::now();
  const std::int64_t date = memcached_ttl(30 * 86400 + 1);
  EXPECT_GE(date, before + 30 * 86400 + 1);
  EXPECT_LE(date, clock::now() + 30 * 86400 + 1);
}

}  // namespace
}  // namespace presence
