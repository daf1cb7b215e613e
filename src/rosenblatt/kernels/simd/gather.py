"""``Σ values[k] · w[indices[k]]`` with the processor's gather instruction.

A sparse row is short and its length is hard to foresee, so most of a plain loop's time goes into
guessing when it ends: the compiler makes three loops of it, and each guesses wrong. Here there is
one, eight products at a time, and a mask for the last few. On AVX-512 that saves a sixth of a pass;
on processors without masked gathers it would cost, and `has_gather` says which this one is.
"""

from typing import Any

from rosenblatt.kernels.levels import level
from rosenblatt.kernels.numba_api import cgutils, intrinsic, ir, types

_LANES = 8
_FREE_ORDER = ["reassoc", "contract"]


def has_gather() -> bool:
    """Say whether the level that is compiled for has masked gathers of eight numbers."""
    name, features = level()
    return name == "x86-64-v4" or "+avx512vl" in features


def _addresses(builder: Any, base: Any, indices: Any) -> Any:
    """Insert ``getelementptr`` with a vector of indices, which llvmlite's builder cannot do."""
    from llvmlite.ir.instructions import Instruction

    class Addresses(Instruction):
        def __init__(self) -> None:
            self.element = base.type.pointee
            pointers = ir.VectorType(self.element.as_pointer(), indices.type.count)
            super().__init__(builder.block, pointers, "getelementptr", [base, indices])

        def descr(self, buf: list[str]) -> None:
            base, indices = (f"{part.type} {part.get_reference()}" for part in self.operands)
            buf.append(f"getelementptr {self.element}, {base}, {indices}\n")

    inserted = Addresses()
    builder._insert(inserted)
    return inserted


@intrinsic
def gather_dot(typingctx, values, indices, start, stop, w):
    """Sum the products from start to stop−1; all arrays contiguous, all indices within w."""

    def codegen(context, builder, signature, args):
        data = [
            context.make_array(signature.args[k])(context, builder, args[k]).data for k in (0, 1, 4)
        ]
        return _Emitter(builder, *data).loop(args[2], args[3])

    return values.dtype(values, indices, types.intp, types.intp, w), codegen


class _Emitter:
    """Writes the loop, given pointers to the values, the indices and the weights."""

    def __init__(self, builder: Any, values: Any, indices: Any, w: Any) -> None:
        self.builder, self.values, self.indices, self.w = builder, values, indices, w
        self.number, self.index = values.type.pointee, indices.type.pointee
        self.mask_type = ir.VectorType(ir.IntType(1), _LANES)
        self.zero = ir.Constant(ir.VectorType(self.number, _LANES), [0.0] * _LANES)
        self.total = cgutils.alloca_once_value(builder, self.zero)

    def loop(self, start: Any, stop: Any) -> Any:
        builder, i64 = self.builder, ir.IntType(64)
        place = cgutils.alloca_once_value(builder, start)
        test, body, tail = (builder.append_basic_block(name) for name in ("test", "body", "tail"))
        builder.branch(test)

        builder.position_at_end(test)
        here = builder.load(place)
        following = builder.add(here, i64(_LANES))
        builder.cbranch(builder.icmp_signed("<=", following, stop), body, tail)

        builder.position_at_end(body)
        self.add_products(here, ir.Constant(self.mask_type, [1] * _LANES))
        builder.store(following, place)
        builder.branch(test)

        builder.position_at_end(tail)
        left = builder.sub(stop, here)
        wide = ir.VectorType(i64, _LANES)
        lanes = ir.Constant(wide, list(range(_LANES)))
        counts = ir.Constant(wide, ir.Undefined)
        for lane in range(_LANES):
            counts = builder.insert_element(counts, left, ir.IntType(32)(lane))
        self.add_products(here, builder.icmp_signed("<", lanes, counts))
        add_up = self.declare("vector.reduce.fadd", self.number, [self.number, self.zero.type])
        zero = ir.Constant(self.number, 0.0)
        return builder.call(add_up, [zero, builder.load(self.total)], fastmath=["reassoc"])

    def add_products(self, at: Any, mask: Any) -> None:
        builder = self.builder
        value = self.load(self.values, at, mask)
        index = self.load(self.indices, at, mask)
        addresses = _addresses(builder, self.w, index)
        arguments = [addresses.type, ir.IntType(32), self.mask_type, self.zero.type]
        gather = self.declare("masked.gather", self.zero.type, arguments)
        weight = builder.call(gather, [addresses, self.alignment(self.w), mask, self.zero])
        product = builder.fmul(value, weight, flags=_FREE_ORDER)
        total = builder.fadd(builder.load(self.total), product, flags=_FREE_ORDER)
        builder.store(total, self.total)

    def load(self, base: Any, at: Any, mask: Any) -> Any:
        vector = ir.VectorType(base.type.pointee, _LANES)
        pointer = self.builder.bitcast(self.builder.gep(base, [at]), vector.as_pointer())
        nothing = ir.Constant(vector, [0] * _LANES)
        arguments = [pointer.type, ir.IntType(32), self.mask_type, vector]
        load = self.declare("masked.load", vector, arguments)
        return self.builder.call(load, [pointer, self.alignment(base), mask, nothing])

    @staticmethod
    def alignment(base: Any) -> Any:
        element = base.type.pointee
        bits = element.width if isinstance(element, ir.IntType) else 0
        size = bits // 8 if bits else {"float": 4, "double": 8}[str(element)]
        return ir.IntType(32)(size)

    def declare(self, name: str, result: Any, arguments: list[Any]) -> Any:
        """Declare one of LLVM's own functions, whose name spells its types."""
        spelled = {
            "masked.gather": [result, arguments[0]],
            "masked.load": [result, arguments[0]],
            "vector.reduce.fadd": [arguments[-1]],
        }[name]
        full = ".".join(["llvm", name, *(_spell(kind) for kind in spelled)])
        return cgutils.get_or_insert_function(
            self.builder.module, ir.FunctionType(result, arguments), full
        )


def _spell(kind: Any) -> str:
    """Spell a type as LLVM does in the names of its functions."""
    if isinstance(kind, ir.VectorType):
        return f"v{kind.count}{_spell(kind.element)}"
    if isinstance(kind, ir.PointerType):
        return f"p0{_spell(kind.pointee)}"
    if isinstance(kind, ir.IntType):
        return f"i{kind.width}"
    return {"float": "f32", "double": "f64"}[str(kind)]
