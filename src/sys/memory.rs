//! The available memory. Systems overcommit: a large allocation succeeds, and a lack of memory
//! ends the process at the first write. So check here first.

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

/// Saves address space if `ulimit` limits it. Call it before the second thread starts.
///
/// # Errors
/// The limit leaves too little memory to run.
pub fn adapt_to_limits() -> Result<(), String> {
    #[cfg(target_os = "linux")]
    if let Some(room) = limits::process_room() {
        limits::share_arena();
        if room < NEEDED_BYTES {
            let (room_mb, needed_mb) = (room >> 20, NEEDED_BYTES >> 20);
            return Err(format!(
                "not enough memory: a limit (ulimit -v or -d) leaves {room_mb} MB; raise it to \
                 leave {needed_mb} MB"
            ));
        }
    }
    Ok(())
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
    #[cfg(target_os = "linux")]
    let available =
        [available, limits::process_room(), limits::group_room()].into_iter().flatten().min();
    Some(available? / 100 * (100 - LEFT_TO_OTHERS_PERCENT))
}

/// WebAssembly's memory grows on demand, up to an unknown limit.
#[cfg(target_family = "wasm")]
pub(crate) fn available_bytes() -> Option<u64> {
    None
}

/// Whether there is memory for threads that need `bytes`, including their stacks, and a reserve.
/// Allocates nothing.
pub(crate) fn has_room_for_threads(bytes: usize) -> bool {
    // WebAssembly has no threads, and a reservation to test the room would never be returned.
    if cfg!(target_family = "wasm") {
        return true;
    }
    let wanted = bytes.saturating_add(SPARE_BYTES);
    available_bytes().is_none_or(|available| available >= wanted as u64)
        && Vec::<u8>::new().try_reserve_exact(wanted).is_ok()
}
