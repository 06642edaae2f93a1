//! The way of single packets through the network, event by event, with the reason for every cycle.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::error::Error;
use crate::ids::{Cycle, EndpointId, RouterId};
use crate::network::{flag, Event, Flit, Recording, Wait};
use crate::study::Point;
use crate::transport::Local;

/// A packet: its source endpoint, and its number there, from 0.
pub type PacketName = (EndpointId, u32);

/// Simulates `point` in one partition until the `packets` are delivered, at most to cycle `until`, and tells what happened to
/// each of them.
///
/// # Errors
/// A contract of the simulation that does not hold.
pub fn trace(point: &Point, packets: &[PacketName], until: Cycle) -> Result<Vec<Traced>, Error> {
    let (mut network, mut windows) = point.network(0)?;
    let period = point.rules.sample_period;
    let asked = packets.iter().collect::<BTreeSet<_>>().len();
    network.record(Recording { packets: packets.to_vec(), every_event: true });
    while windows.now() < until {
        let next = until.min(windows.now() + period);
        windows.run(&mut network, &mut Local, next)?;
        network.close_period(next)?;
        let ended =
            |(event, flit): &&(Event, Flit)| matches!(event, Event::Ejected(..)) && flit.flags & flag::TAIL != 0 || is_end(event);
        if network.recorded().iter().filter(ended).count() == asked {
            break;
        }
    }
    let traced = packets.iter().map(|&name| {
        let own = network.recorded().iter().filter(|(_, f)| (f.src, f.sequence) == name);
        let mut events: Vec<(Event, Flit)> = own.copied().collect();
        // A departure is known, and recorded, before it happens.
        events.sort_by_key(|(event, _)| event.cycle());
        Traced { name, events }
    });
    Ok(traced.collect())
}

/// Whether a packet that this happens to will never be delivered.
fn is_end(event: &Event) -> bool {
    matches!(event, Event::Refused(..) | Event::Lost(..) | Event::Dropped(..))
}

/// What happened to one packet.
#[derive(Clone, Debug)]
pub struct Traced {
    /// Which.
    pub name: PacketName,
    /// Its events, ascending in time; none if it did not leave its source queue.
    pub events: Vec<(Event, Flit)>,
}

/// Cycles that one packet's head spent, by what it spent them on; they add up to its network latency less the tail's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// In the source queue.
    pub source_queue: Cycle,
    /// On channels, with the cycle to get onto each.
    pub channels: Cycle,
    /// In input buffers behind other packets.
    pub behind_others: Cycle,
    /// In the pipelines of routers, from the route to the end of the switch, waiting included.
    pub pipelines: Cycle,
    /// In output queues behind other flits.
    pub output_queues: Cycle,
    /// From the head's ejection to the tail's.
    pub tail: Cycle,
}

impl Spent {
    /// Their sum: the packet latency.
    #[must_use]
    pub fn total(&self) -> Cycle {
        self.source_queue + self.channels + self.behind_others + self.pipelines + self.output_queues + self.tail
    }
}

impl Traced {
    /// Where the time went; `None` if the packet was not delivered. `st_final_delay` is that of the routers.
    #[must_use]
    pub fn spent(&self, st_final_delay: Cycle) -> Option<Spent> {
        let mut spent = Spent::default();
        let (mut left, mut arrived, mut routed, mut switched) = (0, 0, 0, 0);
        let mut head_ejected = None;
        for (event, flit) in &self.events {
            let (is_head, is_tail) = (flit.flags & flag::HEAD != 0, flit.flags & flag::TAIL != 0);
            match *event {
                Event::Ejected(at, _) => {
                    if is_head {
                        spent.channels += at - left;
                        head_ejected = Some(at);
                    }
                    if is_tail {
                        spent.tail = at - head_ejected?;
                        return Some(spent);
                    }
                }
                _ if !is_head => {}
                Event::Injected(at, ..) => {
                    spent.source_queue = at - Cycle::from(flit.generated);
                    left = at;
                }
                Event::Arrived(at, ..) => {
                    spent.channels += at - left;
                    arrived = at;
                }
                Event::Routed(at, ..) => {
                    spent.behind_others += at - arrived;
                    routed = at;
                }
                Event::Switched(at, ..) => switched = at,
                Event::Departed(at, ..) => {
                    // The switch is crossed in this cycle or the next, then the last stage; beyond is the queue.
                    let through = at.min(switched + st_final_delay);
                    spent.pipelines += through - routed;
                    spent.output_queues += at - through;
                    left = at;
                }
                Event::Allocated(..) | Event::Waited(..) | Event::Refused(..) | Event::Lost(..) | Event::Dropped(..) => {}
            }
        }
        None
    }

