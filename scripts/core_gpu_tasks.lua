-- The twelve tasks of gpu-basics that a small model trains on: one of each kind, with short programs.
return {
    "mul_relu_add", "add_tanh_mul", "gated", "bias_gelu", "row_sum", "column_sum", "softmax", "layer_norm", "cumsum", "transpose", "mse_loss",
    "diag_matmul",
}
