//! What goes from one partition to another at the end of a window.

use crate::error::Error;
use crate::ids::Cycle;

/// Messages that act in the same cycle at the same place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// Where, as the receiving model numbers its places.
    pub place: u32,
    /// When.
    pub at: Cycle,
    /// What: records of the model.
    pub words: Vec<u32>,
}

/// One batch. Where sender and receiver share memory it changes hands as it is; elsewhere it travels as [`Batch::encode`] has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// Times that belong to the engine.
    pub times: Vec<Cycle>,
    /// Messages in order, of no particular cycle.
    pub bytes: Vec<u8>,
    /// Messages in lists.
    pub lists: Vec<List>,
    /// Lists of the receiver's, emptied: it gets its memory back. They do not travel.
    pub used: Vec<List>,
}

impl Batch {
    /// A batch of plain bytes.
    #[must_use]
    pub fn of_bytes(bytes: Vec<u8>) -> Self {
        Self { bytes, ..Self::default() }
    }

    /// Appends the batch to `out`: numbers of times, bytes and lists, then these, each list with place, cycle and length in
    /// front. All numbers are little-endian and of 64 bits, words of 32.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let put = |out: &mut Vec<u8>, n: u64| out.extend_from_slice(&n.to_le_bytes());
        [self.times.len(), self.bytes.len(), self.lists.len()].iter().for_each(|&n| put(out, n as u64));
        self.times.iter().for_each(|&time| put(out, time));
        out.extend_from_slice(&self.bytes);
        for List { place, at, words } in &self.lists {
            [(*place).into(), *at, words.len() as u64].iter().for_each(|&n| put(out, n));
            if cfg!(target_endian = "little") {
                out.extend_from_slice(bytemuck::cast_slice(words));
            } else {
                words.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
            }
        }
    }

    /// Takes over what was encoded, in place of what is here but for `used`. Lists are made of `spare` as long as there is any.
    ///
    /// # Errors
    /// If the bytes are cut short or too many.
    pub fn decode(&mut self, mut from: &[u8], spare: &mut Vec<Vec<u32>>) -> Result<(), Error> {
        let whole = self.try_decode(&mut from, spare).is_some() && from.is_empty();
        whole.then_some(()).ok_or_else(|| Error::Internal("a batch is cut short or too long".into()))
    }

    fn try_decode(&mut self, from: &mut &[u8], spare: &mut Vec<Vec<u32>>) -> Option<()> {
        let [n_times, n_bytes, n_lists] = [number(from)?, number(from)?, number(from)?];
        self.times.clear();
        for _ in 0..n_times {
            self.times.push(number(from)?);
        }
        self.bytes.clear();
        self.bytes.extend_from_slice(take(from, n_bytes)?);
        self.lists.clear();
        for _ in 0..n_lists {
            let [place, at, n_words] = [number(from)?, number(from)?, number(from)?];
            let encoded = take(from, n_words.checked_mul(4)?)?;
            let mut words = spare.pop().unwrap_or_default();
            words.clear();
            words.resize(n_words as usize, 0);
            bytemuck::cast_slice_mut(&mut words).copy_from_slice(encoded);
            if cfg!(target_endian = "big") {
                words.iter_mut().for_each(|word| *word = u32::from_le(*word));
            }
            self.lists.push(List { place: place.try_into().ok()?, at, words });
        }
        Some(())
    }
}

/// Takes `n` bytes off the front.
fn take<'a>(from: &mut &'a [u8], n: u64) -> Option<&'a [u8]> {
    let (front, rest) = from.split_at_checked(n.try_into().ok()?)?;
    *from = rest;
    Some(front)
}

/// Takes a number off the front.
fn number(from: &mut &[u8]) -> Option<u64> {
    take(from, 8)?.try_into().ok().map(u64::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_arrives_as_it_was_sent_and_none_that_is_cut_or_longer_does() {
        let list = |place, words: &[u32]| List { place, at: 1 << 40, words: words.to_vec() };
        let batch = Batch {
            times: vec![7, Cycle::MAX],
            bytes: vec![1, 2, 3],
            lists: vec![list(5, &[8, u32::MAX, 9]), list(0, &[])],
            used: Vec::new(),
        };
        let mut encoded = Vec::new();
        batch.encode(&mut encoded);
        let mut got = Batch { times: vec![3], bytes: vec![4; 9], lists: vec![list(1, &[1])], used: Vec::new() };
        let mut spare = vec![vec![6; 100]];
        got.decode(&encoded, &mut spare).expect("whole");
        assert_eq!((&got, spare.len()), (&batch, 0));
        for cut in 0..encoded.len() {
            assert!(got.decode(&encoded[..cut], &mut spare).is_err(), "{cut} bytes");
        }
        encoded.push(0);
        assert!(got.decode(&encoded, &mut spare).is_err());
        // A length that no memory holds.
        encoded[8..16].fill(0xff);
        assert!(got.decode(&encoded, &mut spare).is_err());
    }
}
