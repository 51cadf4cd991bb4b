//! Vector instructions, and prefetching.
//!
//! The level in use is the best that the processor supports, or the one that the environment
//! variable [`VARIABLE`] names. All levels give equal results at different speeds.

use alloc::format;
use alloc::string::String;
use core::fmt;
use core::sync::atomic::{AtomicU8, Ordering};

/// The environment variable that forces a level, by its [`Level::name`].
pub const VARIABLE: &str = "CARRYBIT_SIMD";

/// A set of vector instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    /// Plain Rust, on any processor.
    Scalar = 1,
    /// NEON, which every 64-bit ARM processor has; its dot product is used
    /// [where there is one](has_dot_product).
    Neon = 2,
    /// AVX2 and the bit instructions that came with it (Intel 2013, AMD 2017).
    Avx2 = 3,
    /// AVX-512 as of Ice Lake (2019) and Zen 4 (2022): with VBMI, VBMI2, BITALG
    /// and VNNI.
    Avx512 = 4,
}

impl Level {
    /// All levels, the slowest first.
    pub const ALL: [Level; 4] = [Level::Scalar, Level::Neon, Level::Avx2, Level::Avx512];

    /// The name of the level: `scalar`, `neon`, `avx2` or `avx512`.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Scalar => "scalar",
            Level::Neon => "neon",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
        }
    }

    /// Whether this processor has the level's instructions.
    pub fn is_supported(self) -> bool {
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        macro_rules! has {
            ($($feature:tt),+) => { $(is_x86_feature_detected!($feature))&&+ };
        }
        match self {
            Level::Scalar => true,
            Level::Neon => cfg!(target_arch = "aarch64"),
            #[cfg(all(feature = "std", target_arch = "x86_64"))]
            Level::Avx2 => has!("avx2", "bmi1", "bmi2", "lzcnt", "popcnt"),
            #[cfg(all(feature = "std", target_arch = "x86_64"))]
            Level::Avx512 => {
                Level::Avx2.is_supported()
                    && has!("avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512vbmi")
                    && has!("avx512vbmi2", "avx512bitalg", "avx512vnni")
            }
            #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
            Level::Avx2 | Level::Avx512 => false,
        }
    }

    /// The levels that this processor supports, the slowest first.
    pub fn supported() -> impl Iterator<Item = Level> {
        Level::ALL.into_iter().filter(|level| level.is_supported())
    }

    /// The best level that this processor supports.
    pub fn best() -> Level {
        Level::supported().last().unwrap_or(Level::Scalar)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The level in use, as its number; 0 before it is chosen.
static IN_USE: AtomicU8 = AtomicU8::new(0);

/// The level in use, which the processor supports.
#[inline]
pub fn level() -> Level {
    match IN_USE.load(Ordering::Relaxed) {
        level if level == Level::Avx512 as u8 => Level::Avx512,
        level if level == Level::Avx2 as u8 => Level::Avx2,
        level if level == Level::Neon as u8 => Level::Neon,
        level if level == Level::Scalar as u8 => Level::Scalar,
        _ => choose(),
    }
}

#[cold]
fn choose() -> Level {
    #[cfg(feature = "std")]
    let level = level_of_env().unwrap_or_else(|error| {
        log::warn!("{error}");
        Level::best()
    });
    #[cfg(not(feature = "std"))]
    let level = Level::Scalar;
    IN_USE.store(level as u8, Ordering::Relaxed);
    level
}

/// Changes the level in use, for tests and measurements.
///
/// # Errors
/// The processor does not support the level; the old one stays in use.
pub fn set_level(level: Level) -> Result<(), String> {
    if !level.is_supported() {
        return Err(format!("this processor has no {level}"));
    }
    IN_USE.store(level as u8, Ordering::Relaxed);
    Ok(())
}

/// The error if [`VARIABLE`] names no level, or one that the processor lacks.
#[cfg(feature = "std")]
pub fn env_error() -> Option<String> {
    level_of_env().err()
}

/// The level that [`VARIABLE`] names, or the best if it is not set.
#[cfg(feature = "std")]
fn level_of_env() -> Result<Level, String> {
    let Some(name) = std::env::var_os(VARIABLE) else { return Ok(Level::best()) };
    match Level::ALL.into_iter().find(|level| name == level.name()) {
        Some(level) if level.is_supported() => Ok(level),
        Some(level) => Err(format!("{VARIABLE} ignored: this processor has no {level}")),
        None => {
            let names = Level::ALL.map(Level::name).join(", ");
            Err(format!("{VARIABLE} ignored: {name:?} is none of {names}"))
        }
    }
}

/// Whether this processor has the dot product of NEON (ARMv8.2).
pub fn has_dot_product() -> bool {
    #[cfg(all(feature = "std", target_arch = "aarch64"))]
    return std::arch::is_aarch64_feature_detected!("dotprod");
    #[cfg(not(all(feature = "std", target_arch = "aarch64")))]
    false
}

/// Hints that `target` will soon be read. A no-op except on x86-64 and 64-bit ARM.
#[allow(unsafe_code)]
#[inline]
pub fn prefetch<T>(target: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 has SSE, and a prefetch is a hint that never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(target).cast()) }
    }
    // SAFETY: a prefetch is a hint that never faults.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        core::arch::asm!(
            "prfm pldl1keep, [{target}]",
            target = in(reg) core::ptr::from_ref(target),
            options(readonly, nostack, preserves_flags),
        );
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = target;
}
