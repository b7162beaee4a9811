"""Methods of strings and sets that are written in the language of scripts. Compiled in; interp-files.c calls them."""

def str_partition(text, sep):
    at = text.find(sep)
    return (text[:at], sep, text[at + len(sep):]) if at >= 0 else (text, '', '')

def str_rfind(text, sub):
    for at in range(len(text) - len(sub), -1, -1):
        if text[at:at + len(sub)] == sub:
            return at
    return -1

def str_rpartition(text, sep):
    at = str_rfind(text, sep)
    return (text[:at], sep, text[at + len(sep):]) if at >= 0 else ('', '', text)

def str_index(text, sub):
    at = text.find(sub)
    if at < 0:
        raise ValueError('substring not found')
    return at

def str_rsplit(text, sep=None, maxsplit=-1):
    parts = text.split(sep)
    n = len(parts) - maxsplit
    if maxsplit < 0 or n <= 1:
        return parts
    if sep is None:
        raise ValueError('rsplit with maxsplit needs a separator')
    return [sep.join(parts[:n])] + parts[n:]

def str_split(text, sep, maxsplit):
    parts = text.split(sep)
    if maxsplit < 0 or len(parts) - 1 <= maxsplit:
        return parts
    if sep is None:
        raise ValueError('split with maxsplit needs a separator')
    return parts[:maxsplit] + [sep.join(parts[maxsplit:])]

def str_zfill(text, width):
    sign = text[:1] if text[:1] in ('+', '-') else ''
    return sign + '0' * (width - len(text)) + text[len(sign):]

def str_ljust(text, width, fillchar=' '):
    return text + fillchar * (width - len(text))

def str_rjust(text, width, fillchar=' '):
    return fillchar * (width - len(text)) + text

def str_center(text, width, fillchar=' '):
    rest = width - len(text)
    left = rest // 2 + (rest & width & 1) if rest > 0 else 0
    return fillchar * left + text + fillchar * (rest - left)

def str_capitalize(text):
    return text[:1].upper() + text[1:].lower()

def str_title(text):
    out, starts = '', True
    for c in text:
        out += c.upper() if starts else c.lower()
        starts = not str_isalpha(c)
    return out

def str_swapcase(text):
    return ''.join(c.upper() if c.lower() == c else c.lower() for c in text)

def str_casefold(text):
    return text.lower()

def str_isalpha(text):
    return len(text) > 0 and all(c.lower() != c.upper() for c in text)

def str_isalnum(text):
    return len(text) > 0 and all(c.isdigit() or c.lower() != c.upper() for c in text)

def str_isspace(text):
    return len(text) > 0 and text.strip() == ''

def str_isupper(text):
    return text.upper() == text and text.lower() != text

def str_islower(text):
    return text.lower() == text and text.upper() != text

def str_isnumeric(text):
    return text.isdigit()

def str_lstrip(text, chars):
    while text and text[0] in chars:
        text = text[1:]
    return text

def str_rstrip(text, chars):
    while text and text[-1] in chars:
        text = text[:-1]
    return text

def str_strip(text, chars):
    return str_rstrip(str_lstrip(text, chars), chars)

def str_startswith(text, prefixes):
    return any(text.startswith(p) for p in prefixes)

def str_endswith(text, suffixes):
    return any(text.endswith(s) for s in suffixes)

def set_isdisjoint(own, other):
    return not any(item in own for item in other)

def set_difference_update(own, other):
    for item in list(other):
        own.discard(item)

def set_intersection_update(own, other):
    other = set(other)
    for item in list(own):
        if item not in other:
            own.discard(item)

def set_pop(own):
    for item in own:
        own.discard(item)
        return item
    raise KeyError('pop from an empty set')

def dict_popitem(own):
    for key in reversed(list(own)):
        return (key, own.pop(key))
    raise KeyError('popitem(): dictionary is empty')

def itertools_islice(iterable, *args):
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    own = iter(iterable)
    items = list(own) if stop is None else [x for _, x in zip(range(stop), own)]
    return items[start or 0::step or 1]

def itertools_pairwise(iterable):
    items = list(iterable)
    return list(zip(items, items[1:]))

def itertools_zip_longest(*iterables, fillvalue=None):
    lists = [list(i) for i in iterables]
    n = max([len(i) for i in lists] + [0])
    return list(zip(*[i + [fillvalue] * (n - len(i)) for i in lists]))

def itertools_takewhile(predicate, iterable):
    out = []
    for item in iterable:
        if not predicate(item):
            break
        out.append(item)
    return out

def itertools_dropwhile(predicate, iterable):
    items = list(iterable)
    return items[len(itertools_takewhile(predicate, items)):]

def itertools_filterfalse(predicate, iterable):
    return [item for item in iterable if not (predicate(item) if predicate else item)]

def itertools_compress(data, selectors):
    return [item for item, selector in zip(data, selectors) if selector]

def itertools_batched(iterable, n):
    items = list(iterable)
    return [tuple(items[i:i + n]) for i in range(0, len(items), n)]

def itertools_groupby(iterable, key=None):
    groups = []
    for item in iterable:
        k = key(item) if key else item
        if not groups or groups[-1][0] != k:
            groups.append((k, []))
        groups[-1][1].append(item)
    return groups

def itertools_tee(iterable, n=2):
    return tuple(list(iterable) for _ in range(n))

def itertools_combinations_with_replacement(iterable, r):
    out = [()]
    items = list(iterable)
    for _ in range(r):
        out = [(*c, i) for c in out for i in range(c[-1] if c else 0, len(items))]
    return [tuple(items[i] for i in c) for c in out]
