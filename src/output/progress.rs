//! How far a run is: a bar on a terminal, a plain line now and then in a log, nothing if not wanted. Always on stderr, and
//! never part of a result.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::error::tell;

/// Steps of the bar per point: finer than any terminal is wide.
const STEPS_PER_POINT: u64 = 1000;

/// Time between two drawings of the bar.
const REDRAW: Duration = Duration::from_millis(100);

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgressMode {
    /// Not at all.
    Off,
    /// A bar that is drawn over itself.
    Bar,
    /// A line in each such period.
    Lines(Duration),
}

impl ProgressMode {
    /// The bar on a terminal, else a line in each `period`; nothing when `period` is zero.
    #[must_use]
    pub fn auto(period: Duration) -> Self {
        if period.is_zero() {
            ProgressMode::Off
        } else if std::io::stderr().is_terminal() {
            ProgressMode::Bar
        } else {
            ProgressMode::Lines(period)
        }
    }
}

/// What a study calls its parts, in the singular.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// What is made durable when it is finished.
    pub point: &'static str,
    /// What a point is made of.
    pub step: &'static str,
    /// What else is counted to tell the speed.
    pub work: &'static str,
    /// Whether a point may end before its last step.
    pub may_end_early: bool,
}

impl Terms {
    /// Of simulations.
    pub const SIMULATION: Terms = Terms { point: "point", step: "cycle", work: "flit hop", may_end_early: true };
    /// Of hypercube studies.
    pub const HYPERCUBE: Terms = Terms { point: "cell", step: "fault set", work: "pair", may_end_early: false };

    /// What goes before an estimate from above.
    fn bound(self) -> &'static str {
        if self.may_end_early {
            "at most "
        } else {
            ""
        }
    }
}

/// A point in progress.
struct Running {
    index: usize,
    label: String,
    step: u64,
    total_steps: u64,
    work: u64,
}

/// The progress of a study on rank 0.
pub struct Progress {
    terms: Terms,
    mode: ProgressMode,
    bar: Option<ProgressBar>,
    total_points: usize,
    /// Points finished in this run.
    finished: usize,
    /// Points that earlier runs finished.
    resumed: usize,
    /// Points in progress, in the order of their begin.
    running: Vec<Running>,
    /// Work and steps done in this run.
    work: u64,
    steps: u64,
    started: Instant,
    last_shown: Instant,
    /// Where the present rate is measured from: time, steps and work.
    mark: (Instant, u64, u64),
}

impl Progress {
    /// The progress of `total_points`, of which `resumed` were finished by earlier runs.
    #[must_use]
    pub fn new(mode: ProgressMode, terms: Terms, total_points: usize, resumed: usize) -> Self {
        let bar = (mode == ProgressMode::Bar).then(|| bar(total_points, resumed));
        let now = Instant::now();
        Self {
            terms,
            mode,
            bar,
            total_points,
            finished: 0,
            resumed,
            running: Vec::new(),
            work: 0,
            steps: 0,
            started: now,
            last_shown: now,
            mark: (now, 0, 0),
        }
    }

