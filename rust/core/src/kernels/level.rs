//! Which instructions are at work: what the machine has, or less where that is asked for.

#![cfg_attr(feature = "simdutf", expect(unsafe_code, reason = "the library chooses by the environment"))]

use std::sync::OnceLock;

/// The environment variable that asks for less than the machine has.
const ASKED: &str = "EIGHTFOLD_SIMD";

/// A set of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Blocks of 64 bytes in loops of which the compiler makes vectors, for any machine.
    Portable,
    /// 64 bytes at a time, with masks in general registers and shuffles from tables; on AArch64.
    Neon,
    /// The same on x86-64.
    Avx2,
    /// 64 bytes at a time, with masks and VBMI2.
    Avx512,
}

impl Level {
    /// The levels of the processors that this is compiled for, the lowest first.
    pub const HERE: &[Level] = if cfg!(target_arch = "x86_64") {
        &[Level::Portable, Level::Avx2, Level::Avx512]
    } else if cfg!(target_arch = "aarch64") {
        &[Level::Portable, Level::Neon]
    } else {
        &[Level::Portable]
    };

    /// The level of the kernels over vectors of 32 bytes, where these are compiled at all.
    pub(super) const VECTORS: Level = if cfg!(target_arch = "aarch64") { Level::Neon } else { Level::Avx2 };

    /// The level at work, found once.
    #[inline]
    #[must_use]
    pub fn current() -> Level {
        static LEVEL: OnceLock<Level> = OnceLock::new();
        *LEVEL.get_or_init(|| {
            let Ok(Some(asked)) = Level::asked() else { return Level::detected() };
            let level = asked.min(Level::detected());
            #[cfg(feature = "simdutf")]
            // SAFETY: this runs once, and only where the variable is set, which is for tests: for the extension module
            // while it is imported and no other thread of the interpreter reads the environment.
            unsafe {
                follow(level)
            };
            level
        })
    }

    /// The level that is asked for; None where the variable is unset or empty.
    ///
    /// # Errors
    /// The variable names no level of such processors: what is wrong, in words.
    fn asked() -> Result<Option<Level>, String> {
        let Some(asked) = std::env::var_os(ASKED).filter(|name| !name.is_empty()) else { return Ok(None) };
        asked.to_str().and_then(Level::from_name).map(Some).ok_or_else(|| {
            let names: Vec<_> = Level::HERE.iter().map(|level| format!("'{}'", level.name())).collect();
            format!("{ASKED} is {} on this processor, not '{}'", names.join(" or "), asked.display())
        })
    }

    /// The level with this name, if such processors have it.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Level> {
        Level::HERE.iter().copied().find(|level| level.name() == name)
    }

    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Level::Portable => "portable",
            Level::Neon => "neon",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn detected() -> Level {
        if super::x86::avx512::is_available() {
            Level::Avx512
        } else if super::x86::avx2::is_available() {
            Level::Avx2
        } else {
            Level::Portable
        }
    }

    #[cfg(target_arch = "aarch64")]
    fn detected() -> Level {
        if super::aarch64::neon::is_available() { Level::Neon } else { Level::Portable }
    }

    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    fn detected() -> Level {
        Level::Portable
    }
}

/// The name of the level at work.
///
/// # Errors
/// What was asked for is not the name of a level of such processors: what is wrong, in words.
pub fn instruction_set() -> Result<&'static str, String> {
    Level::asked()?;
    Ok(Level::current().name())
}

/// The names of the levels that this machine has, the lowest first.
#[must_use]
pub fn instruction_sets() -> Vec<&'static str> {
    Level::HERE.iter().filter(|&&level| level <= Level::detected()).map(|level| level.name()).collect()
}

/// Have the C++ library choose as was asked of us. It reads this variable when it is first called, and gives wrong
/// answers where it names what the machine lacks; so only what was found to be there is named.
///
/// # Safety
/// No other thread reads the environment meanwhile, but by functions of Rust's library.
#[cfg(feature = "simdutf")]
unsafe fn follow(level: Level) {
    let name = match level {
        Level::Portable => "fallback",
        Level::Neon => "arm64",
        Level::Avx2 => "haswell",
        Level::Avx512 => "icelake",
    };
    // SAFETY: the contract of this function.
    unsafe { std::env::set_var("SIMDUTF_FORCE_IMPLEMENTATION", name) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_named_where_processors_have_it() {
        for &level in Level::HERE {
            assert_eq!(Level::from_name(level.name()), Some(level));
        }
        for level in [Level::Neon, Level::Avx2, Level::Avx512] {
            assert_eq!(Level::from_name(level.name()).is_some(), Level::HERE.contains(&level));
        }
        assert!(Level::HERE.is_sorted() && Level::HERE.contains(&Level::current()));
        let names = instruction_sets();
        assert!(names.contains(&Level::current().name()) && names.starts_with(&["portable"]));
    }
}
