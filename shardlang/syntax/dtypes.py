"""Element types: every name that JAX, PyTorch and the literature use, with its bits and one short canonical name.

The syntax needs the names, to tell `bf16[B, D]` from an array named `bf16`; what else there is to say of a type is
`shardlang.semantics.dtypes`.
"""

_TABLE = """
bf16 16 bfloat16
f16 16 float16 half fp16
f32 32 float32 fp32 float single
tf32 32
f64 64 float64 fp64 double
int2 2 s2 i2
uint2 2 u2
int4 4 s4 i4
uint4 4 u4
int8 8 s8 i8
uint8 8 u8 byte
int16 16 s16 i16 short
uint16 16 u16
int32 32 s32 i32 int
uint32 32 u32
int64 64 s64 i64 long
uint64 64 u64
bool 8 pred
fp8 8 f8 float8
f8e4m3 8 float8_e4m3 fp8_e4m3 e4m3
f8e4m3fn 8 float8_e4m3fn fp8_e4m3fn f8_e4m3fn
f8e4m3fnuz 8 float8_e4m3fnuz
f8e4m3b11fnuz 8 float8_e4m3b11fnuz
f8e5m2 8 float8_e5m2 fp8_e5m2 f8_e5m2 e5m2
f8e5m2fnuz 8 float8_e5m2fnuz
f8e3m4 8 float8_e3m4
f8e8m0fnu 8 float8_e8m0fnu
fp4 4 f4 float4
f4e2m1fn 4 float4_e2m1fn fp4_e2m1
c64 64 complex64
c128 128 complex128
"""

BITS: dict[str, int] = {}
SHORT_NAMES: dict[str, str] = {}
for _row in _TABLE.split("\n"):
    if _row:
        _short, _bits, *_others = _row.split()
        BITS[_short] = int(_bits)
        for _name in (_short, *_others):
            SHORT_NAMES[_name] = _short
