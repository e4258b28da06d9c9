#include "base/sha256.h"

#include <gtest/gtest.h>

namespace presence {
namespace {

// Vectors: NIST, "Secure Hash Standard" example values, and the SHA-256 short message of 448 bits.
TEST(Sha256Test, KnownVectors) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(
      sha256_hex("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
                 "mnopqrstnopqrstu"),
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, PiecesHashLikeTheWhole) {
  // Every length around one and two blocks, where the padding changes shape.
  for (std::size_t length = 0; length <= 130; ++length) {
    const std::string text(length, 'x');
    Sha256 pieces;
    for (std::size_t at = 0; at < length; at += 7) {
      pieces.update(std::string_view(text).substr(at, 7));
    }
    EXPECT_EQ(pieces.finish(), Sha256().update(text).finish()) << length;
  }
}

TEST(Sha256Test, LengthsAroundTheBlockMatchKnownVectors) {
  // Padding in the same block, in the next one, and of a full block.
  EXPECT_EQ(sha256_hex(std::string(55, 'a')), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
  EXPECT_EQ(sha256_hex(std::string(56, 'a')), "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
  EXPECT_EQ(sha256_hex(std::string(64, 'a')), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

TEST(Sha256Test, CutsToTheDigitsAskedFor) {
  EXPECT_EQ(sha256_hex("abc", 32), "ba7816bf8f01cfea414140de5dae2223");
  EXPECT_EQ(sha256_hex("abc", 100).size(), 64U);
}

}  // namespace
}  // namespace presence
