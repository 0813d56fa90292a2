//! What is made for AArch64 alone: the instructions of NEON.

pub mod neon;
