// The scripted server of the unit tests as a program, for clients in other languages: prints its address, then plays
// each script (scripted_server.hpp) that a line of standard input holds and answers with the requests that came since
// the last, as a JSON line.
#include <iostream>
#include "policies/scripted_server.hpp"

int main() {
    hone::test::ScriptedServer server;
    std::cout << server.base_url() << std::endl;
    std::size_t told = 0;
    for (std::string script; std::getline(std::cin, script);) {
        const auto requests = server.requests();
        server.play(script);  // before the line that the client waits for
        std::cout << hone::Json(
                         std::vector<hone::Json>(requests.begin() + static_cast<std::ptrdiff_t>(told), requests.end()))
                  << std::endl;
        told = requests.size();
    }
}
