//! Every package has a licence that `deny.toml` allows and comes from the one registry or this
//! workspace. CONTRIBUTING's table has every direct dependency.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::{self, Write};
use std::process::Command;
use std::sync::LazyLock;

use cargo_metadata::{
    CargoOpt, Dependency, DependencyKind, Error, Metadata, MetadataCommand, Package, PackageId,
};
use spdx::{Expression, LicenseReq, ParseMode};

use super::{read, root};

/// All packages, as cargo lists them; `None` if cargo is not installed.
static METADATA: LazyLock<Option<Metadata>> = LazyLock::new(metadata);

/// Lists the packages for all platforms, or for this platform only if the others cannot be fetched.
fn metadata() -> Option<Metadata> {
    let host = host()?;
    let attempts: [&[&str]; 3] =
        [&["--offline"], &[], &["--offline", "--filter-platform", host.as_str()]];
    let mut result = None;
    for options in attempts {
        let all = ["--locked"].iter().chain(options).map(|&option| option.to_owned());
        let metadata = MetadataCommand::new()
            .manifest_path(root().join("Cargo.toml"))
            .features(CargoOpt::AllFeatures)
            .other_options(all.collect::<Vec<_>>())
            .env("CARGO_NET_RETRY", "0")
            .exec();
        let is_missing = matches!(metadata, Err(Error::CargoMetadata { .. }));
        result = Some(metadata);
        if !is_missing {
            break;
        }
    }
    result.map(|metadata| metadata.unwrap_or_else(|error| panic!("cargo metadata: {error}")))
}

/// The target triple of this platform; `None` without a compiler.
fn host() -> Option<String> {
    let Ok(output) = Command::new("rustc").arg("-vV").output() else {
        let _ = writeln!(io::stderr(), "SKIPPED: rustc, and so cargo, is not installed");
        return None;
    };
    let text = String::from_utf8(output.stdout).expect("rustc writes text");
    text.lines().find_map(|line| line.strip_prefix("host: ")).map(str::to_owned)
}

/// The licences that `deny.toml` allows everywhere, and its exceptions by package.
fn policy() -> (HashSet<String>, HashMap<String, HashSet<String>>) {
    let policy: toml::Table = read("deny.toml").parse().expect("deny.toml is TOML");
    let names = |list: &toml::Value| -> HashSet<String> {
        let list = list.as_array().expect("a list of licences");
        list.iter().map(|name| name.as_str().expect("a licence").to_owned()).collect()
    };
    let exceptions = policy["licenses"]["exceptions"].as_array().expect("a list of exceptions");
    let exception = |entry: &toml::Value| {
        (entry["crate"].as_str().expect("a package").to_owned(), names(&entry["allow"]))
    };
    (names(&policy["licenses"]["allow"]), exceptions.iter().map(exception).collect())
}

/// Whether the allowed licences permit the package.
fn may_be_used(package: &Package, allowed: &HashSet<String>) -> bool {
    let text = package.license.as_deref().unwrap_or_default();
    let is_allowed = |licence: &LicenseReq| allowed.contains(&licence.to_string());
    Expression::parse_mode(text, ParseMode::LAX)
        .is_ok_and(|expression| expression.evaluate(is_allowed))
}

/// `roots` and all their dependencies, development dependencies included.
fn reached_from<'a>(
    metadata: &'a Metadata,
    roots: impl Iterator<Item = &'a PackageId>,
) -> HashSet<&'a PackageId> {
    let graph = metadata.resolve.as_ref().expect("cargo lists dependencies");
    let uses: HashMap<_, _> =
        graph.nodes.iter().map(|node| (&node.id, &node.dependencies)).collect();
    let mut reached = HashSet::new();
    let mut ahead: Vec<_> = roots.collect();
    while let Some(id) = ahead.pop() {
        if reached.insert(id) {
            ahead.extend(uses[id]);
        }
    }
    reached
}

#[test]
fn every_licence_is_allowed_and_exceptions_stay_outside_the_engine() {
    let Some(metadata) = &*METADATA else { return };
    let (allowed, exceptions) = policy();
    let members = metadata.workspace_members.iter();
    let ours = members.filter(|&id| !exceptions.contains_key(metadata[id].name.as_str()));
    let within_ours = reached_from(metadata, ours);
    let mut excepted = BTreeSet::new();
    for package in metadata.packages.iter().filter(|package| !may_be_used(package, &allowed)) {
        let exception = exceptions.get(package.name.as_str());
        let is_excepted = exception.is_some_and(|more| may_be_used(package, more));
        assert!(
            is_excepted && !within_ours.contains(&package.id),
            "{} {} is under {:?}",
            package.name,
            package.version,
            package.license
        );
        excepted.insert(package.name.as_str());
    }
    let names: BTreeSet<_> = exceptions.keys().map(String::as_str).collect();
    assert_eq!(excepted, names, "deny.toml has exceptions that are not needed");
}

#[test]
fn every_package_is_ours_or_from_the_one_registry() {
    let Some(metadata) = &*METADATA else { return };
    let mut registries = BTreeSet::new();
    for package in &metadata.packages {
        let is_ours = metadata.workspace_members.contains(&package.id);
        match &package.source {
            None => assert!(is_ours, "{} lies outside the workspace", package.name),
            Some(source) => {
                assert!(source.repr.starts_with("registry+"), "{} is from {source}", package.name);
                registries.insert(&source.repr);
            }
        }
    }
    assert_eq!(registries.len(), 1, "{registries:?}");
}

/// The user of a dependency of `member`, as in CONTRIBUTING's table.
fn user(member: &Package, dependency: &Dependency) -> String {
    let word = match (member.name.as_str(), dependency.kind) {
        (_, DependencyKind::Development) => "tests",
        ("carrybit", _) => "engine",
        (name, _) => name.trim_start_matches("carrybit-"),
    };
    word.to_owned()
}

/// The rows of CONTRIBUTING's table: each package and its users.
fn table() -> BTreeMap<String, BTreeSet<String>> {
    let mut table = BTreeMap::new();
    for line in read("CONTRIBUTING.md").lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [package, needed_by, purpose] = cells[..] else { panic!("not three cells: {line}") };
        assert!(!purpose.is_empty(), "no purpose: {line}");
        let needed_by = needed_by.split(", ").map(str::to_owned).collect();
        let previous = table.insert(package.trim_matches('`').to_owned(), needed_by);
        assert!(previous.is_none(), "twice: {line}");
    }
    table
}

#[test]
fn contributing_explains_each_dependency() {
    let Some(metadata) = &*METADATA else { return };
    let mut users: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for member in metadata.workspace_packages() {
        let foreign = member.dependencies.iter().filter(|dependency| dependency.path.is_none());
        for dependency in foreign {
            users.entry(dependency.name.clone()).or_default().insert(user(member, dependency));
        }
    }
    assert_eq!(table(), users, "CONTRIBUTING's table (left) and the dependencies (right)");
}
