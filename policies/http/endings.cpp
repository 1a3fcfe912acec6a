#include "endings.hpp"
#include "key.hpp"

namespace http {
namespace {

// Anthropic says so with a 400.
bool out_of_money(const Reply& reply, const Complaint& complaint) {
    return reply.status == 402 || complaint.code == "insufficient_quota" || complaint.code == "insufficient_balance" ||
           (reply.status == 400 && says_one_of(complaint.message, {"credit balance is too low"}));
}

// Many reasons of a 403 have nothing to do with the key: a region, a model that the account may not use. Gemini calls a
// key wrong with a 400, which says of other things too that they are wrong.
bool is_of_key(const Reply& reply, const Complaint& complaint) {
    const std::string said = complaint.code + " " + complaint.message;
    return reply.status == 401 ||
           (reply.status == 403 && says_one_of(said, {"api key", "api_key", "api-key", "apikey", "[key]"})) ||
           (reply.status == 400 && says_one_of(said, {"api key not valid", "invalid api key", "api key expired"}));
}

std::string why_no_key(const Settings& settings) {
    if (settings.key_env.empty()) return "key_env names no environment variable; name there the one that holds the key";
    if (settings.key_env == "none")
        return "key_env is \"none\"; name there the environment variable that holds the key";
    return "the environment variable " + settings.key_env + " is not set; put the key there";
}

std::string refused_key(const Settings& settings, const std::string& status, const Complaint& complaint) {
    return settings.provider +
           (settings.key.empty()
                ? " wants a key (" + status + "), and none was sent, because " + why_no_key(settings)
                : " refused the key (" + status + "); put a valid one into " + place_of_key(settings)) +
           "; " + (complaint.message == no_reason ? "" : "the server says: ") + complaint.message;
}

}  // namespace

std::string ending_of(const Settings& settings, const Reply& reply, const Complaint& complaint) {
    const std::string who = settings.provider + "/" + settings.model, status = std::to_string(reply.status);
    if (is_of_key(reply, complaint)) return refused_key(settings, status, complaint);
    if (reply.status == 403)
        return who + ": the server denies access (403): " + complaint.message +
               "; see at the provider what this account may use";
    if (reply.status == 404)
        return who + ": no such model or address (404): " + complaint.message + "; asked at " +
               settings.address.shown();
    if (out_of_money(reply, complaint))
        return who + ": the account's quota is spent (" + status + "): " + complaint.message;
    return "";
}

std::string untrusted_text(const Settings& settings, const Reply& reply) {
    return settings.provider + "/" + settings.model + ": the server at " + settings.address.shown() +
           " is not trusted: " + reply.error +
           "; if it is yours, put the certificate of its authority into a file and name that as ca_file";
}

}  // namespace http
