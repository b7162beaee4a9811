"""What scripts derive from or take shapes from in torch: torch.nn, torch.autograd.Function, DTensor.

Compiled in. The interpreter of scripts reads it when a script uses one of these modules; Python never runs it. A tensor
has a shape and a type here, and no data. A base class such as torch._Module has no definition: the attributes that
are not defined here are unknown values.
"""
import math
import torch

def Parameter(data=None, requires_grad=True):
    return data

class Module(torch._Module):
    training = True
    def __init__(self, *args, **kwargs):
        pass
    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)
    def register_buffer(self, name, tensor, persistent=True):
        setattr(self, name, tensor)
        self._buffers = [*vars(self).get('_buffers', []), name]
    def register_parameter(self, name, param):
        setattr(self, name, param)
    def add_module(self, name, module):
        setattr(self, name, module)
    def named_children(self):
        return [(k, v) for k, v in vars(self).items() if isinstance(v, Module)]
    def children(self):
        return [v for _, v in self.named_children()]
    def named_modules(self, prefix=''):
        found = [(prefix, self)]
        for k, v in self.named_children():
            found += v.named_modules(f'{prefix}.{k}' if prefix else k)
        return found
    def modules(self):
        return [v for _, v in self.named_modules()]
    def _tensors(self, buffers):
        found = []
        for prefix, module in self.named_modules():
            own = vars(module)
            for k, v in own.items():
                if isinstance(v, torch.Tensor) and (k in own.get('_buffers', [])) in buffers:
                    found.append((f'{prefix}.{k}' if prefix else k, v))
        return found
    def named_parameters(self, *args, **kwargs):
        return self._tensors([False])
    def parameters(self, *args, **kwargs):
        return [v for _, v in self._tensors([False])]
    def named_buffers(self, *args, **kwargs):
        return self._tensors([True])
    def buffers(self, *args, **kwargs):
        return [v for _, v in self._tensors([True])]
    def state_dict(self, *args, **kwargs):
        return dict(self._tensors([False, True]))
    def _convert(self, *args, **kwargs):
        for module in self.modules():
            for k, v in vars(module).items():
                if isinstance(v, torch.Tensor):
                    real = v.is_floating_point()
                    setattr(module, k, v.to(*args, **kwargs) if real else v.cuda())
        return self
    def to(self, *args, **kwargs):
        return self._convert(*args, **kwargs)
    def cuda(self, device=None):
        return self._convert('cuda')
    def half(self):
        return self._convert(torch.float16)
    def bfloat16(self):
        return self._convert(torch.bfloat16)
    def float(self):
        return self._convert(torch.float32)
    def double(self):
        return self._convert(torch.float64)
    def eval(self):
        return self
    def train(self, mode=True):
        return self
    def requires_grad_(self, requires_grad=True):
        return self

class Linear(Module):
    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        self.in_features, self.out_features = in_features, out_features
        options = {'device': device, 'dtype': dtype or torch.float32}
        self.weight = torch.empty(out_features, in_features, **options)
        self.bias = torch.empty(out_features, **options) if bias else None
    def forward(self, input):
        return torch.nn.functional.linear(input, self.weight)

class Embedding(Module):
    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, device=None,
                 dtype=None, **kwargs):
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = padding_idx
        self.weight = torch.empty(num_embeddings, embedding_dim, device=device,
                                  dtype=dtype or torch.float32)
    def forward(self, input):
        return torch.nn.functional.embedding(input, self.weight)

class Identity(Module):
    def forward(self, input):
        return input

ReLU = GELU = SiLU = Sigmoid = Tanh = ELU = LeakyReLU = Softplus = Identity
Dropout = Softmax = LogSoftmax = Identity

class _Norm(Module):
    def forward(self, input):
        return input
    def _fill(self, shape, eps, affine, bias, device, dtype):
        options = {'device': device, 'dtype': dtype or torch.float32}
        self.eps = eps
        self.weight = torch.empty(shape, **options) if affine else None
        self.bias = torch.empty(shape, **options) if affine and bias else None

