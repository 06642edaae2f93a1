//! What partitions send each other at the end of a window: lists of flits and credits that change hands, or are copied where no
//! memory is shared; what comes malformed is refused.

mod support;

use sfpdes::engine::{Batch, Exchange, List, Model, Windows};
use sfpdes::error::Error;
use sfpdes::ids::{Cycle, PartitionId};
use sfpdes::network::Network;
use sfpdes::stats::Period;
use support::point;

/// Two partitions that talk to each other.
const PAIR: &str = "
[network]
topology = 'slim-fly'
q = 4
channel_latency = 3
[traffic]
injection_rate = 0.4
packet_size = 2
";

const CYCLES: Cycle = 600;

/// Runs both partitions in turn, window by window; `carry` takes what one sends to the other. Returns their counts.
fn in_turn(mut carry: impl FnMut(usize, &mut Batch) -> Batch) -> Vec<Period> {
    let point = point(PAIR, &[], 2);
    let lookahead = point.layout.lookahead.unwrap();
    let mut networks = [0, 1].map(|partition| point.network(partition).unwrap().0);
    let mut now = 0;
    while now < CYCLES {
        let end = CYCLES.min(now + lookahead);
        networks.iter_mut().for_each(|network| network.run(now, end));
        let mut sent = [0, 1].map(|partition| carry(partition, &mut networks[partition].outboxes()[0]));
        sent.reverse();
        for (network, batch) in networks.iter_mut().zip(&mut sent) {
            network.deliver(0, batch, end).unwrap();
            assert_eq!(*batch, Batch::default(), "what was delivered is gone");
        }
        now = end;
    }
    networks.iter_mut().map(|network| network.close_period(CYCLES).unwrap()).collect()
}

fn words(counts: &[Period]) -> &[u64] {
    bytemuck::cast_slice(counts)
}

#[test]
fn lists_that_change_hands_and_lists_that_are_copied_give_one_answer() {
    let handed = in_turn(|_, outbox| std::mem::take(outbox));
    assert!(handed.iter().all(|counts| counts.packets_accepted > 1000), "{handed:?}");
    let mut spare = Vec::new();
    let copied = in_turn(|_, outbox| {
        let (mut bytes, mut batch) = (Vec::new(), Batch::default());
        let sent = std::mem::take(outbox);
        sent.encode(&mut bytes);
        // Memory of any shape is used again.
        spare.extend(sent.lists.into_iter().map(|list| list.words));
        batch.decode(&bytes, &mut spare).unwrap();
        batch
    });
    assert_eq!(words(&handed), words(&copied));
}

#[test]
fn every_list_comes_back_to_who_made_it() {
    // By partition: lists it made that are elsewhere, the most of them, and all it ever sent.
    let (mut away, mut most, mut sent) = ([0; 2], [0; 2], [0; 2]);
    in_turn(|from, outbox| {
        away[from] += outbox.lists.len();
        most[from] = away[from].max(most[from]);
        sent[from] += outbox.lists.len();
        away[1 - from] -= outbox.used.len();
        assert!(outbox.used.iter().all(|list| list.words.is_empty() && list.words.capacity() > 0));
        std::mem::take(outbox)
    });
    for p in 0..2 {
        assert!(sent[p] > 1000 && most[p] * 10 < sent[p], "{} lists were sent, {} were away at once", sent[p], most[p]);
    }
}

#[test]
fn lists_of_no_tile_of_no_whole_flits_and_of_the_past_are_refused() {
    let point = point(PAIR, &[], 2);
    let refused = |batch: Batch, what: &str| {
        let (mut network, _) = point.network(0).unwrap();
        let error = network.deliver(0, &mut batch.clone(), 10).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    };
    let list = |place, at, n| Batch { lists: vec![List { place, at, words: vec![0; n] }], ..Batch::default() };
    refused(list(1 << 20, 12, 8), "malformed list");
    refused(list(0, 12, 9), "malformed list");
    refused(list(0, 9, 8), "the lookahead is wrong");
    refused(list(1, 9, 1), "the lookahead is wrong");
    refused(Batch::of_bytes(vec![1, 2, 3]), "malformed board");
}

/// Brings what was never sent.
struct Forger;

impl Exchange for Forger {
    fn exchange(&mut self, _: &[PartitionId], _: &mut [Batch], inbox: &mut [Batch]) -> Result<(), Error> {
        inbox[0] = Batch { times: vec![1; 7], ..Batch::default() };
        Ok(())
    }
}

#[test]
fn a_batch_without_the_times_of_the_engine_is_refused() {
    let (mut network, mut windows): (Network, Windows) = point(PAIR, &[], 2).network(0).unwrap();
    let error = windows.run(&mut network, &mut Forger, 10).unwrap_err().to_string();
    assert!(error.contains("a batch with 7 times, not 1"), "{error}");
}
