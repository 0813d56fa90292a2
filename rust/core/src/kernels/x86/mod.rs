//! What is made for x86-64 alone: the instructions of AVX2, the kernels with AVX-512, and who made the processor.

pub mod avx2;
pub mod avx512;
pub mod vendor;
