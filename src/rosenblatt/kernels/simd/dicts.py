"""The features of a Python dict, read by compiled code.

To take 57 numbers out of a dict in Python and hand them over costs more than to learn from them.
Here compiled code asks the interpreter itself, and finds the column of each name in the arrays of
the model's names, or gives it the next. Numbers, strings, and lists of strings under keys that are
strings or whole numbers are read; anything else is left to Python. All of this runs while the
interpreter's lock is held.

A `desk` of numbers says where everything is. A cache has the columns of keys, and of strings under
a key, by the addresses of these objects, which it holds so that they stay theirs: the k-th feature
of an example is looked for where the k-th was last time, and next to that.
"""

from typing import Any, cast

import numpy as np

from rosenblatt.kernels.jit import holding_jit, inlined_jit
from rosenblatt.kernels.numba_api import carray
from rosenblatt.kernels.overflow import finite
from rosenblatt.kernels.simd import interpreter as python
from rosenblatt.kernels.simd.addresses import pointer_to
from rosenblatt.kernels.simd.interpreter import (
    as_double,
    as_integer,
    as_text,
    clear,
    count_reference,
    float_of,
    item_of,
    next_item,
    occurred,
    size_of,
    type_of,
)
from rosenblatt.kernels.text import hashing, interning
from rosenblatt.kernels.text.hashing import MOST_DIGITS, full_name_hash
from rosenblatt.kernels.text.interning import Dictionary, add

# After the interpreter's addresses: where the walk through a dict stands, its key and value, and
# the length of a text; then what was found: names without a column, and the letters of these;
PLACE, SIZE = python.ADDRESSES, python.ADDRESSES + 3
UNKNOWN, LETTERS = python.ADDRESSES + 4, python.ADDRESSES + 5
# how names have columns: which kind they are; the mask of hashes, or how many numbers there are, or
# whether a dictionary may grow; and the arrays of a dictionary with their sizes;
KIND, EXTENT, BOOK, SIZES = (python.ADDRESSES + k for k in (6, 7, 8, 13))
# the cache: what it holds, the columns, and how many; a buffer for a name; the desk's own address.
HELD, CACHED, N_CACHED, SCRATCH, DESK_AT = (python.ADDRESSES + k for k in (17, 18, 19, 20, 21))
API = python.ADDRESSES + 22
KEPT, HASHED, NUMBERED = range(3)
LONGEST = 1024  # bytes of a name that is read here
_CACHED = 64  # bytes of a name, up to which it is worth a place in the cache
NOTHING = -1
# What is not a column:
_NEW, _EMPTY, _OTHER = -1, -2, -3
_EQUALS, _MINUS, _ZERO = ord("="), ord("-"), ord("0")
_BYTES, _INDICES, _INTEGERS = np.zeros(1, np.uint8), np.zeros(1, np.int32), np.zeros(1, np.int64)
_HASHES = np.zeros(1, np.uint32)


# A call of these takes longer than they do.
find = inlined_jit(cast(Any, interning.find).py_func)
murmur3 = inlined_jit(cast(Any, hashing.murmur3).py_func)


@holding_jit
def names_of(desk: Any) -> Any:
    """Return the dictionary of names whose address is on the desk."""
    return Dictionary(
        carray(pointer_to(desk[BOOK], _BYTES), (desk[SIZES],)),
        carray(pointer_to(desk[BOOK + 1], _INTEGERS), (desk[SIZES + 1],)),
        carray(pointer_to(desk[BOOK + 2], _HASHES), (desk[SIZES + 1],)),
        carray(pointer_to(desk[BOOK + 3], _INDICES), (desk[SIZES + 2],)),
        carray(pointer_to(desk[BOOK + 4], _INTEGERS), (1,)),
    )


@inlined_jit
def remember(
    desk: Any, held: Any, columns: Any, at: int, key: int, value: int, column: int
) -> None:
    """Cache a column at a place; what was there leaves."""
    old_key, old_value = held[2 * at], held[2 * at + 1]
    count_reference(desk[python.HOLD], key)
    held[2 * at], columns[at] = key, column
    if value != old_value:
        count_reference(desk[python.HOLD], value)
        held[2 * at + 1] = value
        count_reference(desk[python.RELEASE], old_value)
    count_reference(desk[python.RELEASE], old_key)


@inlined_jit
def text_at(desk: Any, text: int) -> int:
    """Return where the letters of a string are, and put their number on the desk; 0 if it has none.

    That is one with half a character, which UTF-8 does not have.
    """
    address = as_text(desk[python.AS_TEXT], text, carray_of(desk, SIZE))
    if address == 0:
        clear(desk[python.CLEAR])
    return int(address)


