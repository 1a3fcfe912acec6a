// policies/bigram/table.hpp: the model: one row of logits for each context (prompt, position in the answer, token
// before). A row that was never learnt is absent and counts as zeros, which is exactly what a dense table would hold.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace bigram {

struct Row {
    std::vector<float> logits, first, second;
};  // first, second: Adam's moments
using Gradient = std::map<std::uint64_t, std::vector<double>>;

// Row names along a sequence: for each position the context of the token there, or nothing where no token is predicted
// (prompt ids).
class Contexts {
public:
    explicit Contexts(int positions) : positions_(positions) {}
    std::uint64_t next() const;  // the context of the next token
    void push(std::int32_t id);

private:
    int positions_;
    std::uint64_t prompt_ = 0, before_ = 0xffff;
    int at_ = 0;
};

// Log-probabilities of softmax(logits / temperature); all zeros where the row is absent.
std::vector<double> log_softmax(const std::vector<float>* logits, std::size_t size, double temperature);
double entropy_of(const std::vector<double>& logp);

struct Update {
    double lr, weight_decay;
    bool adam;
};

class Table {
public:
    const std::vector<float>* logits(std::uint64_t context) const;
    // Ascends along the gradient: plain steps, or AdamW (Loshchilov and Hutter, 2019).
    void ascend(const Gradient&, const Update&, std::size_t size);
    std::map<std::uint64_t, Row>& rows() { return rows_; }
    const std::map<std::uint64_t, Row>& rows() const { return rows_; }
    std::uint64_t steps = 0;  // updates applied

private:
    std::map<std::uint64_t, Row> rows_;
};

}  // namespace bigram
