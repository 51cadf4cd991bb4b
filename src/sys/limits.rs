//! Memory limits on Linux: those of control groups (a container, a systemd slice, a Slurm job)
//! and those of `ulimit`.
//!
//! `sysinfo` reads control groups, too, but counts the file cache as used (mapped tablebases
//! fill it) and ignores `memory.high`.

#![allow(unsafe_code)]

use std::fs;
use std::path::Path;

/// Blocks from this size on are returned; the histories of a search thread are larger.
#[cfg(all(target_env = "gnu", not(miri)))]
const LARGE_BLOCK_BYTES: libc::c_int = 1 << 20;

const GROUPS: &str = "/sys/fs/cgroup";

/// The bytes left in the control groups of a process, below `mount`. `own` is the text of
/// `/proc/self/cgroup`, with lines such as `4:memory:/a/b` or, in version 2, `0::/a/b`.
fn room_in_groups(mount: &Path, own: &str) -> Option<u64> {
    let room = |line: &str| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        let roots: &[&str] = match controllers {
            "" => &["", "unified"],
            _ if controllers.split(',').any(|name| name == "memory") => &["memory"],
            _ => return None,
        };
        roots.iter().filter_map(|root| room_below(&mount.join(root), path)).min()
    };
    own.lines().filter_map(room).min()
}

/// The bytes left in the group at `path` below `root` and in all groups around it.
fn room_below(root: &Path, path: &str) -> Option<u64> {
    let parts: Vec<&str> = path.split('/').filter(|part| !["", ".", ".."].contains(part)).collect();
    // In a container the path may begin outside the mount.
    let place = |skipped: usize| root.join(parts[skipped..].join("/"));
    let own = (0..=parts.len()).map(place).find(|folder| folder.is_dir())?;
    let groups = own.ancestors().take_while(|folder| folder.starts_with(root));
    groups.filter_map(room_in_group).min()
}

/// The bytes left in one group; `None` without a limit. Inactive file cache counts as free.
fn room_in_group(folder: &Path) -> Option<u64> {
    let read = |name: &str| fs::read_to_string(folder.join(name)).ok();
    let number = |name: &str| read(name)?.trim().parse::<u64>().ok();
    // The first two are of version 2, the last is of version 1. Above the high limit the kernel
    // throttles processes.
    let limits = ["memory.max", "memory.high", "memory.limit_in_bytes"];
    let limit = limits.into_iter().filter_map(number).min()?;
    let used = number("memory.current").or_else(|| number("memory.usage_in_bytes")).unwrap_or(0);
    let stat = read("memory.stat").unwrap_or_default();
    // In version 1 the plain name excludes child groups.
    let cache = value_of(&stat, "total_inactive_file ")
        .or_else(|| value_of(&stat, "inactive_file "))
        .unwrap_or(0);
    Some(limit.saturating_sub(used.saturating_sub(cache)))
}

/// The bytes that `ulimit` leaves, by the texts of `/proc/self/limits` and `/proc/self/status`.
fn room_in_limits(limits: &str, status: &str) -> Option<u64> {
    let room = |(limit, used): (&str, &str)| {
        let limit = value_of(limits, limit)?;
        Some(limit.saturating_sub(value_of(status, used)? << 10))
    };
    [("Max address space", "VmSize:"), ("Max data size", "VmData:")]
        .into_iter()
        .filter_map(room)
        .min()
}

/// The number that follows `name` at the beginning of a line.
fn value_of(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

/// The bytes that `ulimit` leaves to this process; `None` without a limit.
pub(super) fn process_room() -> Option<u64> {
    let read = |name: &str| fs::read_to_string(format!("/proc/self/{name}")).ok();
    room_in_limits(&read("limits")?, &read("status")?)
}

/// Makes glibc's allocator return large blocks to the system as soon as they are freed; otherwise
/// it would keep the histories of search threads that have ended. If there is a limit, all threads
/// share one arena: each further one reserves 64 MB of address space.
pub(super) fn set_up_allocator(has_limit: bool) {
    #[cfg(all(target_env = "gnu", not(miri)))]
    // SAFETY: sets numbers of the allocator, which locks its state.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES);
        if has_limit {
            libc::mallopt(libc::M_ARENA_MAX, 1);
        }
    }
    #[cfg(not(all(target_env = "gnu", not(miri))))]
    let _ = has_limit;
}

