-- The twenty tasks of cpu-basics that the demo and the claims train on: one of each kind, with short programs, since a tiny model pays by
-- the token. The others of the suite (attention, batch norm, ...) want a larger model.
return {
    "mul_relu_add", "sigmoid_mul", "add_tanh_mul", "silu_mul", "sub_abs_mul", "row_sum", "row_max", "column_sum", "matvec", "softmax",
    "layer_norm", "rms_norm", "matmul", "tril_matmul", "diag_matmul", "conv3x3", "max_pool", "cumsum", "transpose", "mse_loss",
}
