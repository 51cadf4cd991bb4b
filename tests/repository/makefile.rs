//! `make` leaves no program where a build fails, and `make pgo` uses the profile of its own
//! bench. A script stands in for cargo; `.ci/run` runs `make` for real.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use super::folder_support::Folder;
use super::root;

/// "Builds" a program that ends with exit code `$PROGRAM_ENDS`. Built for a profile, it writes
/// one; built by a profile, it contains it.
const CARGO: &str = r#"#!/bin/sh
folder=$CARGO_TARGET_DIR/release
while [ $# -gt 0 ]; do
    case $1 in
        --target) folder=$2/release ;;
        --target-dir) folder=$2/$folder ;;
    esac
    shift
done
mkdir -p "$folder"
{
    echo '#!/bin/sh'
    case $CARGO_ENCODED_RUSTFLAGS in
        -Cprofile-generate=*)
            raw=${CARGO_ENCODED_RUSTFLAGS#-Cprofile-generate=}
            echo "mkdir -p '$raw' && echo \"profile of \$1\" >'$raw/1.profraw'"
            ;;
        -Cprofile-use=*) echo ": built by the $(cat "${CARGO_ENCODED_RUSTFLAGS#-Cprofile-use=}")" ;;
    esac
    echo "exit $PROGRAM_ENDS"
} >"$folder/carrybit"
chmod +x "$folder/carrybit"
exit "$CARGO_ENDS"
"#;

/// Stands in for llvm-profdata: merges by copying.
const PROFDATA: &str = r#"#!/bin/sh
[ "$1 $2" = 'merge -o' ] && cat "$4"/*.profraw >"$3"
"#;

/// Runs `make` in that folder of the source; `None` if there is no `make`.
fn make(folder: &Folder, place: &str, target: &str, ends: [&str; 2]) -> Option<Output> {
    let [cargo, profdata] = [("cargo", CARGO), ("profdata", PROFDATA)].map(|(name, text)| {
        let script = folder.write(name, text.as_bytes());
        fs::set_permissions(&script, Permissions::from_mode(0o755)).expect("the file is ours");
        script
    });
    let mut command = Command::new("make");
    for inherited in ["MAKEFLAGS", "EVALFILE", "SPSA", "CARGO_ENCODED_RUSTFLAGS"] {
        command.env_remove(inherited);
    }
    let output = command
        .current_dir(root().join(place))
        .args(["-j", target, &format!("EXE={}", folder.path("engine"))])
        .env("CARGO", cargo)
        .env("LLVM_PROFDATA", profdata)
        .env("CARGO_TARGET_DIR", folder.path("target"))
        .env("CARGO_ENDS", ends[0])
        .env("PROGRAM_ENDS", ends[1])
        .output();
    if output.is_err() {
        eprintln!("Skipped: there is no make.");
    }
    output.ok()
}

#[test]
fn a_failed_build_leaves_no_program() {
    for place in ["", "scripts/openbench/spsa"] {
        for ends in [["1", "0"], ["0", "1"]] {
            let folder = Folder::new("make-fails");
            let Some(output) = make(&folder, place, "carrybit", ends) else { return };
            assert!(!output.status.success(), "{place} {ends:?}");
            assert!(!Path::new(&folder.path("engine")).exists(), "{place} {ends:?}");
        }
    }
}

#[test]
fn a_profiled_program_is_built_by_the_profile_of_its_bench() {
    let folder = Folder::new("make-pgo");
    let Some(output) = make(&folder, "", "pgo", ["0", "0"]) else { return };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let engine = fs::read_to_string(folder.path("engine")).expect("it is made");
    assert_eq!(engine, "#!/bin/sh\n: built by the profile of bench\nexit 0\n");
}
