//! Stages that take several cycles: an allocation made in cycle t with delay d comes into force in the first sub-step of
//! cycle t + d - 1 (for d = 1 in the same sub-step); its winners are then checked again, and losers ask again only then.

use std::collections::VecDeque;

use crate::network::allocation::Allocation;
use crate::network::router::set;
use crate::network::stages::{Clock, Router};
use crate::network::wires::Wires;
use crate::network::Params;

/// The stages in which an input VC can have work.
#[derive(Clone, Copy, Debug)]
enum Stage {
    Rc = 0,
    Va = 1,
    Sa = 2,
}

/// A result that is not in force yet.
#[derive(Clone, Copy, Debug)]
struct Pending {
    /// Cycle in which it comes into force.
    ready: u32,
    /// Input VC within the router.
    vc: u16,
    /// The output VC won in VA, 0 for a winner of SA; `None` for a loser.
    won: Option<u8>,
}

/// What is under way in one router, by stage; used only where some stage takes more than one cycle.
#[derive(Clone, Debug, Default)]
pub(super) struct Pipeline {
    stages: [VecDeque<Pending>; 3],
}

impl Pipeline {
    pub(super) fn is_empty(&self) -> bool {
        self.stages.iter().all(VecDeque::is_empty)
    }

    /// Forgets input VC `vc`, unless it is in RC; returns whether it was there.
    pub(super) fn forget(&mut self, vc: u16) -> bool {
        let before = self.stages[1].len() + self.stages[2].len();
        self.stages[1..].iter_mut().for_each(|stage| stage.retain(|pending| pending.vc != vc));
        self.stages[1].len() + self.stages[2].len() < before
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.stages.iter_mut().for_each(VecDeque::clear);
    }

    /// Moves every input VC of `stage` in here, with what it won.
    fn enter(&mut self, stage: Stage, words: &mut [u64], ready: u32, won: impl Fn(u16) -> Option<u8>) {
        for (w, word) in words.iter_mut().enumerate() {
            let mut bits = std::mem::take(word);
            while bits != 0 {
                let vc = (w * 64) as u16 + bits.trailing_zeros() as u16;
                bits &= bits - 1;
                self.stages[stage as usize].push_back(Pending { ready, vc, won: won(vc) });
            }
        }
    }

    fn due(&mut self, stage: Stage, now: u32) -> Option<Pending> {
        let queue = &mut self.stages[stage as usize];
        queue.front().is_some_and(|p| p.ready <= now).then(|| queue.pop_front().expect("it has a front"))
    }
}

impl Router<'_> {
    /// As `substep`, with any delays. Evaluations first, on the state the step before left; then what is due, in the
    /// order of the stages.
    pub(super) fn pipelined_substep(
        &mut self,
        pipeline: &mut Pipeline,
        allocation: &mut Allocation,
        wires: &mut Wires,
        params: &Params,
        clock: Clock,
    ) {
        if params.routing_delay == 0 {
            self.route_waiting(allocation, params);
            self.drop_stranded(allocation, wires, clock);
            self.note_routed(allocation, wires, clock.now);
            allocation.move_routed(self.va);
        } else {
            pipeline.enter(Stage::Rc, self.rc, clock.now + params.routing_delay - 1, |_| None);
        }
        allocation.allocate_vcs(self, params);
        let won = |vc| allocation.vcs_won.iter().find(|w| w.0 == vc).map(|w| w.2);
        pipeline.enter(Stage::Va, self.va, clock.now + params.vc_alloc_delay - 1, won);
        allocation.allocate_switch(self, params);
        let won = |vc| allocation.switch_won.contains(&vc).then_some(0);
        pipeline.enter(Stage::Sa, self.sa, clock.now + params.sw_alloc_delay - 1, won);
        while let Some(done) = pipeline.due(Stage::Rc, clock.now) {
            self.route(usize::from(done.vc), params);
            if self.inputs[usize::from(done.vc)].vcs == 0 {
                self.drop_packet(usize::from(done.vc), wires, clock);
                continue;
            }
            self.note_one_routed(usize::from(done.vc), wires, clock.now);
            set(self.va, usize::from(done.vc));
        }
        while let Some(done) = pipeline.due(Stage::Va, clock.now) {
            let taken = done.won.is_some_and(|vc| self.try_take_vc(usize::from(done.vc), vc, params));
            self.note_one_vc(usize::from(done.vc), taken, wires, clock.now);
            set(if taken { self.sa } else { self.va }, usize::from(done.vc));
        }
        while let Some(done) = pipeline.due(Stage::Sa, clock.now) {
            let input = usize::from(done.vc);
            set(self.sa, input);
            if done.won.is_some() && self.credits_of(&self.inputs[input]) > 0 {
                self.traverse(input, wires, params, clock);
            } else {
                self.note_one_switch(input, wires, clock.now);
            }
        }
    }

    /// Gives output VC `vc` to the packet in `input` if it is still to be had.
    fn try_take_vc(&mut self, input: usize, vc: u8, params: &Params) -> bool {
        let head = &self.inputs[input];
        let port = usize::from(head.out_port);
        let need = if params.cut_through { u16::from(head.front.size) } else { 0 };
        let free = self.ports[port].busy & (1 << vc) == 0 && self.credits[port * self.num_vcs + usize::from(vc)] >= need;
        if free {
            self.take_vc(input, port, vc);
        }
        free
    }
}
