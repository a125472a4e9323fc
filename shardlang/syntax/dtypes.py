"""The words that are element types, so that `bf16[B, D]` is told from an array named `bf16`.

What they mean, and their canonical names, is `shardlang.semantics.dtypes`.
"""

DTYPES = frozenset(
    """
    bf16 bfloat16 f16 float16 half fp16 f32 float32 fp32 float single f64 float64 fp64 double
    int2 s2 i2 uint2 u2 int4 s4 i4 uint4 u4 int8 s8 i8 uint8 u8 byte int16 s16 i16 short uint16 u16
    int32 s32 i32 int uint32 u32 int64 s64 i64 long uint64 u64 bool pred
    fp8 f8 float8 f8e4m3 float8_e4m3 fp8_e4m3 f8e4m3fn float8_e4m3fn fp8_e4m3fn f8e4m3fnuz float8_e4m3fnuz
    f8e4m3b11fnuz float8_e4m3b11fnuz f8e5m2 float8_e5m2 fp8_e5m2 f8e5m2fnuz float8_e5m2fnuz f8e3m4 float8_e3m4
    f8e8m0fnu float8_e8m0fnu fp4 f4 float4 f4e2m1fn float4_e2m1fn fp4_e2m1 c64 complex64 c128 complex128
    """.split()
)
