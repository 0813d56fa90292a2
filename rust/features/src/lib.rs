//! The instruction sets for which the kernels are compiled, each under one name.
//!
//! A list stands once: the attribute compiles a function for it, and the macro asks the machine for the same features.
//! So a kernel cannot need what was not asked for.

use proc_macro::TokenStream;

const AVX2: &[&str] = &["avx2", "bmi1", "bmi2", "lzcnt", "popcnt"];
const NEON: &[&str] = &["neon"];
const AVX512: &[&str] =
    &["avx512f", "avx512bw", "avx512cd", "avx512vl", "avx512vbmi", "avx512vbmi2", "bmi1", "bmi2", "popcnt"];

/// Compile a function for AVX2 and the bit instructions of the processors that have it.
#[proc_macro_attribute]
pub fn avx2(_: TokenStream, function: TokenStream) -> TokenStream {
    enabled(AVX2, function)
}

/// Compile a function for AVX-512 with VBMI2, and the bit instructions of the processors that have it.
#[proc_macro_attribute]
pub fn avx512(_: TokenStream, function: TokenStream) -> TokenStream {
    enabled(AVX512, function)
}

/// Compile a function for NEON.
#[proc_macro_attribute]
pub fn neon(_: TokenStream, function: TokenStream) -> TokenStream {
    enabled(NEON, function)
}

/// Compile a function for the vectors of the processor that it is compiled for: as [`macro@avx2`] or as [`macro@neon`].
#[proc_macro_attribute]
pub fn vectors(_: TokenStream, function: TokenStream) -> TokenStream {
    let of = |processor: &str, features: &[&str]| {
        let enabled = features.join(",");
        parsed(&format!("#[cfg_attr(target_arch = {processor:?}, target_feature(enable = {enabled:?}))]"))
    };
    of("x86_64", AVX2).into_iter().chain(of("aarch64", NEON)).chain(function).collect()
}

/// Whether this machine has what [`macro@avx2`] enables. The standard library keeps the answer.
#[proc_macro]
pub fn has_avx2(_: TokenStream) -> TokenStream {
    detected("is_x86_feature_detected", AVX2)
}

/// Whether this machine has what [`macro@avx512`] enables. The standard library keeps the answer.
#[proc_macro]
pub fn has_avx512(_: TokenStream) -> TokenStream {
    detected("is_x86_feature_detected", AVX512)
}

/// Whether this machine has what [`macro@neon`] enables. The standard library keeps the answer.
#[proc_macro]
pub fn has_neon(_: TokenStream) -> TokenStream {
    detected("is_aarch64_feature_detected", NEON)
}

fn enabled(features: &[&str], function: TokenStream) -> TokenStream {
    let attribute = parsed(&format!("#[target_feature(enable = {:?})]", features.join(",")));
    attribute.into_iter().chain(function).collect()
}

fn detected(ask: &str, features: &[&str]) -> TokenStream {
    let each: Vec<String> = features.iter().map(|name| format!("::std::arch::{ask}!({name:?})")).collect();
    parsed(&format!("({})", each.join(" && ")))
}

fn parsed(source: &str) -> TokenStream {
    source.parse().expect("the source is made of feature names")
}
