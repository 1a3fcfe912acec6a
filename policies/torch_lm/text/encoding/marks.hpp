// marks.hpp: which writer each byte of a text comes from, kept while the text is cut and rewritten.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace hone::lm {

struct Mark {
    std::size_t end;  // of a stretch of the text, in bytes; it begins where the one before it ends
    std::int32_t source;
    bool specials;  // special tokens may be recognised in it
};

// The stretches of one text, in order, without gaps, none of them empty; the last ends with the text.
class Marks {
public:
    void add(std::size_t length, std::int32_t source, bool specials) {
        if (length) marks_.push_back({size() + length, source, specials});
    }
    std::size_t size() const { return marks_.empty() ? 0 : marks_.back().end; }
    const Mark& at(std::size_t byte) const { return *covering(byte); }  // byte < size()
    // Of every stretch that has a byte in [begin, end): all, any of them with specials.
    bool all_special(std::size_t begin, std::size_t end) const {
        return std::all_of(covering(begin), covering(end - 1) + 1, is_special);
    }
    bool any_special(std::size_t begin, std::size_t end) const {
        return std::any_of(covering(begin), covering(end - 1) + 1, is_special);
    }
    // Of the text's part [begin, end). `length_until`, where the part was rewritten: how long what comes before a byte
    // of the part has become.
    Marks slice(std::size_t begin, std::size_t end) const {
        return slice(begin, end, [](std::size_t byte) { return byte; });
    }
    template <class Length> Marks slice(std::size_t begin, std::size_t end, Length&& length_until) const {
        Marks part;
        for (auto mark = begin < end ? covering(begin) : marks_.end(); mark != marks_.end(); ++mark) {
            const std::size_t until = std::max(part.size(), length_until(std::min(mark->end, end) - begin));
            part.add(until - part.size(), mark->source, mark->specials);
            if (mark->end >= end) break;
        }
        return part;
    }

private:
    static bool is_special(const Mark& mark) { return mark.specials; }
    std::vector<Mark>::const_iterator covering(std::size_t byte) const {
        return std::upper_bound(marks_.begin(), marks_.end(), byte,
                                [](std::size_t at, const Mark& mark) { return at < mark.end; });
    }
    std::vector<Mark> marks_;
};

// A text and who wrote it. The bytes are not owned.
struct Marked {
    std::string_view bytes;
    Marks marks;
    bool at_start = true;  // it begins where the whole text begins
    Marked slice(std::size_t begin, std::size_t end) const {
        return {bytes.substr(begin, end - begin), marks.slice(begin, end), at_start && begin == 0};
    }
};

}  // namespace hone::lm