    /// Begins point `index`, which ends after `total_steps` steps at the latest.
    pub fn point(&mut self, index: usize, label: &str, total_steps: u64) {
        self.running.push(Running { index, label: label.into(), step: 0, total_steps: total_steps.max(1), work: 0 });
        if self.running.len() == 1 {
            self.mark = (Instant::now(), self.steps, self.work);
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.bar_steps());
            bar.set_message(self.label());
        }
    }

    /// Notes that point `index` is finished.
    pub fn done(&mut self, index: usize) {
        self.running.retain(|r| r.index != index);
        self.finished += 1;
    }

    /// Notes that point `index` has come to `step` with so much work since its begin. Costs a look at the clock.
    pub fn advance(&mut self, index: usize, step: u64, work: u64) {
        let period = match self.mode {
            ProgressMode::Off => return,
            ProgressMode::Bar => REDRAW,
            ProgressMode::Lines(period) => period,
        };
        if let Some(point) = self.running.iter_mut().find(|r| r.index == index) {
            self.steps += step.saturating_sub(point.step);
            self.work += work.saturating_sub(point.work);
            (point.step, point.work) = (step, work);
        }
        let now = Instant::now();
        if now.duration_since(self.last_shown) < period {
            return;
        }
        match &self.bar {
            Some(bar) => {
                bar.set_position(self.bar_steps());
                bar.set_message(format!("{}  {}", self.label(), self.rates(now)));
            }
            None => print(&self.line(now)),
        }
        self.last_shown = now;
        self.mark = (now, self.steps, self.work);
    }

    /// The point in progress, or how many there are.
    fn label(&self) -> String {
        match &self.running[..] {
            [one] => one.label.clone(),
            several => format!("{} {}s side by side", several.len(), self.terms.point),
        }
    }

    /// Prints `line` above the bar or as it is: for what must be seen while the bar is drawn.
    pub fn note(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| print(line)),
            None => print(line),
        }
    }

    /// Ends the display.
    pub fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        if let ProgressMode::Lines(_) = self.mode {
            let took = HumanDuration(self.started.elapsed());
            let finished = self.resumed + self.finished;
            print(&format!(
                "progress: ended after {took} with {finished} of {} {}s finished",
                self.total_points, self.terms.point
            ));
        }
    }

    /// Steps of the bar that are done of the whole study.
    fn bar_steps(&self) -> u64 {
        let part = |r: &Running| r.step.min(r.total_steps) * STEPS_PER_POINT / r.total_steps;
        (self.resumed + self.finished) as u64 * STEPS_PER_POINT + self.running.iter().map(part).sum::<u64>()
    }

    /// The speed since the last line.
    fn rates(&self, now: Instant) -> String {
        let (time, steps, work) = self.mark;
        let seconds = now.duration_since(time).as_secs_f64().max(1e-9);
        let per_second = |count: u64| short(count as f64 / seconds);
        format!(
            "{} {}s/s, {} {}s/s",
            per_second(self.steps.saturating_sub(steps)),
            self.terms.step,
            per_second(self.work.saturating_sub(work)),
            self.terms.work
        )
    }

    /// A line for the log.
    fn line(&self, now: Instant) -> String {
        let first = (self.resumed + self.finished + 1).min(self.total_points);
        let at = match &self.running[..] {
            [one] => format!(
                "{} {first} of {} ({}), {} {} of {}{}",
                self.terms.point,
                self.total_points,
                one.label,
                self.terms.step,
                one.step,
                self.terms.bound(),
                one.total_steps
            ),
            several => {
                format!("{}s {first} to {} of {}", self.terms.point, first + several.len().saturating_sub(1), self.total_points)
            }
        };
        format!("progress: {at}, {}, {}", self.rates(now), self.time_left())
    }

    /// An estimate of the time left, from above where points may end before their last possible step.
    fn time_left(&self) -> String {
        let done = self.bar_steps().saturating_sub(self.resumed as u64 * STEPS_PER_POINT);
        let left = (self.total_points as u64 * STEPS_PER_POINT).saturating_sub(self.bar_steps());
        if done == 0 {
            return "time left unknown".into();
        }
        let seconds = self.started.elapsed().as_secs_f64() * left as f64 / done as f64;
        format!("{}about {} left", self.terms.bound(), HumanDuration(Duration::from_secs_f64(seconds.min(1e9))))
    }
}

/// A bar for the terminal.
fn bar(total_points: usize, resumed: usize) -> ProgressBar {
    let steps = |points: usize| points as u64 * STEPS_PER_POINT;
    let bar = ProgressBar::with_draw_target(Some(steps(total_points)), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("[{elapsed_precise}] {bar:30} {percent:>3}%  {eta} left  {msg}")
        .expect("the template is valid")
        .progress_chars("=> ");
    bar.set_style(style);
    bar.set_position(steps(resumed));
    bar.reset_eta();
    bar
}

/// A line on stderr. A closed stderr is no reason to stop a simulation.
fn print(line: &str) {
    tell(&format!("{line}\n"));
}

/// A rate with three digits and a letter for its size.
fn short(value: f64) -> String {
    let (scaled, letter) = match value {
        v if v >= 1e9 => (v / 1e9, "G"),
        v if v >= 1e6 => (v / 1e6, "M"),
        v if v >= 1e3 => (v / 1e3, "k"),
        v => (v, ""),
    };
    let digits = if scaled >= 100.0 || letter.is_empty() { 0 } else { 1 };
    format!("{scaled:.digits$}{}{letter}", if letter.is_empty() { "" } else { " " })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_where_the_run_is() {
        let mut progress = Progress::new(ProgressMode::Lines(Duration::from_secs(3600)), Terms::SIMULATION, 10, 2);
        progress.point(2, "injection_rate = 0.3", 20_000);
        progress.advance(2, 10_000, 5_000_000);
        assert_eq!(progress.bar_steps(), 2 * STEPS_PER_POINT + STEPS_PER_POINT / 2);
        let line = progress.line(progress.mark.0 + Duration::from_secs(2));
        let expected = "progress: point 3 of 10 (injection_rate = 0.3), cycle 10000 of at most 20000, \
                        5.0 k cycles/s, 2.5 M flit hops/s, at most about ";
        assert!(line.starts_with(expected), "{line}");
    }

    #[test]
    fn more_cycles_than_announced_do_no_harm() {
        let mut progress = Progress::new(ProgressMode::Lines(Duration::ZERO), Terms::SIMULATION, 1, 0);
        progress.point(0, "only", 0);
        progress.advance(0, 7, 7);
        assert_eq!(progress.bar_steps(), STEPS_PER_POINT);
        progress.finish();
    }

    #[test]
    fn rates_have_three_digits() {
        let rates = [0.0, 7.4, 999.0, 1234.0, 123_456.0, 2.5e6, 7e9].map(short);
        assert_eq!(rates, ["0", "7", "999", "1.2 k", "123 k", "2.5 M", "7.0 G"]);
    }
}
