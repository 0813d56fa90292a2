//! What is made for x86-64 alone: the instructions of AVX2, and the kernels with AVX-512.

pub mod avx2;
pub mod avx512;
