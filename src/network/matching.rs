//! Bipartite matching with round-robin pointers: iSLIP (McKeown 1999) and, with the roles exchanged, separable input-first
//! allocation. VC and switch allocation both use it.

use crate::network::Matching;

/// One request: input, output.
pub(super) type Request = (u16, u16);

#[derive(Clone, Copy, Default)]
struct Best {
    /// The round this entry is of; older entries count as empty, so nothing is cleared between rounds.
    round: u32,
    distance: u16,
    request: u16,
}

/// Scratch space of the allocators of one partition.
pub(super) struct Matcher {
    granted: Vec<Best>,
    accepted: Vec<Best>,
    taken_in: Vec<u32>,
    taken_out: Vec<u32>,
    touched: Vec<u16>,
    touched_in: Vec<u16>,
    round: u32,
    call: u32,
    /// Indices into the requests of the last call, of those that were matched.
    pub(super) matched: Vec<u16>,
}

/// Distance from a round-robin pointer to `i`, upward, modulo `n`.
#[inline]
pub(super) fn distance(i: u16, pointer: u16, n: u16) -> u16 {
    if i >= pointer {
        i - pointer
    } else {
        i + n - pointer
    }
}

/// The index after `i`, modulo `n`.
#[inline]
pub(super) fn after(i: u16, n: usize) -> u16 {
    if usize::from(i) + 1 == n {
        0
    } else {
        i + 1
    }
}

#[inline]
fn offer(best: &mut Best, round: u32, distance: u16, request: u16) -> bool {
    if best.round != round {
        *best = Best { round, distance, request };
        return true;
    }
    if distance < best.distance {
        best.distance = distance;
        best.request = request;
    }
    false
}

impl Matcher {
    /// Scratch for up to `n` inputs and outputs.
    #[must_use]
    pub fn new(n: usize) -> Self {
        Self {
            granted: vec![Best::default(); n],
            accepted: vec![Best::default(); n],
            taken_in: vec![0; n],
            taken_out: vec![0; n],
            touched: Vec::with_capacity(n),
            touched_in: Vec::with_capacity(n),
            round: 0,
            call: 0,
            matched: Vec::with_capacity(n),
        }
    }

    /// One allocation over `requests`, pairs of input and output, none twice; leaves the indices of those matched in
    /// `matched`. iSLIP: each requested output grants the first requesting input at or after its pointer; each input
    /// accepts the first grant at or after its own; on acceptance in the first iteration both pointers move one past the
    /// partner. Separable input-first: the same with the roles exchanged.
    #[inline]
    pub fn allocate(
        &mut self,
        matching: Matching,
        requests: &[Request],
        output_pointers: &mut [u16],
        input_pointers: &mut [u16],
        iterations: u32,
    ) {
        self.matched.clear();
        match (matching, requests) {
            (_, []) => {}
            // The commonest case by far at low load, and the outcome is plain.
            (_, &[(input, output)]) => {
                output_pointers[output as usize] = after(input, input_pointers.len());
                input_pointers[input as usize] = after(output, output_pointers.len());
                self.matched.push(0);
            }
            (Matching::Islip, _) => self.run(requests, |r| r, output_pointers, input_pointers, iterations),
            (Matching::SeparableInputFirst, _) => {
                self.run(requests, |(i, o)| (o, i), input_pointers, output_pointers, iterations);
            }
        }
    }

    /// Granting side and accepting side with their pointers; `sides` turns a request into (accepting, granting).
    #[inline]
    fn run(
        &mut self,
        requests: &[Request],
        sides: impl Fn(Request) -> (u16, u16),
        granting: &mut [u16],
        accepting: &mut [u16],
        iterations: u32,
    ) {
        self.begin_call();
        for iteration in 0..iterations {
            let before = self.matched.len();
            self.grant(requests, &sides, granting, accepting.len(), iteration);
            self.accept(requests, &sides, accepting, granting.len());
            for k in 0..self.touched_in.len() {
                let request = self.accepted[self.touched_in[k] as usize].request;
                let (a, g) = sides(requests[request as usize]);
                self.matched.push(request);
                if iterations > 1 {
                    self.taken_in[a as usize] = self.call;
                    self.taken_out[g as usize] = self.call;
                }
                if iteration == 0 {
                    granting[g as usize] = after(a, accepting.len());
                    accepting[a as usize] = after(g, granting.len());
                }
            }
            if self.matched.len() == before {
                break;
            }
        }
    }

    /// Starts over before a counter could meet its own past.
    #[inline]
    fn begin_call(&mut self) {
        if self.round > u32::MAX - 64 {
            self.granted.fill(Best::default());
            self.accepted.fill(Best::default());
            self.taken_in.fill(0);
            self.taken_out.fill(0);
            self.round = 0;
            self.call = 0;
        }
        self.call += 1;
    }

