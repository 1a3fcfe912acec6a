"""What an exported graph tells of its numbers: how long the longest sum behind an element is (`terms` of a task), where one operator alone sums,
and whether it orders them."""
import math

import torch

# How many terms an element sums: of (shapes of the tensor arguments, shape of the result, the operator's other arguments).
PRODUCTS = {
    "linear": lambda shapes, out: shapes[1][1:],
    "matmul": lambda shapes, out: shapes[0][-1:],
    "mm": lambda shapes, out: shapes[0][-1:],
    "bmm": lambda shapes, out: shapes[0][-1:],
}
REDUCTIONS = {"sum", "mean", "var", "std", "norm", "linalg_vector_norm", "logsumexp", "prod", "mse_loss", "smooth_l1_loss", "huber_loss",
              "kl_div", "cross_entropy_loss", "triplet_margin_loss", "cosine_embedding_loss"}
ALONG = {"softmax": 1, "log_softmax": 1, "cumsum": 1, "cumprod": 1}
# Sums inside them that this table does not count.
OTHERS = {"einsum", "scaled_dot_product_attention", "lstm", "gru", "rnn_tanh", "rnn_relu", "layer_norm", "group_norm", "batch_norm", "instance_norm",
          "rms_norm", "addmm", "baddbmm", "tensordot", "dot", "mv", "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d",
          "avg_pool1d", "avg_pool2d", "avg_pool3d", "bilinear", "addmv", "addbmm", "inner", "vdot", "trace", "nansum", "var_mean", "std_mean",
          "logcumsumexp", "nll_loss", "nll_loss_nd", "binary_cross_entropy", "cosine_similarity", "pairwise_distance", "cdist", "embedding_bag",
          "index_add", "scatter_add", "nanmean", "dist", "col2im"}


def name_of(node):
    schema = getattr(node.target, "_schema", None)
    return schema.name.split("::")[1].rstrip("_") if schema else ""


def reduced(shapes, out):
    """The dimensions that are gone or 1 in the result."""
    given = list(shapes[0])
    kept = list(out) if len(out) == len(given) else None
    if kept:
        return [a for a, b in zip(given, kept) if str(b) == "1"]
    left = [str(b) for b in out]
    return [a for a in given if not (str(a) in left and (left.remove(str(a)) or True))]


def factors_of(node):
    """Dimensions whose product is the number of terms; None: the operator sums in a way not counted here; (): it does not sum."""
    name = name_of(node)
    shapes = [list(a.meta["val"].shape) for a in node.args if isinstance(a, torch.fx.Node) and isinstance(a.meta.get("val"), torch.Tensor)]
    if name in PRODUCTS:
        return PRODUCTS[name](shapes, None)
    if name.startswith("conv_transpose"):
        groups = node.args[6] if len(node.args) > 6 else 1
        return [shapes[1][0] // groups, *shapes[1][2:]]
    if name.startswith("conv"):
        return shapes[1][1:]
    if name in REDUCTIONS:
        return reduced(shapes, list(node.meta["val"].shape))
    if name in ALONG:
        return [shapes[0][node.args[ALONG[name]]]]
    return None if name in OTHERS or "loss" in name or "cross_entropy" in name else ()


def orders_ties(graph):
    """Whether an output tells where numbers stood, among which equal ones have no order."""
    names = {str(node.target).split(".")[1] for node in graph.nodes if node.op == "call_function" and str(node.target).startswith("aten.")}
    return bool(names & {"topk", "sort", "argsort", "kthvalue", "median", "mode"})


def terms(graph, sizes):
    """A list for the task file, or None: many sums follow each other, or one that is not counted, or whose length is no entry of a shape."""
    summing = [f for node in graph.nodes if node.op == "call_function" and (f := factors_of(node)) != ()]
    if len(summing) > 1 or summing == [None]:
        return None
    if not all(map(sizes.has_extent, summing[0] if summing else [])):
        return None
    factors = [sizes.extent(d) for d in summing[0]] if summing else []
    plain = math.prod(f for f in factors if isinstance(f, int))
    named = [f for f in factors if not isinstance(f, int)]
    return named + ([plain] if plain != 1 or not named else [])
