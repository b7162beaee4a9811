"""Shapes of the results of torch functions and of methods of tensors that torch-create.c and torch-methods.c do not know.

Compiled in. The interpreter calls `name(...)` here for `torch.name(...)` and `torch.nn.functional.name(...)`, and
`name(tensor, ...)` for `tensor.name(...)`. The names of built-in functions have the prefix torch_. If it raises an exception, the result is an unknown value.
"""
import collections
import math
import torch

_Pair = collections.namedtuple('_Pair', ['values', 'indices'])

def _options(a, dtype=None, device=None, **kwargs):
    return {'dtype': dtype or a.dtype, 'device': device or ('cpu' if a.is_cpu else 'cuda')}

def _like(a, shape, **kwargs):
    return torch.empty(tuple(shape), **_options(a, **kwargs))

def _sizes(sizes):
    return tuple(sizes[0]) if len(sizes) == 1 and isinstance(sizes[0], (list, tuple)) else tuple(sizes)

def _axis(a, dim):
    if not -a.ndim <= dim < a.ndim:
        raise IndexError(dim)
    return dim % a.ndim

def _broadcast(*shapes):
    n = max(len(s) for s in shapes)
    shapes = [(1,) * (n - len(s)) + tuple(s) for s in shapes]
    out = [max(s[i] for s in shapes) for i in range(n)]
    if any(s[i] not in (1, out[i]) for s in shapes for i in range(n)):
        raise RuntimeError('the sizes do not match')
    return out

def linspace(start, end, steps, **kwargs):
    return torch.empty((steps,), **kwargs)

logspace = linspace

def arange(start=0, end=None, step=1, **kwargs):
    if end is None:
        start, end = 0, start
    if all(isinstance(i, int) for i in (start, end, step)):
        kwargs.setdefault('dtype', torch.int64)
    return torch.empty((max(0, math.ceil((end - start) / step)),), **kwargs)

def empty_strided(size, stride, **kwargs):
    return torch.empty(tuple(size), **kwargs).as_strided(tuple(size), tuple(stride))

def empty_permuted(size, physical_layout, **kwargs):
    dense = torch.empty(tuple(size[i] for i in physical_layout), **kwargs)
    return dense.permute(*[list(physical_layout).index(i) for i in range(len(size))])

def Tensor(*sizes):
    return torch.empty(_sizes(sizes), dtype=torch.float32)

FloatTensor = Tensor

def scalar_tensor(value, **kwargs):
    return torch.empty((), **kwargs)

def new_empty(a, *size, **kwargs):
    return _like(a, _sizes(size), **kwargs)

new_zeros = new_ones = new_empty

def new_full(a, size, fill_value, **kwargs):
    return _like(a, size, **kwargs)

def new_tensor(a, data, **kwargs):
    return torch.tensor(data, **_options(a, **kwargs))

def expand_as(a, other):
    return a.expand(*other.shape)

def broadcast_to(a, *size):
    return a.expand(*_sizes(size))

def view_as(a, other):
    return a.reshape(other.shape)

reshape_as = view_as

def type_as(a, other):
    return a.to(other.dtype)

def ravel(a):
    return a.flatten()

