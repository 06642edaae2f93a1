//! Warm-up, measurement, drain: when a point ends and how. Decided at multiples of `sample_period` from counts of the whole
//! network, so the decision cannot depend on partitions or on the clock.

use crate::ids::Cycle;
use crate::stats::{interval, Goal, Period, Rules, Status};

/// What every partition does after a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Goes on.
    Continue,
    /// Opens the measured window and goes on.
    OpenWindow,
    /// Closes the window and goes on until its packets have arrived.
    CloseWindow,
    /// Closes the window if it is open, and ends the point.
    Stop,
    /// Ends without a result.
    Abandon,
}

impl Step {
    /// As a byte.
    #[must_use]
    pub fn encode(self) -> u8 {
        self as u8
    }

    /// From a byte.
    #[must_use]
    pub fn decode(byte: u8) -> Option<Self> {
        [Step::Continue, Step::OpenWindow, Step::CloseWindow, Step::Stop, Step::Abandon].into_iter().find(|s| *s as u8 == byte)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    WarmUp,
    Measure,
    Drain,
}

/// Follows a point through its phases; lives in partition 0.
#[derive(Debug)]
pub struct Phases {
    rules: Rules,
    phase: Phase,
    /// Every sample so far.
    pub periods: Vec<Period>,
    /// First sample of the window.
    pub first: usize,
    /// One past its last sample.
    pub last: usize,
    still: Cycle,
    /// How the point ended, and why.
    pub outcome: Option<(Status, &'static str)>,
}

impl Phases {
    /// At cycle 0.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        Self { rules, phase: Phase::WarmUp, periods: Vec::new(), first: 0, last: 0, still: 0, outcome: None }
    }

    /// What to do before the first cycle.
    pub fn begin(&mut self) -> Step {
        if self.rules.warmup_periods == 0 || self.rules.goal != Goal::Steady {
            self.phase = Phase::Measure;
            return Step::OpenWindow;
        }
        Step::Continue
    }

    /// Takes the counts of the sample that just ended.
    pub fn sample(&mut self, period: Period) -> Step {
        self.periods.push(period);
        let moved = period.flit_hops + period.flits_accepted + period.flits_injected > 0;
        self.still = if moved || period.flits_in_network == 0 { 0 } else { self.still + self.rules.sample_period };
        if self.still >= self.rules.stall_cycles {
            return self.stop(Status::Stalled, "stalled");
        }
        if let Goal::Delivery { packets, max_cycles } = self.rules.goal {
            return self.delivered(packets, max_cycles);
        }
        match self.phase {
            Phase::WarmUp if self.periods.len() as u64 >= self.rules.warmup_periods => {
                self.phase = Phase::Measure;
                self.first = self.periods.len();
                Step::OpenWindow
            }
            Phase::WarmUp => Step::Continue,
            Phase::Measure => self.measured(),
            Phase::Drain => self.drained(),
        }
    }

    fn stop(&mut self, status: Status, reason: &'static str) -> Step {
        if self.phase != Phase::Drain {
            self.last = self.periods.len();
            if self.phase == Phase::WarmUp {
                self.first = self.last;
            }
        }
        self.outcome = Some((status, reason));
        Step::Stop
    }

    /// The window is the whole run.
    fn delivered(&mut self, packets: u64, max_cycles: Cycle) -> Step {
        if self.periods.last().is_some_and(|p| p.measured_accepted == packets) {
            return self.stop(Status::Completed, "completed");
        }
        if self.periods.len() as u64 * self.rules.sample_period >= max_cycles {
            return self.stop(Status::MaxTime, "max_time");
        }
        Step::Continue
    }

    fn measured(&mut self) -> Step {
        let window = &self.periods[self.first..];
        let n = window.len() as u64;
        if n < self.rules.min_samples {
            return Step::Continue;
        }
        let converged = self.is_converged(window);
        if !converged && n < self.rules.max_samples {
            return Step::Continue;
        }
        if self.is_saturated(window) {
            return self.saturated();
        }
        self.last = self.periods.len();
        self.phase = Phase::Drain;
        self.outcome = Some(if converged { (Status::Converged, "converged") } else { (Status::MaxTime, "max_time") });
        if self.drain_is_done() {
            return Step::Stop;
        }
        Step::CloseWindow
    }

