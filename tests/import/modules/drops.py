# Dropout as a function, which draws also where the module is not training, and within attention.
import torch
import torch.nn.functional as F
from torch.nn.functional import dropout


class Model(torch.nn.Module):
    def forward(self, x):
        x = dropout(x, 0.5)
        x = torch.dropout(F.feature_alpha_dropout(x, p=0.25, training=True), 0.1, True)
        return F.scaled_dot_product_attention(x, x, x, None, 0.3) + F.scaled_dot_product_attention(x, x, x, dropout_p=0.2)


def get_inputs():
    return [torch.rand(4, 2, 64, 16)]


def get_init_inputs():
    return []
