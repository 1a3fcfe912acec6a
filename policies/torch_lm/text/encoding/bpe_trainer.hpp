// bpe_trainer.hpp: finds the merges of a byte-level vocabulary: the most frequent pair first, ties to the smaller ids,
// as the tokenizers library does (the same corpus gives the same merges).
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>
#include "torch_lm/text/encoding/bpe.hpp"

namespace hone::lm {

struct TrainedBpe {
    // by id: special tokens, the 256 bytes in the alphabet's order, then one token a merge
    std::vector<std::string> tokens;
    Merges merges;
};

// pieces: how often each pre-tokenized piece (bytes) occurs. Stops at vocabulary_size tokens or when no pair occurs
// twice.
TrainedBpe train_bpe(const std::map<std::string, std::int64_t>& pieces, const std::vector<std::string>& special,
                     std::size_t vocabulary_size);

}  // namespace hone::lm
