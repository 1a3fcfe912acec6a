#include "store/record_text.hpp"
#include "base/json_text.hpp"
#include "store/journal_state.hpp"

namespace hone {

Json parse_record(const std::string& text, const std::string& folder) {
    return parse_json(text, "a record of " + journal_file(folder).string(),
                      "the file is damaged or was edited: begin another run with --new");
}

}  // namespace hone
