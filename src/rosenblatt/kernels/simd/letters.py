"""Eight letters at a time: loads, and numbers read without a branch a digit.

Eight bytes of text are one 64-bit number, the first letter lowest. Its digits are found and added
up by a few multiplications on all bytes at once (Lemire 2018, "Quickly parsing eight digits"), so
the processor has no loop to guess the end of.
"""

from typing import Any

import numpy as np

from rosenblatt.kernels.jit import exact_jit
from rosenblatt.kernels.numba_api import intrinsic, ir, types

PAD = 128  # bytes that must be readable before and after a text: whole words are loaded
_WIDE = 64
_AT_ONCE = 12  # marks in 64 letters, unless they are many
_BEYOND = 4

_ZEROS = np.uint64(0x3030303030303030)
_ABOVE = np.uint64(0x7676767676767676)
_HIGH = np.uint64(0x8080808080808080)
_PAIRS = np.uint64(0x00FF00FF00FF00FF)
_FOURS = np.uint64(0x0000FFFF0000FFFF)
_TEN = np.uint64(2561)  # 10·2^8 + 1
_HUNDRED = np.uint64(6553601)  # 100·2^16 + 1
_MYRIAD = np.uint64(42949672960001)  # 10000·2^32 + 1
_ONE = np.uint64(1)
_S8, _S16, _S32 = np.uint64(8), np.uint64(16), np.uint64(32)


@intrinsic
def eight(typingctx, text, p):
    """Load eight bytes of a text as a 64-bit number, the first one lowest."""

    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        place = builder.bitcast(builder.gep(data, [args[1]]), ir.IntType(64).as_pointer())
        word = builder.load(place)
        word.align = 1
        return word

    return types.uint64(text, types.intp), codegen


@intrinsic
def zeros_below(typingctx, x):
    """Count the zero bits below the lowest one; 64 if there is none."""

    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), codegen


@intrinsic
def equal_to(typingctx, text, p, a, b, c):
    """Return a bit for each of 64 letters, the first one lowest: whether it is a, b or c."""

    def codegen(context, builder, signature, args):
        byte, wide = ir.IntType(8), ir.VectorType(ir.IntType(8), _WIDE)
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        place = builder.bitcast(builder.gep(data, [args[1]]), wide.as_pointer())
        letters = builder.load(place)
        letters.align = 1
        hit = None
        for letter in args[2:]:
            one = builder.insert_element(
                ir.Constant(wide, ir.Undefined), builder.trunc(letter, byte), ir.IntType(32)(0)
            )
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), _WIDE), [0] * _WIDE)
            every = builder.shuffle_vector(one, ir.Constant(wide, ir.Undefined), zeros)
            same = builder.icmp_unsigned("==", letters, every)
            hit = same if hit is None else builder.or_(hit, same)
        return builder.bitcast(hit, ir.IntType(64))

    return types.uint64(text, types.intp, types.intp, types.intp, types.intp), codegen


@exact_jit
def find_marks(text: Any, start: int, stop: int, a: int, b: int, c: int, marks: Any) -> int:
    """Write down where the letters a, b and c are from start to stop; return how many there are.

    A few more marks follow, at the stop, so that one may look ahead. There must be space for 64
    more marks than there are letters to look at.
    """
    n = 0
    for p in range(start, stop, _WIDE):
        bits = equal_to(text, p, a, b, c)
        if p + _WIDE > stop:
            bits &= (_ONE << np.uint64(stop - p)) - _ONE
        following = n + np.int64(ones_in(bits))
        # Always as many as there usually are: to guess their number costs more.
        for j in range(_AT_ONCE):
            marks[n + j] = p + np.int64(zeros_below(bits))
            bits &= bits - _ONE
        n += _AT_ONCE
        while n < following:
            marks[n] = p + np.int64(zeros_below(bits))
            bits &= bits - _ONE
            n += 1
        n = following
    for j in range(_BEYOND):
        marks[n + j] = stop
    return n


@intrinsic
def ones_in(typingctx, x):
    """Count the bits that are one."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


@exact_jit
def digits_in(word: int) -> int:
    """Count the digits at the start of eight letters."""
    t = word ^ _ZEROS
    return np.int64(zeros_below(((t + _ABOVE) | t) & _HIGH) >> np.uint64(3))


@exact_jit
def number_of(word: int, n: int) -> int:
    """Return the number that the first n letters are, all of them digits; n is 1 to 8."""
    t = (word ^ _ZEROS) << np.uint64(64 - 8 * n)
    t = (t * _TEN) >> _S8
    t = ((t & _PAIRS) * _HUNDRED) >> _S16
    return np.int64(((t & _FOURS) * _MYRIAD) >> _S32)


@exact_jit
def number_before(text: Any, stop: int, n: int) -> int:
    """Return the number that the n letters before stop are, or −1 if they are not digits."""
    empty = np.uint64(64 - 8 * n)
    t = ((eight(text, stop - 8) ^ _ZEROS) >> empty) << empty
    bad = ((t + _ABOVE) | t) & _HIGH
    t = (t * _TEN) >> _S8
    t = ((t & _PAIRS) * _HUNDRED) >> _S16
    number = np.int64(((t & _FOURS) * _MYRIAD) >> _S32)
    return number if bad == 0 else -1
