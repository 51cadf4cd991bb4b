#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| carrybit_fuzz::games::pgn(bytes));
