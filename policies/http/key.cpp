#include "key.hpp"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include "http/provider/config_file.hpp"
#include "settings.hpp"

namespace http {
namespace {

constexpr std::size_t most_key = 16384;  // bytes; a key has some hundred

// A key out of a file or a secret store often ends with a newline. Within the key such a character would break the
// header that it travels in.
std::string bare(std::string key, const std::string& place) {
    key.erase(0, std::min(key.find_first_not_of(" \t\r\n"), key.size()));
    key.erase(key.find_last_not_of(" \t\r\n") + 1);
    for (const char c : key)
        if (static_cast<unsigned char>(c) < ' ' || c == 0x7f)
            throw hone::Refused(place +
                                " holds a newline or another control character within the key; put the key there "
                                "alone, on one line");
    for (const char c : key)
        if (c == ' ' || static_cast<unsigned char>(c) > 0x7f)
            throw hone::Refused(place +
                                " holds a blank or a letter beyond ASCII within the key; put the key there alone");
    return key;
}

// What is checked is what is read: the open file, not its name.
std::string read_file(const std::string& name) {
    if (name.find('/') == std::string::npos)  // perhaps the key itself, which must not be shown
        throw hone::Refused(
            "key_file: no path with a /, such as ~/.keys/openai, or ./key for one of this folder; put the key into a "
            "file and name that");
    const std::string place = "key_file " + name;
    const int file = open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) throw hone::Refused(place + ": " + std::strerror(errno) + "; put the key there, alone, on one line");
    struct stat about {};
    std::string text(most_key + 1, '\0');
    const bool regular = fstat(file, &about) == 0 && S_ISREG(about.st_mode);
    const ssize_t got = regular ? read(file, text.data(), text.size()) : -1;
    close(file);
    if (got < 0) throw hone::Refused(place + ": is no file that can be read");
    if (about.st_mode & (S_IRWXG | S_IRWXO))
        throw hone::Refused(place + ": others may read it; write: chmod 600 " + name);
    text.resize(static_cast<std::size_t>(got));
    if (text.size() > most_key) throw hone::Refused(place + ": is longer than a key; put the key there, alone");
    return bare(std::move(text), place);
}

std::string no_key(const Settings& settings) {
    if (!settings.key_file.empty()) return "key_file " + settings.key_file + ": holds no key for " + settings.provider;
    if (settings.key_env.empty())
        return "provider " + settings.provider +
               ": which environment variable holds its key? Say key_env in hone.toml or as an option (\"none\": send "
               "no key)";
    return "environment variable " + settings.key_env + " is not set: it must hold the key for " + settings.provider;
}

}  // namespace

void read_key(Settings& settings) {
    if (settings.key_file.empty() && settings.key_env == "none") return;
    settings.key = settings.key_file.empty()
                       ? bare(variable(settings.key_env), "environment variable " + settings.key_env)
                       : read_file(settings.key_file);
    const bool here = settings.address.is_on_this_machine();
    if (settings.key.empty() && (!here || !settings.key_file.empty())) throw hone::Refused(no_key(settings));
    if (!settings.key.empty() && !here && !settings.address.is_encrypted())
        throw hone::Refused(
            settings.address.shown() + ": the key in " +
            (settings.key_file.empty()
                 ? settings.key_env + " would travel in the clear; use https://, or key_env = \"none\""
                 : settings.key_file + " would travel in the clear; use https://, or leave key_file out"));
}

// Candidates' environment lacks variables with these endings, and those that hone.toml names (base/secrets.hpp). A key
// that was put where the name of its variable belongs must not be shown.
void check_key_env(const std::string& name, bool of_config) {
    if (name.empty()) return;
    const auto wrong = [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '_'; };
    if (std::isdigit(static_cast<unsigned char>(name[0])) || std::any_of(name.begin(), name.end(), wrong))
        throw hone::Refused(
            "key_env: no name of an environment variable (letters, digits and _); put the key into a variable and name "
            "that here");
    if (of_config || name == "none") return;
    for (const char* end : {"_KEY", "_TOKEN", "_SECRET"})
        if (name.ends_with(end)) return;
    throw hone::Refused("option key_env: candidates could read " + name +
                        ": name it in hone.toml, or end its name with _KEY, _TOKEN or _SECRET");
}

std::string place_of_key(const Settings& settings) {
    return settings.key_file.empty() ? "the environment variable " + settings.key_env : "the file " + settings.key_file;
}

}  // namespace http
