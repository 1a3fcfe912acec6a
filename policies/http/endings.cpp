#include "endings.hpp"

namespace http {
namespace {

bool out_of_money(const Reply& reply, const Complaint& complaint) {
    return reply.status == 402 || complaint.code == "insufficient_quota" || complaint.code == "insufficient_balance";
}

// Many reasons of a 403 have nothing to do with the key: a region, a model that the account may not use.
bool is_of_key(const Reply& reply, const Complaint& complaint) {
    return reply.status == 401 ||
           (reply.status == 403 && says_one_of(complaint.code + " " + complaint.message,
                                               {"api key", "api_key", "api-key", "apikey", "[key]"}));
}

std::string refused_key(const Settings& settings, const std::string& status, const Complaint& complaint) {
    const bool named = !settings.key_env.empty() && settings.key_env != "none";
    return settings.provider + " refused the key (" + status + "); put a valid one into the environment variable " +
           (named ? settings.key_env : "named by key_env") + "; " +
           (complaint.message == no_reason ? "" : "the server says: ") + complaint.message;
}

}  // namespace

std::string ending_of(const Settings& settings, const Reply& reply, const Complaint& complaint) {
    const std::string who = settings.provider + "/" + settings.model, status = std::to_string(reply.status);
    if (is_of_key(reply, complaint)) return refused_key(settings, status, complaint);
    if (reply.status == 403)
        return who + ": the server denies access (403): " + complaint.message +
               "; see at the provider what this account may use";
    if (reply.status == 404)
        return who + ": no such model or address (404): " + complaint.message + "; asked at " + settings.address;
    if (out_of_money(reply, complaint))
        return who + ": the account's quota is spent (" + status + "): " + complaint.message;
    return "";
}

}  // namespace http
