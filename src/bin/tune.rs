//! Fits the weights of the evaluation to the results of games; see
//! [`carrybit::tools::tune`].

use clap::Parser;

use carrybit::tools::tune::{Arguments, TuneError, run};

fn main() -> Result<(), TuneError> {
    run(&Arguments::parse())
}
