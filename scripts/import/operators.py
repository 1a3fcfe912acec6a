"""What becomes of an operator of the graph. Most stay as they are, torch.NAME; here are the others."""
import torch
from refusals import refuse

# Checks and marks without effect on numbers.
DROPPED = {"_assert_tensor_metadata", "_assert_scalar", "_assert_async", "sym_constrain_range_for_size", "sym_constrain_range"}
# The result is the first argument. Of dropout: a task leaves it out (modules.Dropout).
SAME = {"detach", "alias", "lift_fresh", "lift_fresh_copy", "clone", "dropout", "feature_dropout", "alpha_dropout",
        "feature_alpha_dropout"}
# Forms that references are not offered, by one of the same result that they are.
RENAMED = {"view": "reshape", "_unsafe_view": "reshape", "_softmax": "softmax", "_log_softmax": "log_softmax", "_to_copy": "to",
           "__and__": "bitwise_and", "__or__": "bitwise_or", "__xor__": "bitwise_xor",
           "__iand__": "bitwise_and", "__ior__": "bitwise_or", "__ixor__": "bitwise_xor"}
# They draw only if their dropout is asked for, and that is left out.
DRAW_IF_ASKED = {"scaled_dot_product_attention", "lstm", "gru", "rnn_tanh", "rnn_relu"}
# Make tensors of no other tensor: without a dtype they would be float32 in every precision.
MAKERS = {"zeros", "ones", "full", "arange", "eye", "linspace", "scalar_tensor"}
# Where a tensor lies and how it is laid out is none of a task's business.
UNSAID = {"device", "layout", "pin_memory", "generator", "non_blocking", "requires_grad", "memory_format", "copy"}


def plain_name(target):
    """The operator's name without what marks an in-place form: "relu" of aten::relu_.default."""
    name = target._schema.name.split("::")[1]
    in_place = target._schema.is_mutable and name.endswith("_") and not name.endswith("__")
    return name[:-1] if in_place else name


def check_known(target):
    """Refuses what a reference cannot say (plugins/reference_torch/operators.cpp)."""
    if not isinstance(target, torch._ops.OpOverload):
        refuse("operator", name=getattr(target, "__name__", str(target)), schema="no operator of torch")
    space, name = target._schema.name.split("::")
    plain = RENAMED.get(plain_name(target), plain_name(target))
    if torch.Tag.nondeterministic_seeded in target.tags and plain not in DRAW_IF_ASKED | SAME:
        refuse("random", name=name)
    unwritten = target._schema.is_mutable and plain == name
    if space != "aten" or plain.startswith("_") or plain.startswith(("empty", "new_empty")) or unwritten:
        refuse("operator", name=name, schema=str(target._schema)[:200])


def arguments_of(node):
    """[(argument of the schema, value)], with what needs no saying left out."""
    schema = node.target._schema
    given = {argument.name: value for argument, value in zip(schema.arguments, node.args)}
    given.update(node.kwargs)
    without_statistics(plain_name(node.target), given)
    pairs = [(a, given[a.name]) for a in schema.arguments if a.name in given and a.name not in UNSAID]
    positional = [pair for pair in pairs if not pair[0].kwarg_only]
    while positional and is_default(*positional[-1]):
        positional.pop()
    return positional, [pair for pair in pairs if pair[0].kwarg_only and not is_default(*pair)]


def is_default(argument, value):
    return argument.has_default_value() and type(value) is type(argument.default_value) and value == argument.default_value


def without_statistics(name, given):
    """A norm that uses the batch's own statistics also updates the running ones, which are no output."""
    if name == "batch_norm" and given["training"] or name == "instance_norm" and given["use_input_stats"]:
        given["running_mean"] = given["running_var"] = None
    for key in ("dropout", "dropout_p"):
        if key in given:
            given[key] = 0.0


def precision(node, named):
    """The dtype that a step must name: of tensors that it makes out of nothing, whose preset would be float32 in every precision."""
    made = node.meta.get("val")
    name = plain_name(node.target)
    if name in MAKERS and isinstance(made, torch.Tensor):
        return made.dtype
    if name in ("to", "_to_copy"):
        return made.dtype
    return named.get("dtype")