    #[inline]
    fn grant(
        &mut self,
        requests: &[Request],
        sides: &impl Fn(Request) -> (u16, u16),
        granting: &[u16],
        n_accepting: usize,
        iteration: u32,
    ) {
        self.round += 1;
        self.touched.clear();
        for (k, &request) in requests.iter().enumerate() {
            let (a, g) = sides(request);
            if iteration > 0 && (self.taken_in[a as usize] == self.call || self.taken_out[g as usize] == self.call) {
                continue;
            }
            let d = distance(a, granting[g as usize], n_accepting as u16);
            if offer(&mut self.granted[g as usize], self.round, d, k as u16) {
                self.touched.push(g);
            }
        }
    }

    #[inline]
    fn accept(&mut self, requests: &[Request], sides: &impl Fn(Request) -> (u16, u16), accepting: &[u16], n_granting: usize) {
        self.round += 1;
        self.touched_in.clear();
        for &g in &self.touched {
            let request = self.granted[g as usize].request;
            let (a, _) = sides(requests[request as usize]);
            let d = distance(g, accepting[a as usize], n_granting as u16);
            if offer(&mut self.accepted[a as usize], self.round, d, request) {
                self.touched_in.push(a);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    /// iSLIP as its paper words it, by scanning from the pointers.
    fn scan(requests: &[Request], gptr: &mut [u16], aptr: &mut [u16], iterations: u32) -> Vec<Request> {
        let (n_in, n_out) = (aptr.len(), gptr.len());
        let (mut in_match, mut out_match) = (vec![None; n_in], vec![None; n_out]);
        for iteration in 0..iterations {
            let mut grants = vec![None; n_out];
            for o in (0..n_out).filter(|&o| out_match[o].is_none()) {
                grants[o] = (0..n_in)
                    .map(|k| (gptr[o] as usize + k) % n_in)
                    .find(|&i| in_match[i].is_none() && requests.contains(&(i as u16, o as u16)));
            }
            for i in (0..n_in).filter(|&i| in_match[i].is_none()).collect::<Vec<_>>() {
                if let Some(o) = (0..n_out).map(|k| (aptr[i] as usize + k) % n_out).find(|&o| grants[o] == Some(i)) {
                    (in_match[i], out_match[o]) = (Some(o), Some(i));
                    if iteration == 0 {
                        gptr[o] = ((i + 1) % n_in) as u16;
                        aptr[i] = ((o + 1) % n_out) as u16;
                    }
                }
            }
        }
        (0..n_in).filter_map(|i| in_match[i].map(|o| (i as u16, o as u16))).collect()
    }

    #[test]
    fn agrees_with_a_scan_from_the_pointers() {
        let mut rng = Stream::new(2, Purpose::Pairs, 0);
        for (n_in, n_out) in [(1, 1), (3, 5), (7, 7), (12, 4)] {
            for iterations in [1, 2, 4] {
                let mut matcher = Matcher::new(12);
                let (mut g1, mut a1) = (vec![0; n_out], vec![0; n_in]);
                let (mut g2, mut a2) = (g1.clone(), a1.clone());
                for _ in 0..300 {
                    let requests: Vec<Request> = (0..n_in as u16)
                        .flat_map(|i| (0..n_out as u16).map(move |o| (i, o)))
                        .filter(|_| rng.below(3) == 0)
                        .collect();
                    matcher.allocate(Matching::Islip, &requests, &mut g1, &mut a1, iterations);
                    let mut fast: Vec<Request> = matcher.matched.iter().map(|&k| requests[k as usize]).collect();
                    fast.sort_unstable();
                    assert_eq!(fast, scan(&requests, &mut g2, &mut a2, iterations));
                    assert_eq!((&g1, &a1), (&g2, &a2));
                }
            }
        }
    }

    #[test]
    fn input_first_is_the_mirror_image() {
        let mut rng = Stream::new(2, Purpose::Pairs, 1);
        let (n_in, n_out) = (5, 7);
        let mut matcher = Matcher::new(7);
        let (mut g1, mut a1) = (vec![0; n_out], vec![0; n_in]);
        let (mut g2, mut a2) = (vec![0; n_in], vec![0; n_out]);
        for _ in 0..500 {
            let requests: Vec<Request> =
                (0..n_in as u16).flat_map(|i| (0..n_out as u16).map(move |o| (i, o))).filter(|_| rng.below(3) == 0).collect();
            let mirrored: Vec<Request> = requests.iter().map(|&(i, o)| (o, i)).collect();
            matcher.allocate(Matching::SeparableInputFirst, &requests, &mut g1, &mut a1, 1);
            let mut fast: Vec<Request> = matcher.matched.iter().map(|&k| mirrored[k as usize]).collect();
            fast.sort_unstable();
            assert_eq!(fast, scan(&mirrored, &mut g2, &mut a2, 1));
            assert_eq!((&g1, &a1), (&a2, &g2));
        }
    }
}
