// What the strategy bitmap has the server do in one step.
#pragma once

#include <string_view>

namespace presence::bitmap_scripts {

/// How many ids two blocks hold. KEYS: a bitmap that exists only while the script runs and is not told to replicas, and
/// the two blocks.
inline constexpr std::string_view kCount =
    "redis.set_repl(redis.REPL_NONE) redis.call('BITOP','OR',KEYS[1],KEYS[2],KEYS[3]) "
    "local n=redis.call('BITCOUNT',KEYS[1]) redis.call('UNLINK',KEYS[1]) return n";

/// The same for blocks in chunks. KEYS: the bitmap to make, and the sets of the chunks' numbers. ARGV: what the keys of
/// the two blocks' chunks begin with. The chunks' keys follow from the sets, so they are not among KEYS; they have the
/// same hash tag.
inline constexpr std::string_view kCountChunks =
    "redis.set_repl(redis.REPL_NONE) local n=0 "
    "for _,c in ipairs(redis.call('SUNION',KEYS[2],KEYS[3])) do "
    "redis.call('BITOP','OR',KEYS[1],ARGV[1]..c,ARGV[2]..c) n=n+redis.call('BITCOUNT',KEYS[1]) end "
    "redis.call('UNLINK',KEYS[1]) return n";

/// All bits of two blocks in chunks: number, bits, bits, number, … KEYS: the sets of the chunks' numbers. ARGV as
/// above.
inline constexpr std::string_view kReadChunks =
    "local r={} for _,c in ipairs(redis.call('SUNION',KEYS[1],KEYS[2])) do "
    "r[#r+1]=c r[#r+1]=redis.call('GET',ARGV[1]..c) or '' r[#r+1]=redis.call('GET',ARGV[2]..c) or '' end return r";

/// Clears bits where they are set: SETBIT alone would make the bitmap, without an expiry. KEYS: the bitmaps. ARGV: the
/// bits.
inline constexpr std::string_view kForget =
    "for _,k in ipairs(KEYS) do for _,b in ipairs(ARGV) do "
    "if redis.call('GETBIT',k,b)==1 then redis.call('SETBIT',k,b,0) end end end";

/// Moves a bit where it is set. KEYS: the two blocks' bitmaps that hold it, the newer first, the two that take it, who
/// was forgotten, and (chunked) the sets of the chunks' numbers of the two. ARGV: the bit, the other bit, its visitor,
/// the seconds that a bitmap lives, and (chunked) the number of the other's chunk. A bitmap made by it ends when the
/// one does that the bit came from. Who was forgotten and returns under the old name is seen now.
inline constexpr std::string_view kReplace =
    "local found=false for i=1,2 do local f,t=KEYS[i],KEYS[i+2] if redis.call('GETBIT',f,ARGV[1])==1 then found=true "
    "redis.call('SETBIT',f,ARGV[1],0) redis.call('SETBIT',t,ARGV[2],1) "
    "if redis.call('TTL',t)<0 then redis.call('EXPIRE',t,math.max(1,redis.call('TTL',f))) end "
    "if KEYS[i+5] then redis.call('SADD',KEYS[i+5],ARGV[5]) end end end "
    "if found and redis.call('ZSCORE',KEYS[5],ARGV[3]) then "
    "redis.call('SETBIT',KEYS[3],ARGV[2],1) redis.call('EXPIRE',KEYS[3],ARGV[4]) "
    "if KEYS[6] then redis.call('SADD',KEYS[6],ARGV[5]) redis.call('EXPIRE',KEYS[6],ARGV[4]) end end";

}  // namespace presence::bitmap_scripts