def unflatten(a, dim, sizes):
    dim = _axis(a, dim)
    known = math.prod(s for s in sizes if s != -1)
    sizes = [a.shape[dim] // known if s == -1 else s for s in sizes]
    return a.reshape(tuple(a.shape[:dim]) + tuple(sizes) + tuple(a.shape[dim + 1:]))

def tile(a, *sizes):
    sizes = _sizes(sizes)
    n = max(a.ndim, len(sizes))
    sizes = (1,) * (n - len(sizes)) + sizes
    shape = (1,) * (n - a.ndim) + tuple(a.shape)
    return _like(a, [i * j for i, j in zip(shape, sizes)])

def repeat(a, *sizes):
    return tile(a, *sizes)

def repeat_interleave(a, repeats, dim=None):
    if dim is None:
        return _like(a, [a.numel() * repeats])
    dim = _axis(a, dim)
    return _like(a, [s * repeats if i == dim else s for i, s in enumerate(a.shape)])

def movedim(a, source, destination):
    source = [source] if isinstance(source, int) else source
    destination = [destination] if isinstance(destination, int) else destination
    source, destination = [_axis(a, i) for i in source], [_axis(a, i) for i in destination]
    rest = [i for i in range(a.ndim) if i not in source]
    order = [None] * a.ndim
    for i, j in zip(source, destination):
        order[j] = i
    for i in rest:
        order[order.index(None)] = i
    return a.permute(*order)

moveaxis = movedim

def swapaxes(a, axis0, axis1):
    return a.transpose(axis0, axis1)

swapdims = swapaxes

def adjoint(a):
    return a.transpose(-2, -1)

def narrow(a, dim, start, length):
    dim = _axis(a, dim)
    start = start + a.shape[dim] if start < 0 else start
    return a.split([start, length, a.shape[dim] - start - length], dim=dim)[1]

def select(a, dim, index):
    return narrow(a, dim, index, 1).squeeze(dim)

def unbind(a, dim=0):
    return tuple(select(a, dim, i) for i in range(a.shape[_axis(a, dim)]))

def tensor_split(a, indices_or_sections, dim=0):
    size, n = a.shape[_axis(a, dim)], indices_or_sections
    if isinstance(n, int):
        sizes = [size // n + (1 if i < size % n else 0) for i in range(n)]
    else:
        places = [0, *n, size]
        sizes = [j - i for i, j in zip(places, places[1:])]
    return a.split(sizes, dim=dim)

def hsplit(a, n):
    return tensor_split(a, n, 0 if a.ndim == 1 else 1)

def vsplit(a, n):
    return tensor_split(a, n, 0)

def _same(a, *args, **kwargs):
    return a if kwargs.get('dtype') is None else a.to(kwargs['dtype'])

def _dense(a, *args, **kwargs):
    return _like(a, a.shape, dtype=kwargs.get('dtype'))

bernoulli = bernoulli_ = cumsum = cumprod = softmax = log_softmax = flip = roll = fliplr = flipud = _dense
masked_fill = masked_fill_ = layer_norm = rms_norm = batch_norm = group_norm = instance_norm = _dense
log1p = log2 = log10 = expm1 = floor = ceil = trunc = sin = cos = tan = erf = erfc = square = log = exp2 = _dense
gelu = silu = leaky_relu = elu = softplus = dropout = normalize = reciprocal = nan_to_num = hardtanh = _dense
tril_ = triu_ = exp_ = log_ = sqrt_ = relu_ = neg_ = clip = contiguous = pin_memory = share_memory_ = _dense
logit = lgamma = digamma = asin = acos = atan = sinh = cosh = asinh = acosh = atanh = mish = celu = selu = _dense
retain_grad = requires_grad = detach_ = half_ = cauchy_ = exponential_ = geometric_ = log_normal_ = _same
scatter = scatter_ = scatter_add = index_fill = index_copy = index_add = index_put = _dense

def bool_like(a, other=None, **kwargs):
    return _like(a, a.shape if not isinstance(other, torch.Tensor) else _broadcast(a.shape, other.shape), dtype=torch.bool)

eq = ne = lt = le = gt = ge = less = greater = less_equal = greater_equal = not_equal = bool_like
logical_and = logical_or = logical_xor = logical_not = isnan = isinf = isfinite = signbit = isclose = bool_like

def _binary(a, other, **kwargs):
    return a + other if isinstance(a, torch.Tensor) else other + a

add = sub = subtract = multiply = mul = maximum = minimum = pow = fmod = remainder = atan2 = hypot = _binary
fmax = fmin = true_divide = floor_divide = _binary

def div(a, other, **kwargs):
    return a / other

divide = div

def where(condition, a=None, b=None):
    tensors = [t for t in (a, b) if isinstance(t, torch.Tensor)]
    return _like(tensors[0], _broadcast(condition.shape, *(t.shape for t in tensors)))

def lerp(a, end, weight):
    return _like(a, _broadcast(a.shape, end.shape))

def addcmul(a, b, c, **kwargs):
    return _like(a, _broadcast(a.shape, b.shape, c.shape))

addcdiv = addcmul

def matmul(a, b):
    if a.ndim == 1 and b.ndim == 1:
        return _like(a, [])
    if a.ndim == 1:
        return _like(a, list(b.shape[:-2]) + [b.shape[-1]])
    if b.ndim == 1:
        return _like(a, a.shape[:-1])
    return a @ b

mm = bmm = mv = dot = inner = matmul

def addmm(a, b, c, **kwargs):
    return b @ c

baddbmm = addmm

def outer(a, b):
    return _like(a, [a.shape[0], b.shape[0]])

def kron(a, b):
    return _like(a, [i * j for i, j in zip(a.shape, b.shape)])

def einsum(equation, *tensors):
    tensors = _sizes(tensors)
    left, _, right = equation.replace(' ', '').partition('->')
    sizes = {}
    for names, tensor in zip(left.split(','), tensors):
        for name, size in zip(names, tensor.shape):
            sizes[name] = size
    return _like(tensors[0], [sizes[name] for name in right])

def linear(a, weight, bias=None):
    return _like(a, list(a.shape[:-1]) + list(weight.shape[:-1]))

def embedding(a, weight, *args, **kwargs):
    return _like(weight, list(a.shape) + [weight.shape[-1]])

def scaled_dot_product_attention(query, key, value, *args, **kwargs):
    return _like(query, list(query.shape[:-1]) + [value.shape[-1]])

def one_hot(a, num_classes=-1):
    if num_classes < 0:
        raise ValueError('the number of classes depends on data')
    return _like(a, list(a.shape) + [num_classes])

def pad(a, pad, *args, **kwargs):
    shape = list(a.shape)
    for i in range(len(pad) // 2):
        shape[-1 - i] += pad[2 * i] + pad[2 * i + 1]
    return _like(a, shape)

def _without(a, dim, keepdim):
    if dim is None:
        return [1] * a.ndim if keepdim else []
    dims = [_axis(a, i) for i in ([dim] if isinstance(dim, int) else dim)]
    return [1 if i in dims else s for i, s in enumerate(a.shape) if keepdim or i not in dims]

def torch_max(a, dim=None, keepdim=False):
    if isinstance(dim, torch.Tensor):
        return a + dim
    values = _like(a, _without(a, dim, keepdim))
    return values if dim is None else _Pair(values, values.long())

torch_min = median = mode = torch_max

def argmax(a, dim=None, keepdim=False):
    return _like(a, _without(a, dim, keepdim), dtype=torch.int64)

argmin = argmax

def norm(a, p=None, dim=None, keepdim=False, **kwargs):
    return _like(a, _without(a, dim, keepdim))

def logsumexp(a, dim, keepdim=False):
    return _like(a, _without(a, dim, keepdim))

def count_nonzero(a, dim=None):
    return _like(a, _without(a, dim, False), dtype=torch.int64)

def torch_any(a, dim=None, keepdim=False):
    return _like(a, _without(a, dim, keepdim), dtype=torch.bool)

torch_all = torch_any

def var_mean(a, dim=None, unbiased=True, keepdim=False, correction=None):
    out = _like(a, _without(a, dim, keepdim))
    return out, out

std_mean = var_mean

def topk(a, k, dim=-1, *args, **kwargs):
    dim = _axis(a, dim)
    values = _like(a, [k if i == dim else s for i, s in enumerate(a.shape)])
    return _Pair(values, values.long())

def sort(a, *args, **kwargs):
    return _Pair(_dense(a), _dense(a).long())

cummax = cummin = sort

def argsort(a, *args, **kwargs):
    return _like(a, a.shape, dtype=torch.int64)

def diagonal(a, offset=0, dim1=0, dim2=1):
    dim1, dim2 = _axis(a, dim1), _axis(a, dim2)
    rows, columns = a.shape[dim1], a.shape[dim2]
    rows, columns = (rows, columns - offset) if offset >= 0 else (rows + offset, columns)
    rest = [s for i, s in enumerate(a.shape) if i not in (dim1, dim2)]
    return _like(a, rest + [rows if rows < columns else columns])

def diag(a, diagonal=0):
    n = a.shape[0] + abs(diagonal)
    return _like(a, [n, n]) if a.ndim == 1 else a.diagonal(diagonal)

def gather(a, dim, index, **kwargs):
    return _like(a, index.shape)

def take_along_dim(a, indices, dim=None):
    return _like(a, indices.shape)

def index_select(a, dim, index):
    dim = _axis(a, dim)
    return _like(a, [index.numel() if i == dim else s for i, s in enumerate(a.shape)])

def complex(real, imag):
    return _like(real, real.shape, dtype=torch.complex128 if real.dtype == torch.float64 else torch.complex64)

def view_as_real(a):
    return _like(a, list(a.shape) + [2], dtype=torch.float64 if a.dtype == torch.complex128 else torch.float32)

def view_as_complex(a):
    return _like(a, a.shape[:-1], dtype=torch.complex128 if a.dtype == torch.float64 else torch.complex64)

def atleast_1d(a):
    return a.reshape(1) if a.ndim == 0 else a

def atleast_2d(a):
    return atleast_1d(a).unsqueeze(0) if a.ndim < 2 else a

def vstack(tensors):
    return torch.cat([atleast_2d(a) for a in tensors], dim=0)

row_stack = vstack

def hstack(tensors):
    return torch.cat(tensors, dim=0 if tensors[0].ndim == 1 else 1)

def dstack(tensors):
    tensors = [atleast_2d(a) for a in tensors]
    return torch.cat([a.unsqueeze(-1) if a.ndim == 2 else a for a in tensors], dim=2)

def column_stack(tensors):
    return torch.cat([a.unsqueeze(-1) if a.ndim == 1 else a for a in tensors], dim=1)

def block_diag(*tensors):
    return _like(tensors[0], [sum(a.shape[0] for a in tensors), sum(a.shape[1] for a in tensors)])

def meshgrid(*tensors, indexing='ij'):
    tensors = _sizes(tensors)
    shape = [a.numel() for a in tensors]
    if indexing == 'xy':
        shape = shape[1::-1] + shape[2:]
    return tuple(_like(a, shape) for a in tensors)

def cartesian_prod(*tensors):
    return _like(tensors[0], [math.prod(a.shape[0] for a in tensors), len(tensors)])

def compile(function=None, **kwargs):
    return function