class LayerNorm(_Norm):
    def __init__(self, normalized_shape, eps=1e-05, elementwise_affine=True, bias=True,
                 device=None, dtype=None):
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else normalized_shape
        self.normalized_shape = tuple(shape)
        self.elementwise_affine = elementwise_affine
        self._fill(self.normalized_shape, eps, elementwise_affine, bias, device, dtype)

class RMSNorm(LayerNorm):
    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None,
                 dtype=None):
        super().__init__(normalized_shape, eps, elementwise_affine, False, device, dtype)

class GroupNorm(_Norm):
    def __init__(self, num_groups, num_channels, eps=1e-05, affine=True, device=None,
                 dtype=None):
        self.num_groups, self.num_channels, self.affine = num_groups, num_channels, affine
        self._fill((num_channels,), eps, affine, True, device, dtype)

class BatchNorm2d(_Norm):
    def __init__(self, num_features, eps=1e-05, momentum=0.1, affine=True,
                 track_running_stats=True, device=None, dtype=None):
        self.num_features, self.momentum, self.affine = num_features, momentum, affine
        self._fill((num_features,), eps, affine, True, device, dtype)
        for name in ('running_mean', 'running_var'):
            self.register_buffer(name, torch.empty(num_features, device=device,
                                                   dtype=dtype or torch.float32))

BatchNorm1d = BatchNorm3d = BatchNorm2d

class ModuleList(Module):
    def __init__(self, modules=()):
        self._n = 0
        self.extend(modules)
    def append(self, module):
        setattr(self, str(self._n), module)
        self._n += 1
        return self
    def extend(self, modules):
        for module in modules:
            self.append(module)
        return self
    def _list(self):
        return [getattr(self, str(i)) for i in range(self._n)]
    def __len__(self):
        return self._n
    def __iter__(self):
        return iter(self._list())
    def __getitem__(self, index):
        return self._list()[index]

ParameterList = ModuleList

class Sequential(ModuleList):
    def __init__(self, *modules):
        super().__init__(modules)
    def forward(self, input):
        for module in self:
            input = module(input)
        return input

class ModuleDict(Module):
    def __init__(self, modules={}):
        self._names = list(modules)
        for name, module in dict(modules).items():
            setattr(self, name, module)
    def __getitem__(self, name):
        return getattr(self, name)
    def keys(self):
        return self._names
    def values(self):
        return [getattr(self, name) for name in self._names]
    def items(self):
        return [(name, getattr(self, name)) for name in self._names]
    def __iter__(self):
        return iter(self._names)

ParameterDict = ModuleDict

class _Context(torch._Context):
    saved_tensors = ()
    def save_for_backward(self, *tensors):
        self.saved_tensors = tensors

_applied = []

class Function(torch._Function):
    setup_context = None
    @classmethod
    def apply(cls, *args):
        ctx = _Context()
        ctx.needs_input_grad = tuple(isinstance(a, torch.Tensor) for a in args)
        _applied.append((cls, ctx))
        ctx.out = cls.forward(*args) if cls.setup_context else cls.forward(ctx, *args)
        if cls.setup_context:
            cls.setup_context(ctx, args, ctx.out)
        return ctx.out

def grad(outputs, inputs, grad_outputs=None, *args, **kwargs):
    return _backward(grad_outputs)

def _backward(grads=None, *args, **kwargs):
    for cls, ctx in reversed(_applied):
        grads = grads if isinstance(grads, (list, tuple)) else [grads]
        outs = ctx.out if isinstance(ctx.out, (list, tuple)) else [ctx.out]
        grads = cls.backward(ctx, *(_like(g, outs[i]) if i < len(outs) else g
                                    for i, g in enumerate(grads)))
    return grads

