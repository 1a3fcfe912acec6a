// files.hpp: whole files, with errors that name the path and the cure.
#pragma once
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace hone::lm {

std::string read_file(const std::string& path);     // throws Refused
nlohmann::json read_json(const std::string& path);  // throws Refused; an object
// Throws Failed; on the disk when it returns.
void write_file(const std::string& path, std::string_view bytes);
void write_file(const std::string& path, std::span<const std::string_view> parts);  // one behind the other
bool file_exists(const std::string& path);

}  // namespace hone::lm
