"""What a weight is for, from the operators that take it: that decides its law (laws.weight_law)."""
import math

# After these about half of the power is gone, so the weights before them have twice as much.
RECTIFIERS = {"relu", "relu_", "relu6", "leaky_relu", "leaky_relu_", "gelu", "silu", "silu_", "mish", "hardswish", "hardswish_", "elu",
              "hardtanh", "hardtanh_", "clamp_min"}
RECURRENT = {"lstm", "gru", "rnn_tanh", "rnn_relu"}
SUMS = {"linear", "matmul", "mm", "bmm", "addmm"}


def name_of(user):
    schema = getattr(user.target, "_schema", None)
    return schema.name.split("::")[1] if schema else ""


def gain(user):
    return 2.0 if any(name_of(after) in RECTIFIERS for after in user.users) else 1.0


def terms_of(name, user, node, shape):
    """How many products the weight of that shape puts into one sum."""
    if name in ("matmul", "mm", "bmm", "addmm") and user.args[name == "addmm"] is node:  # the left operand
        return shape[-1]
    if name == "linear":
        return shape[1]
    if name.startswith("conv_transpose"):
        # of the places of the kernel an output sees one in `stride`
        stride = user.args[3] if len(user.args) > 3 else [1]
        groups = user.args[6] if len(user.args) > 6 else 1
        return max(1, shape[0] // groups * math.prod(shape[2:]) // math.prod(min(s, k) for s, k in zip(stride, shape[2:])))
    if name.startswith("conv"):
        return math.prod(shape[1:])
    return shape[-2] if len(shape) > 1 else shape[0]


def use_of(node):
    """Of a placeholder: see laws.weight_law. A weight that is transposed or reshaped first is followed one operator far."""
    shape = [int(n) for n in node.meta["val"].shape]
    for user in node.users:
        name = name_of(user)
        if name in RECURRENT:
            return ("recurrent", max(1, shape[0] // {"lstm": 4, "gru": 3}.get(name, 1)))
        if name in SUMS or name.startswith("conv"):
            if len(shape) > 1 and node in user.args[:3]:
                return ("sum", terms_of(name, user, node, shape), gain(user))
            if len(shape) == 1:
                return ("bias",)
        if name in ("t", "transpose", "numpy_T") and len(shape) == 2:
            return ("sum", shape[1], 1.0)
    return None
