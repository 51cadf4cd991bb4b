//! What the processor can do: which vector instructions the engine's kernels use.
//!
//! Decided once, on first use: the best level that the processor supports, or the one
//! that the environment variable [`VARIABLE`] names. All levels give the same results;
//! only the speed differs.

use std::env;
use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};

/// The environment variable that forces a level, by its [`Level::name`].
pub const VARIABLE: &str = "CARRYBIT_SIMD";

/// A set of vector instructions that kernels are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    /// None: plain Rust that runs everywhere.
    Scalar = 1,
    /// AVX2 and the bit instructions that came with it (Intel 2013, AMD 2017).
    Avx2 = 2,
    /// AVX-512 as of Ice Lake (2019) and Zen 4 (2022): with VBMI, VBMI2, BITALG
    /// and VNNI.
    Avx512 = 3,
}

impl Level {
    /// All levels, from the plainest to the best.
    pub const ALL: [Level; 3] = [Level::Scalar, Level::Avx2, Level::Avx512];

    /// The name of the level: `scalar`, `avx2` or `avx512`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Level::Scalar => "scalar",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
        }
    }

    /// The level with this [`name`](Level::name).
    #[must_use]
    pub fn from_name(name: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| level.name() == name)
    }

    /// Whether this processor has the level's instructions.
    #[must_use]
    pub fn is_supported(self) -> bool {
        match self {
            Level::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("lzcnt")
                    && is_x86_feature_detected!("popcnt")
            }
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => {
                Level::Avx2.is_supported()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512vbmi")
                    && is_x86_feature_detected!("avx512vbmi2")
                    && is_x86_feature_detected!("avx512bitalg")
                    && is_x86_feature_detected!("avx512vnni")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Level::Avx2 | Level::Avx512 => false,
        }
    }

    /// The levels that this processor supports.
    pub fn supported() -> impl Iterator<Item = Level> {
        Level::ALL.into_iter().filter(|level| level.is_supported())
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name())
    }
}

/// The level in use, as its number; 0 before it is decided.
static IN_USE: AtomicU8 = AtomicU8::new(0);

/// The level in use; the processor is certain to support it.
#[inline]
#[must_use]
pub fn level() -> Level {
    const SCALAR: u8 = Level::Scalar as u8;
    const AVX2: u8 = Level::Avx2 as u8;
    const AVX512: u8 = Level::Avx512 as u8;
    match IN_USE.load(Ordering::Relaxed) {
        AVX512 => Level::Avx512,
        AVX2 => Level::Avx2,
        SCALAR => Level::Scalar,
        _ => decide(),
    }
}

/// Changes the level in use, for tests and measurements. Safe at any time.
///
/// # Errors
/// The processor does not support the level; nothing has changed then.
pub fn set_level(level: Level) -> Result<(), UnsupportedLevel> {
    if !level.is_supported() {
        return Err(UnsupportedLevel(level));
    }
    IN_USE.store(level as u8, Ordering::Relaxed);
    Ok(())
}

/// The processor lacks the instructions of this level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this processor has no {0}")]
pub struct UnsupportedLevel(pub Level);

/// Why [`VARIABLE`] is ignored, if it is: it names no level, or one that the processor
/// does not support.
#[must_use]
pub fn refusal() -> Option<String> {
    wanted().err()
}

/// The level that [`VARIABLE`] names, or the best if it is not set.
fn wanted() -> Result<Level, String> {
    let Some(name) = env::var_os(VARIABLE) else { return Ok(best()) };
    let Some(level) = name.to_str().and_then(Level::from_name) else {
        return Err(format!("{VARIABLE} ignored: {name:?} is none of scalar, avx2, avx512"));
    };
    if !level.is_supported() {
        return Err(format!("{VARIABLE} ignored: {}", UnsupportedLevel(level)));
    }
    Ok(level)
}

/// The best level that this processor supports.
fn best() -> Level {
    Level::supported().last().unwrap_or(Level::Scalar)
}

#[cold]
fn decide() -> Level {
    let level = wanted().unwrap_or_else(|refusal| {
        log::warn!("{refusal}");
        best()
    });
    IN_USE.store(level as u8, Ordering::Relaxed);
    level
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_found_by_their_names_only() {
        for level in Level::ALL {
            assert_eq!(Level::from_name(level.name()), Some(level));
        }
        for name in ["", "AVX2", "avx", "avx512 ", "sse2"] {
            assert_eq!(Level::from_name(name), None);
        }
    }

    #[test]
    fn only_what_the_processor_has_can_be_set() {
        assert!(level().is_supported());
        for level in Level::ALL {
            assert_eq!(set_level(level).is_ok(), level.is_supported());
        }
        assert!(level().is_supported());
    }
}
