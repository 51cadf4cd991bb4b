//! Plays games of the engine against itself; see [`carrybit::tools::datagen`].

use clap::Parser;

use carrybit::tools::datagen::{Arguments, DatagenError, run};

fn main() -> Result<(), DatagenError> {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    run(&Arguments::parse(), &mut std::io::stdout())
}
