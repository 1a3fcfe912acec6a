// policy.http and the certificate of a server.
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <thread>
#include "base/paths.hpp"
#include "http_fixture.hpp"

namespace hone {
namespace {

namespace asio = boost::asio;
namespace ssl = asio::ssl;
using asio::ip::tcp;
using test::HttpPolicy, test::PolicyPart;

struct Identity {  // for 127.0.0.1, signed by nobody else
    std::string key, certificate;
};

std::string text_of(BIO* bio) {
    char* at = nullptr;
    const long n = BIO_get_mem_data(bio, &at);
    const std::string text(at, static_cast<std::size_t>(n));
    BIO_free(bio);
    return text;
}

Identity make_identity() {
    EVP_PKEY* const key = EVP_EC_gen("P-256");
    X509* const certificate = X509_new();
    X509_set_version(certificate, 2);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME* const name = X509_get_subject_name(certificate);
    const unsigned char host[] = "127.0.0.1";
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, host, -1, -1, 0);
    X509_set_issuer_name(certificate, name);
    X509_EXTENSION* const address = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "IP:127.0.0.1");
    X509_add_ext(certificate, address, -1);
    X509_sign(certificate, key, EVP_sha256());
    BIO *const key_text = BIO_new(BIO_s_mem()), *const certificate_text = BIO_new(BIO_s_mem());
    PEM_write_bio_PrivateKey(key_text, key, nullptr, nullptr, 0, nullptr, nullptr);
    PEM_write_bio_X509(certificate_text, certificate);
    const Identity identity{text_of(key_text), text_of(certificate_text)};
    X509_EXTENSION_free(address);
    X509_free(certificate);
    EVP_PKEY_free(key);
    return identity;
}

class TlsServer {  // answers each request with the same completion
public:
    explicit TlsServer(const Identity& identity) {
        context_.use_certificate_chain(asio::buffer(identity.certificate));
        context_.use_private_key(asio::buffer(identity.key), ssl::context::pem);
        serving_ = std::thread([this] { serve(); });
    }
    TlsServer(const TlsServer&) = delete;
    ~TlsServer() {
        ending_ = true;
        tcp::socket knock(io_);  // wakes accept
        boost::system::error_code e;
        knock.connect(acceptor_.local_endpoint(), e);
        serving_.join();
    }
    std::string base_url() const {
        return "https://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()) + "/v1";
    }
    int requests() const { return requests_; }

private:
    void serve() {
        while (!ending_) {
            tcp::socket socket(io_);
            boost::system::error_code e;
            acceptor_.accept(socket, e);
            ssl::stream<tcp::socket> stream(std::move(socket), context_);
            if (!ending_ && !stream.handshake(ssl::stream_base::server, e)) answer(stream);
        }
    }
    void answer(ssl::stream<tcp::socket>& stream) {
        namespace beast_http = boost::beast::http;
        boost::beast::flat_buffer buffer;
        beast_http::request<beast_http::string_body> request;
        boost::system::error_code e;
        beast_http::read(stream, buffer, request, e);
        if (e) return;
        ++requests_;
        beast_http::response<beast_http::string_body> response(beast_http::status::ok, 11);
        response.body() = test::completion("by TLS").dump();
        response.keep_alive(false);
        response.prepare_payload();
        beast_http::write(stream, response, e);
    }

    asio::io_context io_;
    ssl::context context_{ssl::context::tls_server};
    tcp::acceptor acceptor_{io_, {asio::ip::make_address("127.0.0.1"), 0}};
    std::atomic<bool> ending_ = false;
    std::atomic<int> requests_ = 0;
    std::thread serving_;
};

TEST_F(HttpPolicy, AServerWithAnotherCertificateGetsNothing) {
    const Identity identity = make_identity(), another = make_identity();
    const TlsServer server(identity);
    const auto told = [&](const std::string& ca_file) -> std::string {
        PolicyPart part("http", {{"model", "openai/gpt-test"}, {"base_url", server.base_url()}, {"ca_file", ca_file}});
        try {
            return part.ask({.messages = {{"user", "q"}}}).text;
        } catch (const std::runtime_error& e) {
            return e.what();
        }
    };
    const std::string begin = "openai/gpt-test: the server at " + server.base_url() + " is not trusted: ",
                      end =
                          "; if it is yours, put the certificate of its authority into a file and name that as "
                          "ca_file";
    EXPECT_EQ(told(""), begin + "SSL certificate problem: self-signed certificate" + end);
    const std::string trusted = folder() + "/trusted.pem", wrong = folder() + "/wrong.pem";
    write_file(wrong, another.certificate);
    write_file(trusted, identity.certificate);
    EXPECT_EQ(told(wrong), begin + "SSL certificate problem: self-signed certificate" + end);
    EXPECT_EQ(server.requests(), 0);
    EXPECT_EQ(told(trusted), "by TLS");
    EXPECT_EQ(server.requests(), 1);
}

}  // namespace
}  // namespace hone
