// hone/record.hpp: a record that a service of the host fills (hone_out), for parts that read what it told.
#pragma once
#include <cmath>
#include <map>
#include <string>
#include "hone/plugin.hpp"

namespace hone {

class Record {
public:
    Record() : out_{this, put_number, put_text} {}
    Record(const Record&) = delete;
    hone_out* out() { return &out_; }
    double num(const std::string& key) const { return numbers_.contains(key) ? numbers_.at(key) : NAN; }  // NaN: absent
    const std::string& text(const std::string& key) { return texts_[key]; }  // empty: absent

private:
    static void put_number(void* self, const char* key, double value) {
        static_cast<Record*>(self)->numbers_[key] = value;
    }
    static void put_text(void* self, const char* key, hone_text value) {
        static_cast<Record*>(self)->texts_[key] = hone::text(value);
    }
    hone_out out_;
    std::map<std::string, double> numbers_;
    std::map<std::string, std::string> texts_;
};

}  // namespace hone
