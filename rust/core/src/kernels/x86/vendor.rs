//! Who made the processor: the same instructions take another time.

#![expect(unsafe_code, reason = "the instruction was unsafe in earlier versions of Rust")]

use std::arch::x86_64::__cpuid;
use std::sync::OnceLock;

use crate::once::once;

/// The name that Intel's processors give, four bytes in each of the registers EBX, EDX and ECX.
const INTEL: &[u8; 12] = b"GenuineIntel";

/// Whether Intel did. It is asked once: in a virtual machine that takes microseconds.
pub fn is_intel() -> bool {
    static IS_INTEL: OnceLock<bool> = OnceLock::new();
    *once(&IS_INTEL, || {
        #[expect(clippy::allow_attributes, reason = "what is not needed depends on the compiler")]
        #[allow(unused_unsafe, reason = "it needs none from later versions of Rust on")]
        // SAFETY: each processor of this kind has the instruction.
        let about = unsafe { __cpuid(0) };
        [about.ebx, about.edx, about.ecx].map(u32::to_le_bytes).as_flattened() == INTEL
    })
}