    /// The packet's way as a table, one line per event; steps in which it waits for the same reason are one line.
    #[must_use]
    pub fn render(&self, point: &Point) -> String {
        let (src, number) = self.name;
        let router = |e: EndpointId| point.router_of[e as usize];
        let Some((_, first)) = self.events.first() else {
            return format!("packet {number} of endpoint {src} did not leave its source queue\n");
        };
        let (generated, dst) = (first.generated, first.dst);
        let mut text = format!(
            "packet {number} of endpoint {src} (router {}) to endpoint {dst} (router {}), {} {}\n\n{:>8}  {:<28}event\n",
            router(src),
            router(dst),
            first.size,
            if first.size == 1 { "flit" } else { "flits" },
            "cycle",
            "place"
        );
        let mut row = |at: Cycle, place: &str, event: &str| {
            let _ = writeln!(text, "{at:>8}  {place:<28}{event}");
        };
        row(generated.into(), &format!("endpoint {src}"), "is generated");
        let mut waiting: Option<Waiting> = None;
        // By router, when the flits in its output queue won the switch; they leave in that order.
        let mut queued: Vec<(RouterId, Cycle)> = Vec::new();
        for (event, flit) in &self.events {
            let flit_name = flit_name(flit);
            if let Event::Waited(at, ..) = *event {
                match &mut waiting {
                    Some(w) if w.is_same(event, flit_name) => (w.last, w.steps) = (at, w.steps + 1),
                    _ => {
                        flush(&mut waiting, &mut row);
                        waiting = Some(Waiting { first: at, last: at, steps: 1, event: *event, flit_name });
                    }
                }
                continue;
            }
            flush(&mut waiting, &mut row);
            let (place, mut what) = self.describe(event, flit, point);
            match *event {
                Event::Switched(at, router, ..) => queued.push((router, at)),
                Event::Departed(at, router, _) => {
                    let place = queued.iter().position(|q| q.0 == router).expect("it won the switch before");
                    let waited = at.saturating_sub(queued.remove(place).1 + Cycle::from(point.params.st_final_delay));
                    if waited > 0 {
                        let _ = write!(what, " after {waited} cycles behind others in the output queue");
                    }
                }
                _ => {}
            }
            row(event.cycle(), &place, &format!("{flit_name} {what}"));
        }
        flush(&mut waiting, &mut row);
        match self.spent(point.params.st_final_delay.into()) {
            Some(s) => {
                let _ = writeln!(
                    text,
                    "\nlatency {} cycles = source queue {} + channels {} + behind other packets {} + router pipelines {} + \
                     output queues {} + tail {}",
                    s.total(),
                    s.source_queue,
                    s.channels,
                    s.behind_others,
                    s.pipelines,
                    s.output_queues,
                    s.tail
                );
            }
            None if self.events.last().is_some_and(|(event, _)| is_end(event)) => text.push_str("\nnever delivered\n"),
            None => text.push_str("\nnot delivered yet\n"),
        }
        text
    }

