//! Hints to the processor that memory will be needed soon. The state of a large network does not fit a core's own cache, and
//! what the simulation touches next is known long before it is touched.

#![allow(unsafe_code)]

/// Asks for the cache line of `slice[index]`, to be read or written soon. An index beyond the end asks for nothing that
/// matters, and is no error.
#[inline(always)]
pub fn line<T>(slice: &[T], index: usize) {
    hint(slice.as_ptr().wrapping_add(index));
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn hint<T>(address: *const T) {
    use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
    // SAFETY: a prefetch is a hint. It reads nothing that the program can see, and does not fault whatever the address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn hint<T>(_: *const T) {}

#[cfg(test)]
mod tests {
    #[test]
    fn asking_beyond_the_end_is_no_error_and_changes_nothing() {
        let list = vec![7u64; 3];
        for index in [0, 2, 3, 1 << 20, usize::MAX / 8] {
            super::line(&list, index);
            super::line::<u64>(&[], index);
        }
        assert_eq!(list, [7; 3]);
    }
}
