import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.graphs = {}

    def captured(self, a, b):
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            inputs = a.clone(), b.clone()
            torch.add(inputs[1], inputs[0], alpha=2)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            output = torch.add(inputs[1], inputs[0], alpha=2)
        return graph, inputs, output

    def forward(self, a, b):
        if not a.is_cuda:
            return 2 * a + b
        if a.numel() not in self.graphs:
            self.graphs[a.numel()] = self.captured(a, b)
        graph, inputs, output = self.graphs[a.numel()]
        inputs[0].copy_(a)
        inputs[1].copy_(b)
        graph.replay()
        return output
