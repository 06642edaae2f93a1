//! Events without a bound on how far ahead they lie: a wheel for the near future, buckets of one wheel turn beyond.

use std::collections::BTreeMap;

use crate::engine::{Wheel, NEVER};
use crate::ids::Cycle;

const TURN_BITS: u32 = 10;

/// Events at any later time. Near ones cost as little as in a [`Wheel`]; a far one is moved once, when its turn begins.
#[derive(Debug)]
pub struct Calendar<E> {
    near: Wheel<E>,
    /// Events by turn (`cycle >> TURN_BITS`), each bucket with its earliest time.
    far: BTreeMap<Cycle, (Cycle, Vec<(Cycle, E)>)>,
    turn: Cycle,
}

impl<E: Copy> Default for Calendar<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: Copy> Calendar<E> {
    /// An empty calendar.
    #[must_use]
    pub fn new() -> Self {
        Self { near: Wheel::new((1 << TURN_BITS) - 1), far: BTreeMap::new(), turn: 0 }
    }

    /// Adds an event at cycle `at`, not before the cycle last taken.
    #[inline]
    pub fn push(&mut self, at: Cycle, event: E) {
        let turn = at >> TURN_BITS;
        if turn <= self.turn {
            self.near.push(at, event);
        } else {
            let bucket = self.far.entry(turn).or_insert((NEVER, Vec::new()));
            bucket.0 = bucket.0.min(at);
            bucket.1.push((at, event));
        }
    }

    /// Takes the events of cycle `at`; earlier ones must have been taken. Give the list back with [`Calendar::recycle`].
    #[inline]
    pub fn take(&mut self, at: Cycle) -> Vec<E> {
        let turn = at >> TURN_BITS;
        if turn > self.turn {
            self.begin(turn);
        }
        self.near.take(at)
    }

    /// The events of cycle `at` that are near already: all, except in the first cycle of a turn.
    #[inline]
    #[must_use]
    pub fn at(&self, at: Cycle) -> &[E] {
        if at >> TURN_BITS == self.turn {
            self.near.at(at)
        } else {
            &[]
        }
    }

    fn begin(&mut self, turn: Cycle) {
        self.turn = turn;
        // Moves the wheel's base to the new turn: everything before it has been taken.
        let list = self.near.take(turn << TURN_BITS);
        debug_assert!(list.is_empty(), "events of an earlier turn were skipped");
        self.near.recycle(list);
        if let Some((_, events)) = self.far.remove(&turn) {
            for (at, event) in events {
                self.near.push(at, event);
            }
        }
    }

    /// Returns a list got from [`Calendar::take`].
    #[inline]
    pub fn recycle(&mut self, list: Vec<E>) {
        self.near.recycle(list);
    }

    /// The first cycle at or after `from` that has an event.
    #[inline]
    #[must_use]
    pub fn next(&self, from: Cycle) -> Cycle {
        let near = if from >> TURN_BITS > self.turn { NEVER } else { self.near.next(from) };
        if near != NEVER {
            return near;
        }
        self.far.first_key_value().map_or(NEVER, |(_, &(earliest, _))| earliest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    #[test]
    fn agrees_with_an_ordered_map_near_and_far() {
        let mut stream = Stream::new(5, Purpose::Pairs, 0);
        let mut calendar = Calendar::new();
        let mut shadow: BTreeMap<Cycle, Vec<u32>> = BTreeMap::new();
        let mut now = 0;
        for id in 0..100_000u32 {
            if stream.below(2) == 0 {
                let far = [10, 1_000, 5_000, 3_000_000][stream.below(4) as usize];
                let at = now + Cycle::from(stream.below(far));
                calendar.push(at, id);
                shadow.entry(at).or_default().push(id);
            } else {
                let next = calendar.next(now);
                assert_eq!(next, shadow.keys().next().copied().unwrap_or(NEVER));
                if next != NEVER {
                    now = next;
                    let mut list = calendar.take(now);
                    list.sort_unstable();
                    assert_eq!(list, shadow.remove(&now).expect("the shadow has it"));
                    calendar.recycle(list);
                }
            }
        }
    }
}