@inlined_jit
def write_text(desk: Any, text: int, scratch: Any, start: int) -> int:
    """Append a string to a name; return where it ends, −1 if it does not fit."""
    address = text_at(desk, text)
    size = desk[SIZE]
    stop = start + size
    if address == 0 or stop > scratch.shape[0]:
        return NOTHING
    letters = carray(pointer_to(address, _BYTES), (size,))
    for j in range(size):
        scratch[np.uintp(start + j)] = letters[np.uintp(j)]
    return int(stop)


@holding_jit
def write_number(desk: Any, key: int, scratch: Any) -> int:
    """Write a whole number as a name; return where it ends, −1 if it is too large."""
    number = as_integer(desk[python.AS_INTEGER], key)
    if number == -1 and occurred(desk[python.OCCURRED]) != 0:
        clear(desk[python.CLEAR])
        return NOTHING
    rest, size = abs(number), 1
    if rest < 0:  # −2^63
        return NOTHING
    power = 10
    while size < MOST_DIGITS and rest >= power:
        power *= 10
        size += 1
    if rest >= power:
        return NOTHING
    stop = size + (number < 0)
    scratch[0] = _MINUS
    for at in range(stop - 1, stop - 1 - size, -1):
        scratch[at] = _ZERO + rest % 10
        rest //= 10
    return int(stop)


@holding_jit
def column_of(desk: Any, scratch: Any, stop: int, grow: bool) -> int:
    """Return the column of the name that was written, `_NEW` if it has none; ``grow`` gives one."""
    if desk[KIND] == KEPT:
        hashed = murmur3(scratch, 0, stop, 0)
        names = names_of(desk)
        number, slot = find(names, scratch, 0, stop, hashed)
        if number < 0 and grow:
            number = add(names, scratch, 0, stop, hashed, slot)
        return int(number)
    if desk[KIND] == HASHED:
        return int(full_name_hash(scratch, 0, stop) & desk[EXTENT])
    if stop == 0 or stop > MOST_DIGITS:
        return _OTHER
    number = 0
    for at in range(stop):
        digit = np.int64(scratch[at]) - _ZERO
        if digit < 0 or digit > 9:
            return _OTHER
        number = 10 * number + digit
    return number if number < desk[EXTENT] else _NEW


@inlined_jit
def write_category(desk: Any, key: int, value: int, scratch: Any) -> int:
    """Write the name of a string under a key, or a key that is a number; return where it ends.

    It is `_EMPTY` for the empty string, and `_OTHER` for what Python has to see to.
    """
    kind = type_of(key)
    if kind == desk[python.STR]:
        stop = write_text(desk, key, scratch, 0)
    elif kind == desk[python.INT]:
        stop = write_number(desk, key, scratch)
    else:
        return _OTHER
    if stop < 0 or stop == scratch.shape[0]:
        return _OTHER
    if value == desk[python.NONE]:
        return stop
    scratch[stop] = _EQUALS
    end = write_text(desk, value, scratch, stop + 1)
    return _OTHER if end < 0 else _EMPTY if end == stop + 1 else end


@holding_jit
def look_up(desk: Any, at: int, key: int, value: int, grow: bool) -> int:
    """Return the column of a key, and of a string under it unless ``value`` is None.

    It is `_NEW` if it has none, `_EMPTY` if the string is, and `_OTHER` if Python has to see to it.
    """
    scratch = carray(pointer_to(desk[SCRATCH], _BYTES), (LONGEST,))
    if value == desk[python.NONE] and type_of(key) == desk[python.STR]:
        address = text_at(desk, key)
        if address == 0:
            return _OTHER
        stop = desk[SIZE]
        column = column_of(desk, carray(pointer_to(address, _BYTES), (stop,)), stop, grow)
    else:
        stop = write_category(desk, key, value, scratch)
        if stop < 0:
            return stop
        column = column_of(desk, scratch, stop, grow)
    if column >= 0 and not grow and stop <= _CACHED:
        held = carray(pointer_to(desk[HELD], _INTEGERS), (2 * desk[N_CACHED],))
        columns = carray(pointer_to(desk[CACHED], _INDICES), (desk[N_CACHED],))
        remember(desk, held, columns, at, key, value, column)
    desk[LETTERS] += stop if column == _NEW else 0
    return int(column)


@inlined_jit
def number_in(desk: Any, value: int, kind: int) -> float:
    """Return the number that an object is; NaN if it is none."""
    if kind == desk[python.FLOAT] or kind == desk[python.DOUBLE]:
        return float(float_of(value))
    return other_number(desk, value, kind)


