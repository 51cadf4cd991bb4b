//! The functions of the fuzz targets. Each passes its bytes to a parser of untrusted input,
//! which must reject them or accept them as something valid; otherwise the function panics. The
//! tests of the other packages run them on the seeds and on all finds.

pub mod engine;
pub mod games;
pub mod workshop;