/// The bytes that the control groups of this process leave; `None` without a limit.
pub(super) fn group_room() -> Option<u64> {
    room_in_groups(Path::new(GROUPS), &fs::read_to_string("/proc/self/cgroup").ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a mount with `files`. Each case has the text of `/proc/self/cgroup` and the room.
    fn check_groups(name: &str, files: &[(&str, &str)], cases: &[(&str, Option<u64>)]) {
        let root = std::env::temp_dir().join(format!("carrybit-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        for (own, room) in cases {
            assert_eq!(room_in_groups(&root, own), *room, "{own:?}");
        }
        fs::remove_dir_all(root).expect("it was there");
    }

    #[test]
    fn tightest_group_around_a_process_counts_in_version_2() {
        check_groups(
            "v2",
            &[
                ("memory.stat", "inactive_file 7\n"),
                ("user.slice/memory.max", "900\n"),
                ("user.slice/memory.current", "500\n"),
                ("user.slice/memory.stat", "anon 400\nactive_file 1\ninactive_file 100\n"),
                ("user.slice/job/memory.max", "max\n"),
                ("user.slice/job/step/memory.max", "800\n"),
                ("user.slice/job/step/memory.high", "700\n"),
                ("user.slice/job/step/memory.current", "100\n"),
                ("user.slice/full/memory.max", "100\n"),
                ("user.slice/full/memory.current", "101\n"),
                ("lazy/memory.high", "300\n"),
            ],
            &[
                ("0::/user.slice/job/step\n", Some(500)),
                ("0::/user.slice/job\n", Some(500)),
                ("0::/user.slice/full\n", Some(0)),
                ("0::/lazy\n", Some(300)),
                ("0::/\n", None),
                ("0::/elsewhere\n", None),
                // Mounted in a container: the path begins outside the mount.
                ("0::/docker/user.slice/job\n", Some(500)),
                ("0::/../../user.slice/job\n", Some(500)),
                ("3:cpu:/user.slice\n", None),
                ("", None),
                ("nonsense\n", None),
            ],
        );
    }

    #[test]
    fn tightest_group_around_a_process_counts_in_version_1() {
        check_groups(
            "v1",
            &[
                ("memory/memory.limit_in_bytes", "9223372036854771712\n"),
                ("memory/slurm/memory.limit_in_bytes", "1000\n"),
                ("memory/slurm/memory.usage_in_bytes", "700\n"),
                ("memory/slurm/memory.stat", "inactive_file 1\ntotal_inactive_file 50\n"),
                ("memory/slurm/job/memory.limit_in_bytes", "800\n"),
                ("memory/slurm/job/memory.usage_in_bytes", "10\n"),
                ("unified/slurm/cgroup.procs", ""),
                ("unified/other/memory.max", "5\n"),
            ],
            &[
                ("12:cpu,cpuacct:/\n4:memory:/slurm/job\n0::/slurm\n", Some(350)),
                ("2:hugetlb,memory:/slurm/job\n", Some(350)),
                ("4:memory:/slurm/job\n0::/other\n", Some(5)),
                ("4:memory:/\n", Some(9_223_372_036_854_771_712)),
            ],
        );
    }

    #[test]
    fn tightest_limit_of_the_shell_counts() {
        let status = "VmPeak:\t 90 kB\nVmSize:\t      20 kB\nVmData:\t  5 kB\n";
        let limits = |data: &str, space: &str| {
            format!(
                "Max data size     {data}  unlimited  bytes\nMax address space {space} 9 bytes\n"
            )
        };
        for (data, space, room) in [
            ("unlimited", "unlimited", None),
            ("unlimited", "30720", Some(10 << 10)),
            ("6144", "30720", Some(1 << 10)),
            ("6144", "unlimited", Some(1 << 10)),
            ("6144", "100", Some(0)),
        ] {
            assert_eq!(room_in_limits(&limits(data, space), status), room, "{data} {space}");
        }
    }
}
