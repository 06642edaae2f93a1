//! What happened to flits, event by event, for tests and for `sfpdes trace`. Costs a look at an empty place where nobody asks.

use crate::ids::{Cycle, EndpointId, RouterId};
use crate::network::flit::Flit;
use crate::network::router::for_each_bit;
use crate::network::stages::Router;
use crate::network::wires::Wires;

use super::allocation::Allocation;

/// Port and VC.
pub type Place = [u16; 2];

/// Why a packet stays where it is for a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wait {
    /// VA: every output VC that routing allows is held by another packet, or has too little room for cut-through.
    VcHeld,
    /// VA: another packet got the VC it asked for.
    VcLost,
    /// SA: no credit for the output VC: the buffer at the far end is full.
    NoCredit,
    /// SA: another flit got the input or the output port.
    SwitchLost,
}

/// Something that happened to a flit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// Left its source queue on a VC: cycle, endpoint, VC.
    Injected(Cycle, EndpointId, u8),
    /// Won the switch: cycle, router, input port and VC, output port and VC.
    Switched(Cycle, RouterId, Place, Place),
    /// Read by its endpoint: cycle, endpoint.
    Ejected(Cycle, EndpointId),
    /// Came into an input buffer: cycle, router, input port and VC.
    Arrived(Cycle, RouterId, Place),
    /// Got its route: cycle, router, input port and VC, output port, VCs allowed there.
    Routed(Cycle, RouterId, Place, u16, u32),
    /// Got an output VC: cycle, router, input port and VC, output port and VC.
    Allocated(Cycle, RouterId, Place, Place),
    /// Asked for an output VC or the switch and did not get it: cycle, router, input port and VC, output port, reason.
    Waited(Cycle, RouterId, Place, u16, Wait),
    /// Went from the output queue onto the channel: cycle, router, output port and VC.
    Departed(Cycle, RouterId, Place),
    /// Left its source queue but was not sent: cycle, endpoint.
    Refused(Cycle, EndpointId),
    /// Was lost with a channel or router that failed: cycle, the router at whose input or in which.
    Lost(Cycle, RouterId),
    /// Was dropped because a failure left it no way on: cycle, router.
    Dropped(Cycle, RouterId),
}

impl Event {
    /// When it happened.
    #[must_use]
    pub fn cycle(&self) -> Cycle {
        match *self {
            Event::Injected(at, ..)
            | Event::Switched(at, ..)
            | Event::Ejected(at, ..)
            | Event::Arrived(at, ..)
            | Event::Routed(at, ..)
            | Event::Allocated(at, ..)
            | Event::Waited(at, ..)
            | Event::Departed(at, ..)
            | Event::Refused(at, ..)
            | Event::Lost(at, ..)
            | Event::Dropped(at, ..) => at,
        }
    }
}

/// Which flits are recorded, and in what detail.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Source endpoint and number of the packets; all if empty.
    pub packets: Vec<(EndpointId, u32)>,
    /// Every event; else only injections, switches and ejections.
    pub every_event: bool,
}

/// The events recorded so far.
#[derive(Debug)]
pub(super) struct Log {
    recording: Recording,
    pub(super) events: Vec<(Event, Flit)>,
}

impl Log {
    pub(super) fn new(recording: Recording) -> Self {
        Self { recording, events: Vec::new() }
    }

    /// Whether every event of some flits is wanted.
    pub(super) fn every_event(&self) -> bool {
        self.recording.every_event
    }

    // Seldom called, and then in the middle of the hot path.
    #[cold]
    #[inline(never)]
    pub(super) fn push(&mut self, event: Event, flit: &Flit) {
        let packets = &self.recording.packets;
        if packets.is_empty() || packets.contains(&(flit.src, flit.sequence)) {
            self.events.push((event, *flit));
        }
    }
}

impl Router<'_> {
    fn place(&self, input: usize) -> Place {
        let port = self.inputs[input].port;
        [port, (input - usize::from(port) * self.num_vcs) as u16]
    }

    /// Records the heads that `route_waiting` has routed.
    #[inline]
    pub(super) fn note_routed(&self, allocation: &Allocation, wires: &mut Wires, now: u32) {
        let Some(log) = wires.full_log() else { return };
        for_each_bit(&allocation.routed[..self.rc.len()], |input| self.note_route(input, log, now));
    }

    /// Records one head that was routed.
    pub(super) fn note_one_routed(&self, input: usize, wires: &mut Wires, now: u32) {
        if let Some(log) = wires.full_log() {
            self.note_route(input, log, now);
        }
    }

    fn note_route(&self, input: usize, log: &mut Log, now: u32) {
        let head = &self.inputs[input];
        log.push(Event::Routed(now.into(), self.id, self.place(input), head.out_port, head.vcs), &head.front);
    }

    /// Records what VC allocation gives, before it is taken.
    #[inline]
    pub(super) fn note_vcs(&self, allocation: &Allocation, wires: &mut Wires, now: u32) {
        let Some(log) = wires.full_log() else { return };
        for_each_bit(self.va, |input| {
            let head = &self.inputs[input];
            let won = allocation.vcs_won.iter().find(|w| usize::from(w.0) == input);
            let event = match won {
                Some(&(_, port, vc)) => Event::Allocated(now.into(), self.id, self.place(input), [port, vc.into()]),
                None => {
                    let free = head.vcs & !self.ports[usize::from(head.out_port)].busy != 0;
                    let why = if free { Wait::VcLost } else { Wait::VcHeld };
                    Event::Waited(now.into(), self.id, self.place(input), head.out_port, why)
                }
            };
            log.push(event, &head.front);
        });
    }

    /// Records whether one head got the output VC that it had won some cycles ago.
    pub(super) fn note_one_vc(&self, input: usize, taken: bool, wires: &mut Wires, now: u32) {
        let Some(log) = wires.full_log() else { return };
        let head = &self.inputs[input];
        let (at, place) = (now.into(), self.place(input));
        let event = if taken {
            Event::Allocated(at, self.id, place, [head.out_port, head.out_vc.into()])
        } else {
            Event::Waited(at, self.id, place, head.out_port, Wait::VcLost)
        };
        log.push(event, &head.front);
    }

    /// Records the flits that ask for the switch in vain, before the winners cross it.
    #[inline]
    pub(super) fn note_switch(&self, allocation: &Allocation, wires: &mut Wires, now: u32) {
        let Some(log) = wires.full_log() else { return };
        for_each_bit(self.sa, |input| {
            if !allocation.switch_won.contains(&(input as u16)) {
                self.note_no_switch(input, log, now);
            }
        });
    }

    /// Records that one flit did not get the switch.
    pub(super) fn note_one_switch(&self, input: usize, wires: &mut Wires, now: u32) {
        if let Some(log) = wires.full_log() {
            self.note_no_switch(input, log, now);
        }
    }

    fn note_no_switch(&self, input: usize, log: &mut Log, now: u32) {
        let queue = &self.inputs[input];
        let why = if self.credits_of(queue) == 0 { Wait::NoCredit } else { Wait::SwitchLost };
        log.push(Event::Waited(now.into(), self.id, self.place(input), queue.out_port, why), &queue.front);
    }
}