    fn drained(&mut self) -> Step {
        if self.drain_is_done() {
            return Step::Stop;
        }
        let drained = (self.periods.len() - self.last) as u64;
        if drained >= self.rules.max_drain_periods {
            return self.saturated();
        }
        Step::Continue
    }

    /// Ends the point as saturated, unless nothing moved lately: a dead network also leaves its load behind, and telling the
    /// two apart takes until the watchdog's time is over or something moves.
    fn saturated(&mut self) -> Step {
        if self.still > 0 {
            return Step::Continue;
        }
        self.stop(Status::Saturated, "saturated")
    }

    fn drain_is_done(&self) -> bool {
        self.periods.last().is_some_and(|p| p.measured_generated == p.measured_accepted + p.measured_failed)
    }

    /// Relative half width of the interval of the mean over samples of the latency of the packets accepted in each.
    fn is_converged(&self, window: &[Period]) -> bool {
        let means: Vec<f64> = window
            .iter()
            .filter(|p| p.packets_accepted > 0)
            .map(|p| p.packet_latency_sum as f64 / p.packets_accepted as f64)
            .collect();
        if means.is_empty() {
            // Nothing arrived. If nothing can, or all that was offered was refused, there is nothing to wait for; a small load may
            // come yet.
            let all_failed = window.iter().all(|p| p.flits_offered == p.flits_failed && p.flits_in_network == 0);
            return self.rules.idle || all_failed && window.iter().any(|p| p.flits_offered > 0);
        }
        let (mean, half) = interval(&means);
        means.len() == window.len() && means.len() > 1 && half <= self.rules.confidence_width * mean
    }

