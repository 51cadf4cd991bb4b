//! The kernels for 64-bit ARM: NEON, which all such processors have, and the dot product of later
//! ones (ARMv8.2: Cortex-A75 and A76, Neoverse, Apple M1).

use std::arch::aarch64::*;
use std::arch::asm;

use bytemuck::must_cast;

use crate::eval::nnue::network::{Accumulator, L1, L2, ONE, Stack};

use super::Activations;

/// Defines a [`portable::output`](super::portable::output) with these instructions, which adds the
/// products of inputs and weights by the function `add`.
macro_rules! output {
    ($name:ident, $features:literal, $add:ident) => {
        #[target_feature(enable = $features)]
        pub(super) fn $name(ours: &Accumulator, theirs: &Accumulator, stack: &Stack) -> f32 {
            let activations = activations(ours, theirs);
            let inputs = activations.0.as_flattened().as_chunks::<16>().0;
            // The sums of all neurons fit the registers, so each input is loaded once.
            let mut totals = [vdupq_n_s32(0); L2];
            for (at, inputs) in inputs.iter().enumerate() {
                let inputs = must_cast(*inputs);
                for (total, weights) in totals.iter_mut().zip(&stack.l1_weights) {
                    *total = $add(*total, inputs, must_cast(weights.as_chunks::<16>().0[at]));
                }
            }
            stack.dense.output(&sums(&totals))
        }
    };
}

output!(output, "neon", add_products);
output!(output_by_dot_products, "neon,dotprod", add_dot_products);

#[inline]
#[target_feature(enable = "neon")]
fn add_products(total: int32x4_t, inputs: int8x16_t, weights: int8x16_t) -> int32x4_t {
    // An activation is 126 at most, so the sum of two products fits 16 bits.
    let products = vmull_s8(vget_low_s8(inputs), vget_low_s8(weights));
    vpadalq_s16(total, vmlal_high_s8(products, inputs, weights))
}

/// The instruction has no stable intrinsic (rust-lang/rust#117224).
#[inline]
#[target_feature(enable = "neon,dotprod")]
fn add_dot_products(mut total: int32x4_t, inputs: int8x16_t, weights: int8x16_t) -> int32x4_t {
    // SAFETY: the instruction, one of `dotprod`, only changes `total`.
    unsafe {
        asm!(
            "sdot {total:v}.4s, {inputs:v}.16b, {weights:v}.16b",
            total = inout(vreg) total,
            inputs = in(vreg) inputs,
            weights = in(vreg) weights,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    total
}

/// The sum of each four lanes.
#[inline]
#[target_feature(enable = "neon")]
fn sums(totals: &[int32x4_t; L2]) -> [i32; L2] {
    let mut sums = [0; L2];
    for (sums, totals) in sums.as_chunks_mut::<4>().0.iter_mut().zip(totals.as_chunks::<4>().0) {
        let [a, b, c, d] = *totals;
        *sums = must_cast(vpaddq_s32(vpaddq_s32(a, b), vpaddq_s32(c, d)));
    }
    sums
}

/// The squares on which the pieces differ, a bit for each.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn changed_squares(before: &[u64; 8], after: &[u64; 8]) -> u64 {
    let (before, after): ([uint8x16_t; 4], [uint8x16_t; 4]) =
        (must_cast(*before), must_cast(*after));
    let bits = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
    let mut equal = [bits; 4];
    for (equal, (before, after)) in equal.iter_mut().zip(before.into_iter().zip(after)) {
        *equal = vandq_u8(vceqq_u8(before, after), bits);
    }
    let [a, b, c, d] = equal;
    let sums = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
    !vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)))
}

/// Sixteen activations at a time.
#[inline]
#[target_feature(enable = "neon")]
fn activations(ours: &Accumulator, theirs: &Accumulator) -> Activations {
    let mut activations = Activations([[0; L1 / 2]; 2]);
    for (neurons, activations) in [ours, theirs].into_iter().zip(&mut activations.0) {
        for (at, activations) in (0..).step_by(16).zip(activations.as_chunks_mut::<16>().0) {
            // A negative product becomes 0.
            let first = vmaxq_s8(at_most_one(neurons, at), vdupq_n_s8(0));
            let second = at_most_one(neurons, at + L1 / 2);
            let low = vmull_s8(vget_low_s8(first), vget_low_s8(second));
            let high = vmull_high_s8(first, second);
            let rounded = vqrshrun_high_n_s16::<7>(vqrshrun_n_s16::<7>(low), high);
            *activations = must_cast(rounded);
        }
    }
    activations
}

/// The 16 neurons from index `at` on, narrowed to 8 bits, whose maximum is [`ONE`].
#[inline]
#[target_feature(enable = "neon")]
fn at_most_one(neurons: &Accumulator, at: usize) -> int8x16_t {
    const { assert!(ONE == i8::MAX as i32) };
    let [low, high]: [int16x8_t; 2] =
        must_cast(*neurons.0[at..].first_chunk::<16>().expect("accumulators are whole registers"));
    vqmovn_high_s16(vqmovn_s16(low), high)
}
