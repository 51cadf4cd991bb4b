//! The functions of the fuzz targets. Each passes its bytes to a parser of untrusted input. The
//! parser must return an error or a valid value; otherwise the function panics. The tests of the
//! other packages call these functions with the seeds and with all finds.

pub mod engine;
pub mod games;
pub mod workshop;
