//! Which points a study has, and which of them can be simulated now.

use std::collections::BTreeMap;

use crate::config::{Config, ConfigErrors, Flawed, Study, Value};
use crate::study::search::{Probe, Search, HIGHEST, KIND, STEP};
use crate::study::{Prepared, Room};
use crate::traffic::{self, PATTERN};

/// The key that a search varies.
pub const LOAD: &str = "traffic.injection_rate";

/// A point to simulate.
#[derive(Clone, Debug)]
pub struct Job {
    /// Its place in the study.
    pub index: usize,
    /// Its configuration.
    pub config: Config,
}

/// What is known of the finished points, by index.
pub type Done = BTreeMap<usize, Probe>;

/// The points of a study: those of the sweep, or, for each of those, the loads that a search for saturation tries.
#[derive(Debug)]
pub struct Plan {
    study: Study,
    search: Option<Search>,
}

impl Plan {
    /// Of a checked study.
    #[must_use]
    pub fn new(study: Study) -> Self {
        let first = &study.points[0];
        let search = (first.text(KIND) == "saturation").then(|| Search::new(first));
        Self { study, search }
    }

    /// Of an input that was examined.
    ///
    /// # Errors
    /// Every fault of the keys, together with those that take a network to find, as far as the values that they hang on are
    /// known.
    pub fn examined(examined: Result<Study, Flawed>) -> Result<Self, ConfigErrors> {
        let Flawed { mut faults, rest } = match examined {
            Ok(study) => return Ok(Self::new(study)),
            Err(flawed) => flawed,
        };
        if let Some(plan) = rest.map(Self::new) {
            let mut prepared = Prepared::within(Room::here(), None);
            faults.add_new(plan.faults());
            // Of how many processes the network will have is not known here: what this one cannot hold may be sound.
            let samples = plan.samples();
            let held: Vec<_> = samples.iter().filter(|config| prepared.fits(config).is_ok()).collect();
            held.into_iter().filter_map(|config| prepared.checked(config, 1).err()).for_each(|e| faults.add_new(e));
        }
        Err(faults)
    }

    /// The input.
    #[must_use]
    pub fn study(&self) -> &Study {
        &self.study
    }

    /// The rules of the search, if there is one.
    #[must_use]
    pub fn search(&self) -> Option<&Search> {
        self.search.as_ref()
    }

    /// What the study as a whole cannot be.
    #[must_use]
    pub fn faults(&self) -> ConfigErrors {
        let mut faults = ConfigErrors::default();
        let timed = |config: &&Config| traffic::find(config.text(PATTERN)).is_some_and(|pattern| pattern.timed);
        let sound = |config: &&Config| config.is_sound(&["study", "traffic"]);
        for config in self.study.points.iter().filter(sound).filter(timed).filter(|_| self.search.is_some()) {
            let message = format!("a search varies the load, and `{}` has none", config.text(PATTERN));
            faults.add_new(config.fault(PATTERN, message).into());
        }
        faults
    }

    /// The most points there can be: a search may need fewer.
    #[must_use]
    pub fn n_points(&self) -> usize {
        self.study.points.len() * self.per_combination()
    }

    /// Points that belong to one point of the input.
    #[must_use]
    pub fn per_combination(&self) -> usize {
        self.search.map_or(1, |s| s.per_round * s.max_rounds())
    }

    /// Configurations for each point of the input: what is checked before anything runs. In a search these are two, with the
    /// highest load and the load just below it: what an endpoint cannot offer at one of them it can at no other, or only in
    /// bursts without end at the highest itself.
    #[must_use]
    pub fn samples(&self) -> Vec<Config> {
        let loads = self.search.map_or(vec![0.0], |s| vec![s.highest, s.highest - STEP]);
        let first = |combination| combination * self.per_combination();
        (0..self.study.points.len()).flat_map(|c| loads.iter().map(move |&load| self.config(first(c), load))).collect()
    }

    /// The configuration of point `index`; `load` counts in a search only.
    #[must_use]
    pub fn config(&self, index: usize, load: f64) -> Config {
        let config = &self.study.points[index / self.per_combination()];
        match self.search {
            // A point of the search is a point like any other: the input that gives it again is a sweep.
            Some(_) => {
                config.with(&[(KIND, Value::Text("sweep".into())), (LOAD, Value::Float(load))]).placed_as(LOAD, config, HIGHEST)
            }
            None => config.clone(),
        }
    }

    /// The points that can be simulated now, ascending; none at the end of the study.
    #[must_use]
    pub fn ready(&self, done: &Done) -> Vec<Job> {
        let mut jobs = Vec::new();
        for combination in 0..self.study.points.len() {
            let first = combination * self.per_combination();
            match self.search {
                None if done.contains_key(&first) => {}
                None => jobs.push(Job { index: first, config: self.config(first, 0.0) }),
                Some(search) => self.ready_in_search(&search, first, done, &mut jobs),
            }
        }
        jobs
    }

    fn ready_in_search(&self, search: &Search, first: usize, done: &Done, jobs: &mut Vec<Job>) {
        let mut probes = Vec::new();
        let mut index = first;
        while let Some(loads) = search.round(&probes) {
            let before = jobs.len();
            for load in loads {
                match done.get(&index) {
                    Some(probe) => probes.push(*probe),
                    None => jobs.push(Job { index, config: self.config(index, load) }),
                }
                index += 1;
            }
            if jobs.len() > before {
                return;
            }
        }
    }
}
