//! The program: its dialogue, its terminal, its tools and files, and the repository around it.

#[path = "../support/folder.rs"]
mod folder_support;
#[path = "../support/process.rs"]
mod process_support;
#[path = "../support/mod.rs"]
mod support;
#[path = "../support/time.rs"]
mod time_support;
#[path = "../support/uci.rs"]
mod uci_support;

mod analyse;
mod arena;
mod binary;
mod busy;
mod bytes;
mod dialogue;
mod faults;
mod fuzz_finds;
mod hammer;
mod long;
mod person;
mod repository;
mod resources;
mod table;
mod terminal;
mod tools;