    fn is_saturated(&self, window: &[Period]) -> bool {
        let offered: u64 = window.iter().map(|p| p.flits_offered).sum();
        let settled: u64 = window.iter().map(|p| p.flits_accepted + p.flits_failed).sum();
        let cycles = (window.len() as u64 * self.rules.sample_period) as f64;
        // Without a warm-up the network fills within the window: what it takes to do so is not left behind.
        let filling = (self.rules.fill.saturating_sub(self.first as u64 * self.rules.sample_period) as f64).min(cycles);
        let behind = offered.saturating_sub(settled) as f64 - offered as f64 * filling / cycles;
        let slow = window.iter().any(|p| p.packet_latency_sum as f64 > self.rules.latency_thres * p.packets_accepted as f64);
        // A network that is not saturated holds a bounded number of flits: in a short window their fluctuation must not
        // pass for growth, so it has to exceed what one standard deviation of the arrivals explains as well. Where wires are
        // so long that the network holds what is offered in a good part of the window, that is the variance of what it holds,
        // at the beginning and at the end, which comes in packets.
        let packets: u64 = window.iter().map(|p| p.packets_offered).sum();
        let packet_size = offered as f64 / packets.max(1) as f64;
        let held = (self.rules.fill as f64 / cycles).min(1.0);
        let noise = 3.0 * (offered as f64 * (2.0 * packet_size * held).max(1.0)).sqrt();
        slow || (behind > self.rules.saturation_tolerance * offered as f64 && behind > noise)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> Rules {
        Rules {
            sample_period: 100,
            fill: 20,
            warmup_periods: 2,
            min_samples: 3,
            max_samples: 5,
            max_drain_periods: 2,
            confidence_width: 0.05,
            saturation_tolerance: 0.01,
            latency_thres: 500.0,
            stall_cycles: 300,
            idle: false,
            goal: Goal::Steady,
        }
    }

    fn steady(latency: u64) -> Period {
        Period {
            packets_offered: 1000,
            flits_offered: 1000,
            flits_injected: 1000,
            packets_accepted: 1000,
            flits_accepted: 1000,
            packet_latency_sum: 1000 * latency,
            flit_hops: 3000,
            flits_in_network: 10,
            ..Period::default()
        }
    }

    #[test]
    fn steady_latency_converges_after_the_fewest_samples() {
        let mut phases = Phases::new(rules());
        assert_eq!(phases.begin(), Step::Continue);
        let steps: Vec<Step> = (0..5).map(|_| phases.sample(steady(20))).collect();
        assert_eq!(steps, [Step::Continue, Step::OpenWindow, Step::Continue, Step::Continue, Step::Stop]);
        assert_eq!(phases.outcome, Some((Status::Converged, "converged")));
        assert_eq!((phases.first, phases.last), (2, 5));
    }

    #[test]
    fn unsteady_latency_takes_the_most_samples_then_drains() {
        let mut phases = Phases::new(rules());
        let outstanding = |latency| Period { measured_generated: 5, ..steady(latency) };
        for i in 0..6 {
            phases.sample(outstanding(if i % 2 == 0 { 20 } else { 60 }));
        }
        assert_eq!(phases.sample(outstanding(20)), Step::CloseWindow);
        assert_eq!(phases.sample(outstanding(20)), Step::Continue);
        assert_eq!(phases.sample(steady(20)), Step::Stop);
        assert_eq!(phases.outcome, Some((Status::MaxTime, "max_time")));
    }

    #[test]
    fn a_drain_that_does_not_end_is_saturation() {
        let mut phases = Phases::new(rules());
        let step = (0..20).map(|_| phases.sample(Period { measured_generated: 5, ..steady(20) })).find(|&s| s == Step::Stop);
        assert_eq!(step, Some(Step::Stop));
        assert_eq!(phases.outcome, Some((Status::Saturated, "saturated")));
        assert_eq!(phases.periods.len(), 2 + 3 + 2);
    }

    #[test]
    fn growth_of_the_backlog_is_saturation_and_ends_the_point() {
        let mut phases = Phases::new(rules());
        let grows = Period { flits_accepted: 900, packets_accepted: 900, ..steady(20) };
        let n = (0..20).take_while(|_| phases.sample(grows) != Step::Stop).count();
        assert_eq!(n, 4);
        assert_eq!(phases.outcome, Some((Status::Saturated, "saturated")));
    }

    #[test]
    fn no_movement_with_flits_inside_is_a_stall_and_an_empty_network_is_not() {
        let mut phases = Phases::new(rules());
        let stuck = Period { packets_offered: 10, flits_in_network: 7, ..Period::default() };
        assert_eq!((phases.sample(stuck), phases.sample(stuck), phases.sample(stuck)).2, Step::Stop);
        assert_eq!(phases.outcome, Some((Status::Stalled, "stalled")));
        let empty = |idle| {
            let mut phases = Phases::new(Rules { idle, ..rules() });
            let n = (0..20).take_while(|_| phases.sample(Period::default()) != Step::Stop).count();
            (n, phases.outcome)
        };
        assert_eq!(empty(true), (4, Some((Status::Converged, "converged"))));
        // Silence under a load says nothing of its latency.
        assert_eq!(empty(false), (6, Some((Status::MaxTime, "max_time"))));
    }

    #[test]
    fn a_stall_longer_than_the_window_is_not_taken_for_saturation() {
        let rules = Rules { stall_cycles: 1000, ..rules() };
        let mut phases = Phases::new(rules.clone());
        let stuck = Period { packets_offered: 10, flits_offered: 10, flits_in_network: 7, ..Period::default() };
        let n = (0..100).take_while(|_| phases.sample(stuck) != Step::Stop).count();
        assert_eq!((n, phases.outcome), (9, Some((Status::Stalled, "stalled"))));
        // The same, but the network wakes up again: it is saturated, and the point ends.
        let mut phases = Phases::new(rules);
        (0..8).for_each(|_| assert_ne!(phases.sample(stuck), Step::Stop));
        assert_eq!(phases.sample(Period { flit_hops: 1, ..stuck }), Step::Stop);
        assert_eq!(phases.outcome, Some((Status::Saturated, "saturated")));
    }

    #[test]
    fn a_list_of_messages_ends_when_all_is_delivered_or_time_is_up() {
        let rules = Rules { goal: Goal::Delivery { packets: 20, max_cycles: 450 }, ..rules() };
        assert_eq!(rules.longest(), 500);
        let mut phases = Phases::new(rules.clone());
        assert_eq!(phases.begin(), Step::OpenWindow);
        // Silence between messages is no stall, and everything so far is not everything.
        let steps =
            [5, 5, 5, 20].map(|n| phases.sample(Period { measured_generated: n, measured_accepted: n, ..Period::default() }));
        assert_eq!(steps, [Step::Continue, Step::Continue, Step::Continue, Step::Stop]);
        assert_eq!((phases.outcome, phases.first, phases.last), (Some((Status::Completed, "completed")), 0, 4));
        let mut late = Phases::new(rules);
        late.begin();
        let n = (0..20).take_while(|_| late.sample(Period { measured_accepted: 19, ..Period::default() }) != Step::Stop).count();
        assert_eq!((n, late.outcome), (4, Some((Status::MaxTime, "max_time"))));
    }
}
