import threading

import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        o, middle = torch.empty_like(a), a.numel() // 2


        def half(part):
            with torch.no_grad():
                o[part] = 2 * a[part] + b[part]


        thread = threading.Thread(target=half, args=(slice(0, middle),))
        thread.start()
        half(slice(middle, None))
        thread.join()
        return o
