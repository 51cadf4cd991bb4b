//! `make`, which OpenBench's workers run, hands on to cargo what it was given, and makes
//! nothing where cargo or the program fails. Cargo is replaced by a script that writes
//! down how it was called.
#![cfg(unix)]

mod folder_support;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use folder_support::Folder;

/// Stands in for cargo: makes a program that ends with exit code `$PROGRAM_ENDS`, after it
/// has written a profile if it is built for that.
const CARGO: &str = r#"#!/bin/sh
echo "cargo $* with '$CARRYBIT_EVALFILE'"
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

const BUILD: &str = "cargo build --release --locked --bin carrybit";

/// Where a worker's build begins: the folder of each engine file.
const ENGINES: [(&str, &str); 2] = [("", ""), ("scripts/openbench/spsa", " --features spsa")];

/// Runs `make` in that folder of the source; `None` if there is no `make`.
fn make(folder: &Folder, place: &str, arguments: &[&str], ends: [&str; 2]) -> Option<Output> {
    let [cargo, profdata] = [("cargo", CARGO), ("profdata", PROFDATA)].map(|(name, text)| {
        let script = folder.write(name, text.as_bytes());
        fs::set_permissions(&script, Permissions::from_mode(0o755)).expect("the file is ours");
        script
    });
    let output = Command::new("make")
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(place))
        .arg("-j")
        .args(arguments)
        .env_remove("MAKEFLAGS")
        .env_remove("EVALFILE")
        .env_remove("SPSA")
        .env("CARGO", cargo)
        .env("LLVM_PROFDATA", profdata)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
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
fn each_engine_is_built_with_its_features_and_the_network_named() {
    for (place, features) in ENGINES {
        let folder = Folder::new("make");
        let exe = format!("EXE={}", folder.path("engine"));
        for network in ["", "/a/network"] {
            let evalfile = format!("EVALFILE={network}");
            let Some(output) = make(&folder, place, &[&exe, &evalfile], ["0", "0"]) else { return };
            let printed = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{place}: {printed}");
            let call = format!("{BUILD}{features} with '{network}'");
            assert!(printed.lines().any(|line| line == call), "{call} in {printed}");
            fs::remove_file(folder.path("engine")).expect("it is made under the name asked for");
        }
    }
}

#[test]
fn a_failed_build_leaves_no_program() {
    for (place, _) in ENGINES {
        for ends in [["1", "0"], ["0", "1"]] {
            let folder = Folder::new("make-fails");
            let exe = format!("EXE={}", folder.path("engine"));
            let Some(output) = make(&folder, place, &[&exe], ends) else { return };
            assert!(!output.status.success(), "{place} {ends:?}");
            assert!(!Path::new(&folder.path("engine")).exists(), "{place} {ends:?}");
        }
    }
}

#[test]
fn a_profiled_program_is_built_by_the_profile_of_its_bench() {
    let folder = Folder::new("make-pgo");
    let exe = format!("EXE={}", folder.path("engine"));
    let Some(output) = make(&folder, "", &["pgo", &exe], ["0", "0"]) else { return };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let engine = fs::read_to_string(folder.path("engine")).expect("it is made");
    assert_eq!(engine, "#!/bin/sh\n: built by the profile of bench\nexit 0\n");
}
