//! The available memory. Systems overcommit: a large allocation succeeds, and a lack of memory
//! ends the process at the first write. So check here first.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

#[cfg(not(target_family = "wasm"))]
use sysinfo::{MemoryRefreshKind, System};

#[cfg(target_os = "linux")]
use super::limits;

const LEFT_TO_OTHERS_PERCENT: u64 = 10;

/// Reserve for small allocations, in bytes.
const SPARE_BYTES: usize = 32 << 20;

/// Memory of the program with a hash table of 1 MB and one search thread, and a reserve, in
/// bytes.
#[cfg(target_os = "linux")]
const NEEDED_BYTES: u64 = 64 << 20;

/// Saves memory, and address space if `ulimit` limits it. Call it before the second thread starts.
///
/// # Errors
/// The limit leaves too little memory to run.
pub fn adapt_to_limits() -> Result<(), String> {
    #[cfg(target_os = "linux")]
    {
        let room = limits::process_room();
        limits::set_up_allocator(room.is_some());
        if let Some(room) = room.filter(|&room| room < NEEDED_BYTES) {
            let (room_mb, needed_mb) = (room >> 20, NEEDED_BYTES >> 20);
            return Err(format!(
                "not enough memory: a limit (ulimit -v or -d) leaves {room_mb} MB; raise it to \
                 leave {needed_mb} MB"
            ));
        }
    }
    Ok(())
}

/// The bytes of all promises.
static PROMISED: AtomicUsize = AtomicUsize::new(0);

/// Memory that is allocated but not yet written to. It counts as used: the system gives it only at
/// the first write, and until then offers it to others.
#[derive(Debug, Default)]
pub(crate) struct Promise(AtomicUsize);

impl Promise {
    /// Promises this number of bytes.
    pub(crate) fn new(bytes: usize) -> Promise {
        PROMISED.fetch_add(bytes, Relaxed);
        Promise(AtomicUsize::new(bytes))
    }

    /// Records that `bytes` of the promise, at most all, have been written to.
    pub(crate) fn keep(&self, bytes: usize) {
        let less = |left: usize| Some(left.saturating_sub(bytes));
        let left = self.0.fetch_update(Relaxed, Relaxed, less).unwrap_or_else(|left| left);
        PROMISED.fetch_sub(left.min(bytes), Relaxed);
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        self.keep(usize::MAX);
    }
}

/// The bytes that can be allocated, within the limits of control groups and of `ulimit`; `None`
/// if unknown.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn available_bytes() -> Option<u64> {
    // Miri lacks the system's calls.
    if cfg!(miri) {
        return None;
    }
    let mut system = System::new().ok()?;
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    let available = Some(system.available_memory()).filter(|&bytes| bytes > 0);
    let promised = PROMISED.load(Relaxed) as u64;
    let unpromised = |bytes: u64| bytes.saturating_sub(promised);
    #[cfg(not(target_os = "linux"))]
    let available = available.map(unpromised);
    // `ulimit` counts memory when it is allocated.
    #[cfg(target_os = "linux")]
    let available =
        [available.map(unpromised), limits::process_room(), limits::group_room().map(unpromised)]
            .into_iter()
            .flatten()
            .min();
    Some(available? / 100 * (100 - LEFT_TO_OTHERS_PERCENT))
}

/// WebAssembly's memory grows on demand, up to an unknown limit.
#[cfg(target_family = "wasm")]
pub(crate) fn available_bytes() -> Option<u64> {
    None
}

/// Whether there is memory for `bytes` and a reserve. Allocates nothing.
pub(crate) fn has_room(bytes: usize) -> bool {
    // WebAssembly would never return a reservation that tests the room.
    if cfg!(target_family = "wasm") {
        return true;
    }
    let wanted = bytes.saturating_add(SPARE_BYTES);
    available_bytes().is_none_or(|available| available >= wanted as u64)
        && Vec::<u8>::new().try_reserve_exact(wanted).is_ok()
}

/// The number of parts of `bytes` each, at most `wanted`, for which there is memory and a reserve.
pub(crate) fn room_for(wanted: usize, bytes: usize) -> usize {
    if wanted == 0 || has_room(wanted.saturating_mul(bytes)) {
        return wanted;
    }
    let fitting = available_bytes().map_or(wanted, |available| {
        usize::try_from(available).unwrap_or(usize::MAX).saturating_sub(SPARE_BYTES) / bytes
    });
    let mut parts = fitting.min(wanted);
    while parts > 0 && !has_room(parts.saturating_mul(bytes)) {
        parts -= 1;
    }
    parts
}
