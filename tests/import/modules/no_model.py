import torch


class Network(torch.nn.Module):
    pass