def _like(grad, out):
    """Return @grad, or a gradient like @out if that of an op between two functions is unknown."""
    wanted = DTensor if isinstance(out, DTensor) else torch.Tensor
    return grad if isinstance(grad, wanted) else out if isinstance(out, wanted) else grad

class _Placement(torch._Placement):
    dim = None
    def is_shard(self, dim=None):
        return self.dim is not None and dim in (None, self.dim)
    def is_replicate(self):
        return isinstance(self, Replicate)
    def is_partial(self, reduce_op=None):
        return isinstance(self, Partial)

class Replicate(_Placement):
    pass

class Partial(_Placement):
    def __init__(self, reduce_op='sum'):
        self.reduce_op = reduce_op

class Shard(_Placement):
    def __init__(self, dim):
        self.dim = dim

class DeviceMesh(torch._DeviceMesh):
    def __init__(self, device_type, mesh, *, mesh_dim_names=None, **kwargs):
        self.device_type, self.mesh_dim_names = device_type, mesh_dim_names
        self.mesh = torch.tensor(mesh) if isinstance(mesh, (list, tuple)) else mesh
        self.shape, self.ndim = self.mesh.shape, len(self.mesh.shape)
    def size(self, mesh_dim=None):
        return math.prod(self.shape) if mesh_dim is None else self.shape[mesh_dim]

def init_device_mesh(device_type, mesh_shape, *, mesh_dim_names=None, **kwargs):
    mesh = torch.arange(math.prod(mesh_shape)).reshape(*mesh_shape)
    return DeviceMesh(device_type, mesh, mesh_dim_names=mesh_dim_names)

class DTensor(torch._DTensor):
    def __init__(self, whole, device_mesh, placements):
        self._whole, self.device_mesh = whole, device_mesh
        axes = [p.dim for p in placements]
        self.placements = tuple(
            Shard(d + len(whole.shape)) if d is not None and d < 0 else p
            for p, d in zip(placements, axes))
        self.shape, self.ndim, self.dtype = whole.shape, len(whole.shape), whole.dtype
    @staticmethod
    def from_local(local, device_mesh=None, placements=None, **kwargs):
        shape = list(local.shape)
        for i, p in enumerate(placements):
            if p.is_shard():
                shape[p.dim] *= device_mesh.size(i)
        return DTensor(local.new_empty(shape), device_mesh, placements)
    def to_local(self):
        shape = list(self.shape)
        for i, p in enumerate(self.placements):
            if p.is_shard():
                shape[p.dim] = -(-shape[p.dim] // self.device_mesh.size(i))
        return self._whole.new_empty(shape)
    def full_tensor(self):
        return self._whole
    def size(self, dim=None):
        return self.shape if dim is None else self.shape[dim]
    def dim(self):
        return self.ndim
    def numel(self):
        return math.prod(self.shape)
    def detach(self, *args, **kwargs):
        return DTensor(self._whole, self.device_mesh, self.placements)
    clone = contiguous = empty_like = zeros_like = ones_like = full_like = detach
    rand_like = randn_like = randint_like = detach
    def requires_grad_(self, requires_grad=True):
        return self

def distribute_tensor(tensor, device_mesh=None, placements=None, **kwargs):
    return DTensor(tensor, device_mesh, placements)

def _output(axes, inputs):
    """Return an output whose @axes come from axes of @inputs. An axis that they shard is sharded, too."""
    mesh = inputs[0].device_mesh
    shape = [inputs[a[0]].shape[a[1]] if isinstance(a, tuple) else a for a in axes]
    placements = []
    for i in range(mesh.ndim):
        sharded = [k for k, a in enumerate(axes)
                   if isinstance(a, tuple) and inputs[a[0]].placements[i].is_shard(a[1])]
        placements.append(Shard(sharded[0]) if sharded else Replicate())
    return DTensor(torch.empty(shape, dtype=inputs[0].dtype), mesh, placements)

def execute_with_dtensors(fd, in_dtensors):
    return [_output(axes, in_dtensors) for axes in fd._origins()]
