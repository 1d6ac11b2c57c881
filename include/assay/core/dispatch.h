#pragma once

// Marks a hot loop to be compiled twice, for plain x86-64 and for AVX2 with
// fused multiply-add, the better one chosen when the program starts: one binary
// serves every machine. The level is named, not a processor: "arch=haswell" would be chosen on
// that very Intel chip alone. (Not under sanitizers, whose start-up precedes the choice.)
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(ASSAY_SANITIZED)
#define ASSAY_MULTIVERSION __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define ASSAY_MULTIVERSION
#endif
