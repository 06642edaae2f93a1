//! Stages that take several cycles: an allocation made in cycle t with delay d comes into force in the first sub-step of
//! cycle t + d - 1 (for d = 1 in the same sub-step); its winners are then checked again, and losers ask again only then.

use std::collections::VecDeque;

use crate::ids::Cycle;
use crate::network::router::{Stage, State};
use crate::network::Network;

/// A result that is not in force yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    ready: Cycle,
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

    fn due(&mut self, stage: Stage, now: Cycle) -> Option<Pending> {
        let queue = &mut self.stages[stage as usize];
        queue.front().is_some_and(|p| p.ready <= now).then(|| queue.pop_front().expect("it has a front"))
    }
}

impl Network {
    /// As `substep`, with any delays. Evaluations first, on the state the step before left; then what is due, in the
    /// order of the stages.
    pub(super) fn pipelined_substep(&mut self, lr: usize, now: Cycle, crossing: Cycle) {
        if self.params.routing_delay == 0 {
            self.route_all(lr);
            self.merge_scratch(lr, Stage::Va);
        } else {
            self.routers.matcher.matched.clear();
            self.suspend(lr, Stage::Rc, now, self.params.routing_delay);
        }
        self.match_vcs(lr);
        self.suspend(lr, Stage::Va, now, self.params.vc_alloc_delay);
        self.match_switch(lr);
        self.suspend(lr, Stage::Sa, now, self.params.sw_alloc_delay);
        while let Some(done) = self.routers.pipelines[lr].due(Stage::Rc, now) {
            self.route(lr, usize::from(done.vc));
            self.enter(lr, Stage::Va, done.vc);
        }
        while let Some(done) = self.routers.pipelines[lr].due(Stage::Va, now) {
            let next = if done.won.is_some_and(|vc| self.try_take_vc(lr, done.vc, vc)) { Stage::Sa } else { Stage::Va };
            self.enter(lr, next, done.vc);
        }
        while let Some(done) = self.routers.pipelines[lr].due(Stage::Sa, now) {
            self.enter(lr, Stage::Sa, done.vc);
            if done.won.is_some() && self.has_credit(lr, done.vc) {
                self.traverse(lr, usize::from(done.vc), now, crossing);
            }
        }
    }

    /// Moves every input VC of `stage` into its pipeline, with what the allocator just matched.
    fn suspend(&mut self, lr: usize, stage: Stage, now: Cycle, delay: u32) {
        let words = self.routers.stage(lr, stage);
        let routers = &mut self.routers;
        for (w, index) in words.enumerate() {
            let mut bits = std::mem::take(&mut routers.stages[index]);
            while bits != 0 {
                let vc = (w * 64) as u16 + bits.trailing_zeros() as u16;
                bits &= bits - 1;
                let won = routers.matcher.matched.iter().map(|&k| usize::from(k)).find_map(|k| {
                    let (input, output) = routers.requests[k];
                    match stage {
                        Stage::Rc => None,
                        Stage::Va => (input == vc).then_some((usize::from(output) % routers.num_vcs) as u8),
                        Stage::Sa => {
                            let own = usize::from(input) * routers.num_vcs + usize::from(routers.request_vc[k]);
                            (own == usize::from(vc)).then_some(0)
                        }
                    }
                });
                let pending = Pending { ready: now + Cycle::from(delay) - 1, vc, won };
                routers.pipelines[lr].stages[stage as usize].push_back(pending);
            }
        }
    }

    /// Gives output VC `won` to the packet in input VC `vc` if it is still to be had.
    fn try_take_vc(&mut self, lr: usize, vc: u16, won: u8) -> bool {
        let ports = self.wiring.ports(lr);
        let routers = &mut self.routers;
        let first_vc = ports.start * routers.num_vcs;
        let input = &mut routers.inputs[first_vc + usize::from(vc)];
        let port = ports.start + usize::from(input.out_port);
        let need = if self.params.cut_through { u16::from(self.flits[input.head].size) } else { 0 };
        let free = routers.busy[port] & (1 << won) == 0;
        if !free || routers.credits[port * routers.num_vcs + usize::from(won)] < need {
            return false;
        }
        routers.busy[port] |= 1 << won;
        input.out_vc = won;
        input.state = State::Active;
        true
    }

    fn has_credit(&self, lr: usize, vc: u16) -> bool {
        let routers = &self.routers;
        let port = self.wiring.port_base[lr] as usize;
        let input = &routers.inputs[port * routers.num_vcs + usize::from(vc)];
        routers.credits[(port + usize::from(input.out_port)) * routers.num_vcs + usize::from(input.out_vc)] > 0
    }
}
