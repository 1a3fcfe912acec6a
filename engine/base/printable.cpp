#include "base/printable.hpp"
#include <utf8proc.h>
#include <algorithm>

namespace hone {
namespace {

constexpr const char* replacement = "\xef\xbf\xbd";  // U+FFFD

bool is_shown(utf8proc_int32_t character) {
    if (character == '\n' || character == '\t') return true;
    switch (utf8proc_category(character)) {
        case UTF8PROC_CATEGORY_CC:
        case UTF8PROC_CATEGORY_CF:
        case UTF8PROC_CATEGORY_ZL:
        case UTF8PROC_CATEGORY_ZP:
            return false;
        default:
            return true;
    }
}

}  // namespace

std::string printable(std::string_view text) {
    std::string shown;
    shown.reserve(text.size());
    while (!text.empty()) {
        utf8proc_int32_t character = 0;
        const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
        const utf8proc_ssize_t read = utf8proc_iterate(at, static_cast<utf8proc_ssize_t>(text.size()), &character);
        // of what is no UTF-8, one byte
        const auto length = static_cast<std::size_t>(std::max<utf8proc_ssize_t>(read, 1));
        if (read > 0 && is_shown(character)) shown.append(text.substr(0, length));
        else if (!text.starts_with("\r\n")) shown.append(replacement);
        text.remove_prefix(length);
    }
    return shown;
}

std::string shortened(std::string_view text) {
    constexpr std::size_t most = 1000, shown = 100;
    std::string all;
    while (!text.empty()) {
        const std::size_t blanks = std::min(text.find_first_not_of(" \n"), text.size()),
                          end = std::min(text.find_first_of(" \n", blanks), text.size()), size = end - blanks;
        std::size_t cut = blanks + (size > most ? shown : size);
        while (size > most && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80) --cut;  // within a character
        all.append(text.substr(0, cut));
        if (size > most) all += "... (" + std::to_string(size) + " bytes)";
        text.remove_prefix(end);
    }
    return all;
}

Json printable_document(const Json& doc) {
    if (doc.is_string()) return printable(doc.get_ref<const std::string&>());
    if (!doc.is_structured()) return doc;
    Json shown = doc.is_array() ? Json::array() : Json::object();
    for (const auto& [key, value] : doc.items())
        if (doc.is_array()) shown.push_back(printable_document(value));
        else shown[printable(key)] = printable_document(value);
    return shown;
}

bool is_utf8(std::string_view text) {
    try {
        (void)Json(text).dump();
        return true;
    } catch (const Json::type_error&) {
        return false;
    }
}

std::string valid_utf8(std::string text) {
    if (is_utf8(text)) return text;
    return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

std::string listed(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
    return text;
}

std::string document_text(const Json& doc) { return doc.dump(2, ' ', true, Json::error_handler_t::replace) + "\n"; }

}  // namespace hone
