//! A timing wheel: events within a bounded horizon, one list per cycle, O(1) each way.

use crate::engine::{prefetch, NEVER};
use crate::ids::Cycle;

/// Events of type `E` at most `horizon` cycles ahead. Events of one cycle come out in the order they went in, which no
/// user may depend on: a partition receives the events of its neighbours at other moments than its own.
///
/// Lists that have been emptied are reused last-in first-out, so memory follows the events in flight, not the horizon.
#[derive(Debug)]
pub struct Wheel<E> {
    slots: Vec<Vec<E>>,
    occupied: Vec<u64>,
    spare: Vec<Vec<E>>,
    mask: u64,
    /// All pending events are at or after this cycle.
    base: Cycle,
}

impl<E> Wheel<E> {
    /// An empty wheel for events at most `horizon` cycles after the cycle last taken.
    #[must_use]
    pub fn new(horizon: Cycle) -> Self {
        let n = Self::n_slots(horizon);
        Self {
            slots: (0..n).map(|_| Vec::new()).collect(),
            occupied: vec![0; (n / 64) as usize],
            spare: Vec::new(),
            mask: n - 1,
            base: 0,
        }
    }

    /// Cycles that a wheel for this horizon has lists for: a whole number of words of bits.
    fn n_slots(horizon: Cycle) -> u64 {
        (horizon + 1).next_power_of_two().max(64)
    }

    /// Bytes of a wheel for this horizon with no event in it.
    #[must_use]
    pub fn empty_bytes(horizon: Cycle) -> u64 {
        size_of::<Self>() as u64 + Self::n_slots(horizon) * size_of::<Vec<E>>() as u64
    }

    /// Adds an event at cycle `at`, and returns it as filed.
    ///
    /// # Panics
    /// If `at` lies before the cycle last taken or beyond the horizon: always checked, since it would corrupt time.
    #[inline(always)]
    pub fn push(&mut self, at: Cycle, event: E) -> &mut E {
        if at.wrapping_sub(self.base) > self.mask {
            self.refuse(at);
        }
        let index = (at & self.mask) as usize;
        if self.slots[index].len() == self.slots[index].capacity() {
            self.make_room(index);
        }
        let slot = &mut self.slots[index];
        let len = slot.len();
        slot.push(event);
        // Every list grows at a place of its own, which was in the cache long ago: the next line is asked for early.
        prefetch::line(slot, len + 1 + 96 / size_of::<E>().max(1));
        &mut slot[len]
    }

    #[cold]
    #[inline(never)]
    fn refuse(&self, at: Cycle) -> ! {
        panic!("event at cycle {at} outside the wheel from {} on", self.base);
    }

    /// Gives slot `index`, which is full, a spare list if it has none, or a longer one.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, index: usize) {
        let slot = &mut self.slots[index];
        if slot.capacity() == 0 {
            *slot = self.spare.pop().unwrap_or_default();
            self.occupied[index / 64] |= 1 << (index % 64);
        }
        let slot = &mut self.slots[index];
        if slot.len() == slot.capacity() {
            slot.reserve(slot.len().max(16));
        }
    }

    /// Takes the events of cycle `at`; cycles before it must have been taken or be empty. Give the list back with
    /// [`Wheel::recycle`].
    #[inline]
    pub fn take(&mut self, at: Cycle) -> Vec<E> {
        debug_assert!(at >= self.base);
        self.base = at;
        let index = (at & self.mask) as usize;
        let list = std::mem::take(&mut self.slots[index]);
        self.occupied[index / 64] &= !(1 << (index % 64));
        list
    }

    /// The events of cycle `at`, which lies within the horizon.
    #[inline]
    #[must_use]
    pub fn at(&self, at: Cycle) -> &[E] {
        &self.slots[(at & self.mask) as usize]
    }

    /// Says that every event before `to` has been taken, after cycles without events were skipped.
    #[inline]
    pub fn advance(&mut self, to: Cycle) {
        if to > self.base {
            debug_assert!(self.next(self.base) >= to);
            self.base = to;
        }
    }

    /// Returns a list got from [`Wheel::take`].
    #[inline]
    pub fn recycle(&mut self, mut list: Vec<E>) {
        if list.capacity() > 0 {
            list.clear();
            self.spare.push(list);
        }
    }

    /// Takes all that is pending, cycle by cycle; each list is to come back by [`Wheel::recycle`].
    pub fn drain(&mut self, mut each: impl FnMut(Cycle, Vec<E>)) {
        loop {
            let at = self.next(self.base);
            if at == NEVER {
                return;
            }
            let index = (at & self.mask) as usize;
            self.occupied[index / 64] &= !(1 << (index % 64));
            each(at, std::mem::take(&mut self.slots[index]));
        }
    }

    /// The first cycle at or after `from` that has an event; `from` must not be before the cycle last taken.
    #[inline]
    #[must_use]
    pub fn next(&self, from: Cycle) -> Cycle {
        let start = (from & self.mask) as usize;
        let n_words = self.occupied.len();
        let mut word = start / 64;
        let mut bits = self.occupied[word] & (!0 << (start % 64));
        for _ in 0..=n_words {
            if bits != 0 {
                let index = (word * 64 + bits.trailing_zeros() as usize) as u64;
                return from + (index.wrapping_sub(from) & self.mask);
            }
            word = (word + 1) % n_words;
            bits = self.occupied[word];
        }
        NEVER
    }

    /// Number of pending events; costs a look at every slot.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.iter().map(Vec::len).sum()
    }

    /// Whether nothing is pending.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.occupied.iter().all(|&word| word == 0)
    }

    /// Every pending event, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = &E> {
        self.slots.iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};
    use std::collections::BTreeMap;

    #[test]
    fn agrees_with_an_ordered_map_under_random_operations() {
        let mut stream = Stream::new(3, Purpose::Pairs, 0);
        let mut wheel = Wheel::new(150);
        let mut shadow: BTreeMap<Cycle, Vec<u32>> = BTreeMap::new();
        let mut now = 0;
        for id in 0..200_000u32 {
            if stream.below(3) > 0 {
                let at = now + Cycle::from(stream.below(151));
                wheel.push(at, id);
                shadow.entry(at).or_default().push(id);
            } else {
                let next = wheel.next(now);
                assert_eq!(next, shadow.keys().next().copied().unwrap_or(NEVER));
                if next != NEVER {
                    now = next;
                    let list = wheel.take(now);
                    assert_eq!(list, shadow.remove(&now).expect("the shadow has it"));
                    wheel.recycle(list);
                }
            }
            assert_eq!(wheel.len(), shadow.values().map(Vec::len).sum::<usize>());
        }
    }

    #[test]
    #[should_panic(expected = "outside the wheel")]
    fn an_event_in_the_past_is_refused() {
        let mut wheel = Wheel::new(10);
        let list = wheel.take(100);
        wheel.recycle(list);
        wheel.push(99, 0u8);
    }
}
