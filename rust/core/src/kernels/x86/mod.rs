//! The kernels of x86-64, by sets of instructions.

pub mod avx2;
pub mod avx512;
