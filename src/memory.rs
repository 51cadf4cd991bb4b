//! How much memory is available. Memory allocated lazily always seems to be there, until
//! it is written to; whoever is about to allocate a lot asks here first.

#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_family = "wasm"))]
use sysinfo::{MemoryRefreshKind, System};

/// Share of the available memory that is left to everything else, in percent.
const LEFT_TO_OTHERS_PERCENT: u64 = 10;

/// Memory that is left for all small allocations, in bytes.
const SPARE_BYTES: usize = 32 << 20;

/// Memory that the program takes with a hash table of 1 MB and one search thread, and some
/// to spare, in bytes.
#[cfg(target_os = "linux")]
const NEEDED_BYTES: u64 = 64 << 20;

/// Saves address space if `ulimit` limits it; to be called before there is a second
/// thread.
pub fn adapt_to_limits() {
    #[cfg(target_os = "linux")]
    if linux::process_room().is_some() {
        linux::share_arena();
    }
}

/// Why the program cannot run, if a limit that `ulimit` sets leaves too little memory.
#[must_use]
pub fn refusal() -> Option<String> {
    #[cfg(target_os = "linux")]
    if let Some(room) = linux::process_room() {
        let (room_mb, needed_mb) = (room >> 20, NEEDED_BYTES >> 20);
        return (room < NEEDED_BYTES).then(|| {
            format!(
                "not enough memory: a limit (ulimit -v or -d) leaves {room_mb} MB; raise it to \
                 leave {needed_mb} MB"
            )
        });
    }
    None
}

/// The most bytes that can be allocated without driving the system out of memory; `None`
/// if it does not tell. The limits of control groups (a container, a slice of systemd, a
/// job of Slurm) and of `ulimit` count, too.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn available_bytes() -> Option<u64> {
    // Miri, the interpreter that detects undefined behaviour, lacks the system's calls.
    if cfg!(miri) {
        return None;
    }
    let mut system = System::new().ok()?;
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    let of_system = Some(system.available_memory()).filter(|&bytes| bytes > 0);
    let of_limits = limited_bytes();
    let available = of_system.into_iter().chain(of_limits).min()?;
    Some(available / 100 * (100 - LEFT_TO_OTHERS_PERCENT))
}

/// The least that a limit leaves to this process, in bytes.
#[cfg(target_os = "linux")]
fn limited_bytes() -> Option<u64> {
    linux::process_room().into_iter().chain(linux::group_room()).min()
}

/// Other systems have no such limits, or do not show them.
#[cfg(not(any(target_os = "linux", target_family = "wasm")))]
fn limited_bytes() -> Option<u64> {
    None
}

/// WebAssembly's memory grows on demand, and nobody tells how far.
#[cfg(target_family = "wasm")]
pub(crate) fn available_bytes() -> Option<u64> {
    None
}

/// Whether threads that take this many bytes in all, including their stacks, could be
/// started now and leave something for the rest. Allocates nothing.
pub(crate) fn has_room_for_threads(bytes: usize) -> bool {
    // Memory of WebAssembly that was reserved is never given back, and there are no threads.
    if cfg!(target_family = "wasm") {
        return true;
    }
    let wanted = bytes + SPARE_BYTES;
    let is_available = available_bytes().is_none_or(|available| available >= wanted as u64);
    is_available && has_room_for(wanted)
}

/// Whether the address space, which may be limited, has room for this many bytes.
fn has_room_for(bytes: usize) -> bool {
    Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_little_and_none_for_more_than_can_be_addressed() {
        assert!(has_room_for(1 << 20));
        assert!(!has_room_for(isize::MAX as usize));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn linux_tells_what_is_available() {
        let available = available_bytes().expect("Linux tells");
        assert!(available > 1 << 20, "{available}");
    }
}
