//! `EvalFile` loads, uses and removes networks, or refuses a file with a reason.

use carrybit::internals::eval::nnue::Network;
use carrybit::internals::eval::nnue::network::{L1, QuantisedNet, SHAPE, Shape};

use crate::folder_support::Folder;
use crate::uci_support::{Conversation, best_move};

/// The evaluation that `uci` names.
fn evaluation(conversation: &Conversation) -> String {
    let lines = conversation.ask("uci");
    let line = lines
        .into_iter()
        .find_map(|line| line.strip_prefix("info string evaluation: ").map(str::to_owned));
    line.expect("uci names the evaluation")
}

fn set(path: &str) -> String {
    format!("setoption name EvalFile value {path}")
}

#[test]
fn network_is_loaded_used_and_removed() {
    let folder = Folder::new("load");
    let bytes = QuantisedNet::material(SHAPE).to_bytes();
    let path = folder.write("a net.nnue", &bytes);
    let checksum = Network::read(&bytes).expect("a good network").checksum();
    let conversation = Conversation::start();
    let own = evaluation(&conversation);
    assert_eq!(own, Network::embedded().to_string());
    let own_search = conversation.search(&["go depth 6"]);
    let own_values = conversation.ask("eval");

    let loaded = format!("network {checksum:08x}");
    assert_eq!(conversation.ask(&set(&path)), [format!("info string evaluation: {loaded}")]);
    assert_eq!(evaluation(&conversation), loaded);
    assert_ne!(conversation.ask("eval"), own_values);
    best_move(&conversation.search(&["go depth 6"]));

    // No value of the other network stays in the transposition table or elsewhere.
    for own_name in ["<embedded>", "<empty>", ""] {
        assert_eq!(conversation.ask(&set(&path)).len(), 1);
        conversation.search(&["go depth 6"]);
        assert_eq!(
            conversation.ask(&set(own_name)),
            [format!("info string evaluation: {own}")],
            "{own_name}"
        );
        assert_eq!(conversation.ask("eval"), own_values);
        let lines = |search: &[String]| -> Vec<String> {
            let timeless = |line: &String| line.split(" nps ").next().map(str::to_owned);
            search.iter().filter_map(timeless).collect()
        };
        assert_eq!(lines(&conversation.search(&["go depth 6"])), lines(&own_search));
    }
    conversation.end();
}

#[test]
fn invalid_network_is_refused_and_changes_nothing() {
    let folder = Folder::new("refuse");
    let bytes = QuantisedNet::material(SHAPE).to_bytes();
    let mut giant = bytes.clone();
    // The highest byte of the number of neurons.
    giant[15] = 255;
    let other = QuantisedNet::material(Shape { neurons: L1 / 2, ..SHAPE });
    let missing = folder.path("missing.nnue");
    let other_shape = format!("{} neurons, not {L1} neurons;", L1 / 2);
    let cases = [
        (missing, "os error"),
        (folder.0.display().to_string(), "not a file"),
        ("/dev/zero".to_owned(), "not a file"),
        (folder.write("text", b"no network at all"), "not a network of Carrybit"),
        (folder.write("long", &[&bytes[..], b"\n"].concat()), "its length"),
        (folder.write("giant", &giant), "its shape"),
        (folder.write("other", &other.to_bytes()), &other_shape),
    ];
    let conversation = Conversation::start();
    let own = evaluation(&conversation);
    for (path, reason) in cases {
        let answer = conversation.ask(&set(&path));
        let [error] = &answer[..] else { panic!("one line: {answer:?}") };
        assert!(error.starts_with("info string cannot use ") && error.contains(&path), "{error}");
        assert!(error.contains(reason) && error.ends_with("EvalFile is unchanged"), "{error}");
        assert_eq!(evaluation(&conversation), own, "{path}");
    }
    best_move(&conversation.search(&["go depth 5"]));
    conversation.end();
}

#[test]
fn network_set_during_a_search_applies_to_the_next() {
    let folder = Folder::new("later");
    let path = folder.write("net", &QuantisedNet::material(SHAPE).to_bytes());
    let conversation = Conversation::start();
    conversation.send(&["setoption name Threads value 2", "go infinite"]);
    assert_eq!(conversation.ask(&set(&path)), [""; 0]);
    conversation.send(&["stop"]);
    best_move(&conversation.lines_until("bestmove"));
    assert_ne!(evaluation(&conversation), Network::embedded().to_string());
    best_move(&conversation.search(&["go depth 6"]));
    conversation.end();
}