@holding_jit
def other_number(desk: Any, value: int, kind: int) -> float:
    """Return the number that an object is which is not a float; NaN if it is none."""
    if kind == desk[python.INT] or kind == desk[python.BOOL]:
        number = as_double(desk[python.INT_AS_DOUBLE], value)
    elif (
        kind == desk[python.SINGLE] or kind == desk[python.INT64] or kind == desk[python.NUMPY_BOOL]
    ):
        number = as_double(desk[python.AS_DOUBLE], value)
    else:
        return np.nan
    if number == -1.0 and occurred(desk[python.OCCURRED]) != 0:  # one that is too large
        clear(desk[python.CLEAR])
        return np.nan
    return float(number)


@holding_jit
def features_of(
    desk: Any, x: int, columns: Any, values: Any, size: int, learn: bool, grow: bool
) -> int:
    """Copy the features of the dict at address x; return how many, or −1 if it has others.

    Of a name without a column a prediction knows nothing. To ``learn`` it is −1, and `UNKNOWN` and
    `LETTERS` say how many there are; with ``grow`` each gets the next column, for which there must
    be room. There may be ``size`` features.
    """
    place, item = carray_of(desk, PLACE), carray_of(desk, PLACE + 1)
    n, at, last, none = 0, 0, desk[N_CACHED] - 1, desk[python.NONE]
    total = desk[N_CACHED]
    held = carray(pointer_to(desk[HELD], _INTEGERS), (2 * total,))
    known = carray(pointer_to(desk[CACHED], _INDICES), (total,))
    place[0], desk[UNKNOWN], desk[LETTERS] = 0, 0, 0
    while next_item(desk[python.NEXT], x, place, item) != 0:
        key, value = item[0], item[1]
        if type_of(key) != desk[python.STR] and type_of(key) != desk[python.INT]:
            return NOTHING
        if value == none:
            continue
        kind, count, number, which = type_of(value), 1, 1.0, none
        if kind == desk[python.STR]:
            which = value
        elif kind == desk[python.LIST]:
            count = size_of(desk[python.LIST_SIZE], value)
        elif kind == desk[python.TUPLE]:
            count = size_of(desk[python.TUPLE_SIZE], value)
        else:
            number = number_in(desk, value, kind)
            if not finite(number):
                return NOTHING
        for j in range(count):
            if kind == desk[python.LIST] or kind == desk[python.TUPLE]:
                is_list = kind == desk[python.LIST]
                get = desk[python.LIST_ITEM] if is_list else desk[python.TUPLE_ITEM]
                which = item_of(get, value, j)
                if which == none:
                    continue
                if type_of(which) != desk[python.STR]:
                    return NOTHING
            if n == size:
                return NOTHING
            if held[2 * at] == key and held[2 * at + 1] == which:
                column = np.int64(known[at])
            else:
                after = (at + 1) & last
                if held[2 * after] == key and held[2 * after + 1] == which:
                    column, at = np.int64(known[after]), after  # one was left out
                else:
                    column = np.int64(look_up(desk, at, key, which, grow))
            at = (at + 1) & last
            if column >= 0 or (learn and column == _NEW):
                columns[n], values[n] = column, number
                if not finite(values[n]):
                    return NOTHING
                desk[UNKNOWN] += column < 0
                n += 1
            elif column == _OTHER or not finite(values.dtype.type(number)):
                return NOTHING
    return n


@holding_jit
def carray_of(desk: Any, at: int) -> Any:
    """Return a place on the desk as an array of two."""
    return carray(pointer_to(desk[DESK_AT] + 8 * at, _INTEGERS), (2,))


@holding_jit
def has_room(desk: Any) -> bool:
    """Say whether there is room for the names without a column."""
    if desk[KIND] != KEPT or desk[EXTENT] == 0:
        return False
    names = names_of(desk)
    size = names.size[0]
    used, after = names.ends[size - 1] if size else 0, size + desk[UNKNOWN]
    fits = after <= names.ends.shape[0] and 2 * after <= names.slots.shape[0]
    return bool(fits and used + desk[LETTERS] <= names.letters.shape[0])


@holding_jit
def forget(desk: Any, n_features: int) -> None:
    """Forget all names but the first few: the last to come is the first to go."""
    names = names_of(desk)
    size = names.size[0]
    last = names.slots.shape[0] - 1
    while size > n_features:
        size -= 1
        slot = np.int64(names.hashes[size]) & last
        while names.slots[slot] != size:
            slot = (slot + 1) & last
        names.slots[slot] = NOTHING
    names.size[0] = size
