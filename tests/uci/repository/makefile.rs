//! A failed `make` leaves no program, `make pgo` builds with the profile of its own bench, and
//! `make install` installs the manual, too. A script stands in for cargo; `.ci/run` runs the real
//! `make`.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

#[cfg(feature = "manual")]
use super::files;
use super::root;
use crate::folder_support::Folder;

/// "Builds" a program that exits with `$PROGRAM_EXIT`. The program writes a profile if it was
/// built to write one, and contains the profile that it was built with.
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
    echo "exit $PROGRAM_EXIT"
} >"$folder/carrybit"
chmod +x "$folder/carrybit"
exit "$CARGO_EXIT"
"#;

/// Stands in for llvm-profdata: merges by copying.
const PROFDATA: &str = "#!/bin/sh\n[ \"$1 $2\" = 'merge -o' ] && cat \"$4\"/*.profraw >\"$3\"\n";

#[test]
fn failed_make_leaves_no_program_and_pgo_uses_the_profile_of_its_bench() {
    let built_by_profile = "#!/bin/sh\n: built by the profile of bench\nexit 0\n";
    for (place, target, codes, expected) in [
        ("", "carrybit", ["1", "0"], None),
        ("", "carrybit", ["0", "1"], None),
        ("scripts/openbench/spsa", "carrybit", ["1", "0"], None),
        ("scripts/openbench/spsa", "carrybit", ["0", "1"], None),
        ("", "pgo", ["0", "0"], Some(built_by_profile)),
    ] {
        let folder = Folder::new("make");
        let [cargo, profdata] = [("cargo", CARGO), ("profdata", PROFDATA)].map(|(name, text)| {
            let script = folder.write(name, text.as_bytes());
            fs::set_permissions(&script, Permissions::from_mode(0o755)).expect("our own file");
            script
        });
        let mut make = Command::new("make");
        for inherited in ["MAKEFLAGS", "EVALFILE", "SPSA", "CARGO_ENCODED_RUSTFLAGS"] {
            make.env_remove(inherited);
        }
        let target_folder = folder.path("target");
        let variables = [
            ("CARGO", cargo.as_str()),
            ("LLVM_PROFDATA", &profdata),
            ("CARGO_TARGET_DIR", &target_folder),
            ("CARGO_EXIT", codes[0]),
            ("PROGRAM_EXIT", codes[1]),
        ];
        make.current_dir(root().join(place)).envs(variables);
        make.args(["-j", target, &format!("EXE={}", folder.path("engine"))]);
        let Ok(output) = make.output() else {
            let _ = writeln!(io::stderr(), "SKIPPED: there is no make");
            return;
        };
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.success(), expected.is_some(), "{place} {codes:?}: {errors}");
        let engine = fs::read_to_string(Path::new(&folder.path("engine"))).ok();
        assert_eq!(engine.as_deref(), expected, "{place} {codes:?}");
    }
}

#[cfg(feature = "manual")]
#[test]
fn install_puts_program_and_manual_below_destdir_and_uninstall_removes_them() {
    let folder = Folder::new("install");
    let make = |target: &str, engine: &str| {
        let mut make = Command::new("make");
        make.env_remove("MAKEFLAGS").current_dir(root()).arg(target).arg("PREFIX=/usr");
        make.args([format!("EXE={engine}"), format!("DESTDIR={}", folder.path("to"))]);
        make.output()
    };
    let engine = env!("CARGO_BIN_EXE_carrybit");
    let Ok(output) = make("install", engine) else {
        let _ = writeln!(io::stderr(), "SKIPPED: there is no make");
        return;
    };
    assert!(output.status.success(), "{output:?}");
    let usr = folder.path("to/usr");
    for (file, words) in [
        ("bin/carrybit", &[] as &[&str]),
        ("share/man/man1/carrybit.1", &["speedtest: measures the speed", "install\\-manual"]),
        ("share/man/man1/carrybit-analyse.1", &["GAMES.pgn", "movetime\\-ms"]),
        ("share/bash-completion/completions/carrybit", &["speedtest", "--movetime-ms"]),
        ("share/fish/vendor_completions.d/carrybit.fish", &["speedtest", "movetime-ms"]),
        ("share/zsh/site-functions/_carrybit", &["speedtest", "--movetime-ms"]),
    ] {
        let bytes = fs::read(format!("{usr}/{file}")).expect("an installed file");
        let text = String::from_utf8_lossy(&bytes);
        for word in words {
            assert!(text.contains(word), "{file} lacks {word}: {text}");
        }
    }
    assert_eq!(files(&usr).len(), 6);
    assert!(make("uninstall", engine).is_ok_and(|output| output.status.success()));
    assert_eq!(files(&usr), Vec::<std::path::PathBuf>::new());
    let output = make("install", &folder.path("none")).expect("make runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && errors.contains("run make first"), "{errors}");
}
