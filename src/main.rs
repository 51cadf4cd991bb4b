//! The binary.
fn main() {
    let depth = std::env::args()
        .nth(2)
        .and_then(|d| d.parse().ok())
        .unwrap_or(carrybit::tools::bench::DEFAULT_DEPTH);
    carrybit::tools::bench::run(depth, 16, &mut std::io::stdout()).unwrap();
}