    fn describe(&self, event: &Event, flit: &Flit, point: &Point) -> (String, String) {
        let at = |router: RouterId, [port, vc]: [u16; 2]| format!("router {router}, port {port}, VC {vc}");
        let leads_to = |router: RouterId, port: u16| {
            let degree = point.graph.degree(router);
            match u32::from(port).checked_sub(degree) {
                Some(local) => format!("endpoint {}", point.graph.endpoints(router).start + local),
                None => format!("router {}", point.graph.peers(router)[usize::from(port)]),
            }
        };
        match *event {
            Event::Injected(_, e, vc) => (format!("endpoint {e}"), format!("goes onto the injection channel, VC {vc}")),
            Event::Arrived(_, r, place) => (at(r, place), "arrives in the input buffer".into()),
            Event::Routed(_, r, place, port, vcs) => {
                (at(r, place), format!("RC: to port {port}, {}, on VC {}", leads_to(r, port), list(vcs)))
            }
            Event::Allocated(_, r, place, [port, vc]) => (at(r, place), format!("VA: gets VC {vc} of port {port}")),
            Event::Switched(_, r, place, [port, _]) => (at(r, place), format!("SA: wins the switch to port {port}")),
            Event::Departed(_, r, place) => (at(r, place), "goes onto the channel".into()),
            Event::Ejected(_, e) => (format!("endpoint {e}"), format!("is read, {} channels between routers crossed", flit.hops)),
            Event::Refused(_, e) => (format!("endpoint {e}"), "is refused: faults leave no way that is sure".into()),
            Event::Lost(_, r) => (format!("router {r}"), "is lost with the channel or router that failed".into()),
            Event::Dropped(_, r) => (format!("router {r}"), "is dropped: a failure left no way on that is sure".into()),
            Event::Waited(..) => unreachable!("steps of waiting are shown together"),
        }
    }
}

fn flit_name(flit: &Flit) -> &'static str {
    match (flit.flags & flag::HEAD != 0, flit.flags & flag::TAIL != 0) {
        (true, true) => "flit",
        (true, false) => "head",
        (false, true) => "tail",
        (false, false) => "body",
    }
}

/// Steps in which a flit waited for the same reason.
struct Waiting {
    first: Cycle,
    last: Cycle,
    steps: u32,
    event: Event,
    flit_name: &'static str,
}

impl Waiting {
    /// Whether another step of waiting differs in time only.
    fn is_same(&self, event: &Event, flit_name: &str) -> bool {
        match (self.event, *event) {
            (Event::Waited(_, r, place, port, why), Event::Waited(_, r2, place2, port2, why2)) => {
                (r, place, port, why, self.flit_name) == (r2, place2, port2, why2, flit_name)
            }
            _ => false,
        }
    }
}

/// Shows the steps of waiting gathered so far.
fn flush(waiting: &mut Option<Waiting>, row: &mut impl FnMut(Cycle, &str, &str)) {
    let Some(Waiting { first, last, steps, event: Event::Waited(_, r, [port, vc], out, why), flit_name }) = waiting.take() else {
        return;
    };
    let reason = match why {
        Wait::VcHeld => format!("waits in VA: the VCs it may take at port {out} are held by other packets"),
        Wait::VcLost => format!("waits in VA: another packet gets the VC of port {out}"),
        Wait::NoCredit => format!("waits in SA: no credit, the buffer behind port {out} is full"),
        Wait::SwitchLost => format!("waits in SA: another flit gets the switch for this input or for port {out}"),
    };
    let steps = if steps == 1 { "1 step".into() } else { format!("{steps} steps, to cycle {last}") };
    row(first, &format!("router {r}, port {port}, VC {vc}"), &format!("{flit_name} {reason} ({steps})"));
}

/// The set bits, with commas.
fn list(vcs: u32) -> String {
    (0..32).filter(|v| vcs & (1 << v) != 0).map(|v| v.to_string()).collect::<Vec<_>>().join(", ")
}
