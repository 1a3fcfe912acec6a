# An operator of one's own.
import torch


@torch.library.custom_op("hone_test::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return 2 * x


@twice.register_fake
def _(x):
    return torch.empty_like(x)


class Model(torch.nn.Module):
    def forward(self, x):
        return twice(x)


def get_inputs():
    return [torch.rand(8)]


def get_init_inputs():
    return []
