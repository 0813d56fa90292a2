//! The kernels for x86-64, by instruction set. Which of them runs is decided in `dispatch`.

pub mod avx2;
pub mod avx512;
