// domain/task_check.hpp: what makes a document a task; behind check_task.
#pragma once
#include "base/json.hpp"

namespace hone {

// Fills role, dtypes, laws, hidden, multiples, tolerance, integers, index and sizes. Throws Error(input) where the tree
// has the wrong form.
void fill_task_defaults(Json& doc);

// Throws Error(input) naming task and field: names, dtypes, laws, shapes and their multiples.
void check_task_fields(const Json& doc);

}  // namespace hone
