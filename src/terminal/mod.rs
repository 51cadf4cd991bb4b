//! The program at a terminal: a line to edit, a history, colours and progress.
//!
//! All this is here only where a person types: with a pipe at either end, not a byte is
//! different. A build without the feature `terminal` has `none.rs` instead.

mod bar;

mod editor;

mod interrupts;

mod mode;

mod screen;

use std::io::{self, IsTerminal, Write};
use std::thread;
use std::time::Duration;

use carrybit::engine;
use carrybit::host::Sender;
use carrybit::sys::cpu;
use carrybit::uci::{Dialogue, Event, Failure, Terminal};
use crossbeam_channel::unbounded;

use bar::Bar;
use editor::Editor;
use interrupts::Interrupts;
use screen::Screen;

pub(crate) use mode::restore;

/// What the person reads first.
fn greeting() -> String {
    format!(
        "Carrybit {}, a chess engine ({}, {})\n\
         Type a move to begin a game, play to have it answered, help for all commands.\n",
        carrybit::VERSION,
        cpu::level(),
        engine::own_evaluation()
    )
}

/// How long the editor may take to show the last lines.
const LAST_LOOK: Duration = Duration::from_millis(50);

/// Talks to the person at the terminal; `None` if there is none. `prepare` is given the
/// handler of interrupts, `interrupt` ends the program.
pub(crate) fn converse(
    prepare: impl FnOnce(Box<dyn FnMut() + Send>),
    interrupt: fn(&Sender<Event>),
) -> Option<Result<(), Failure>> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return None;
    }
    mode::remember();
    let mut editor = match Editor::new() {
        Ok(editor) => editor,
        Err(error) => return Some(Err(Failure::Input(error))),
    };
    let bar = Bar::default();
    let mut screen = Screen::new(editor.printer(), bar.clone());
    if let Err(error) = screen.write_all(greeting().as_bytes()) {
        return Some(Err(Failure::Output(error)));
    }
    let mut dialogue = Dialogue::new(screen);
    let (to_editor, activity) = unbounded();
    let events = dialogue.events();
    let interrupts = Interrupts::new(events.clone());
    let work = interrupts.clone();
    dialogue.attach(Terminal {
        has_colour: console::colors_enabled(),
        activity: Some(Box::new(move |activity| {
            work.update(activity);
            // The editor may have ended.
            let _ = to_editor.send(activity);
        })),
        progress: Some(bar.show()),
    });
    let stopper = interrupts.clone();
    prepare(Box::new(move || {
        if !stopper.stop() {
            interrupt(&events);
        }
    }));
    let result = match editor.spawn(dialogue.events(), activity, interrupts, interrupt) {
        Ok(()) => dialogue.serve_person(),
        Err(error) => Err(Failure::Reader(error)),
    };
    // The editor shows what was printed last on a thread of its own.
    thread::sleep(LAST_LOOK);
    // Nobody is to begin another line; the person may be in the middle of one.
    drop(dialogue);
    restore();
    Some(result)
}

/// Where the answers to arguments go, and what the terminal there can do.
pub(crate) fn standard() -> (impl Write, Terminal) {
    let bar = Bar::default();
    let terminal = Terminal {
        has_colour: console::colors_enabled(),
        activity: None,
        progress: Some(bar.show()),
    };
    (Screen::new(Box::new(io::stdout()), bar), terminal)
}
