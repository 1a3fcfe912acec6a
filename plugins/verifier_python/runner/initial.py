# Weights that a model has from its first moment (option remake), for programs whose constructor derives something from them.


class Initial:
    """While it is entered, each parameter that is made is the next of `weights` that has its shape, whatever initialises it."""

    def __init__(self, weights):
        self.waiting, self.given, self.replaced = list(weights), [], []

    def __enter__(self):
        def new(cls, data=None, requires_grad=True):
            return self.fill(original(cls, data, requires_grad))

        original = torch.nn.Parameter.__new__
        self.replace(torch.nn.Parameter, "__new__", staticmethod(new))
        for name in [name for name in vars(torch.nn.init) if name.endswith("_") and not name.startswith("_")]:
            self.replace(torch.nn.init, name, self.and_again(getattr(torch.nn.init, name)))

    def __exit__(self, *_):
        for owner, name, value in reversed(self.replaced):
            setattr(owner, name, value)

    def replace(self, owner, name, value):
        self.replaced.append((owner, name, vars(owner)[name]))
        setattr(owner, name, value)

    def fill(self, parameter):
        found = next((weight for weight in self.waiting if list(weight.shape) == (list(parameter.shape) or [1])), None)
        if found is not None:
            self.waiting = [weight for weight in self.waiting if weight is not found]
            self.given.append((parameter, found))
            parameter.data.copy_(found.reshape(parameter.shape))
        return parameter

    def and_again(self, initialise):
        def then(tensor, *words, **named):
            result = initialise(tensor, *words, **named)
            for parameter, weight in self.given:
                if parameter is tensor:
                    parameter.data.copy_(weight.reshape(parameter.shape))
            return result

        return then
