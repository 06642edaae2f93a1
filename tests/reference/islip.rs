//! iSLIP (McKeown 1999) between any inputs and outputs, straight from its three phases.

/// Round-robin pointers of one allocator; all start at 0.
#[derive(Clone, Debug)]
pub struct Islip {
    iterations: usize,
    /// For each output, the input that it prefers.
    grant_pointer: Vec<usize>,
    /// For each input, the output that it prefers.
    accept_pointer: Vec<usize>,
}

/// How far `candidate` lies from `pointer` going up and around `n` places: the smallest is the first at or after the pointer.
pub fn round_robin_distance(pointer: usize, candidate: usize, n: usize) -> usize {
    if candidate >= pointer {
        candidate - pointer
    } else {
        candidate + n - pointer
    }
}

impl Islip {
    pub fn new(inputs: usize, outputs: usize, iterations: usize) -> Self {
        Self { iterations, grant_pointer: vec![0; outputs], accept_pointer: vec![0; inputs] }
    }

    /// Matches inputs with outputs. `requests` are `(input, output)` pairs; the answer holds the output of each matched input.
    pub fn allocate(&mut self, requests: &[(usize, usize)]) -> Vec<Option<usize>> {
        let (inputs, outputs) = (self.accept_pointer.len(), self.grant_pointer.len());
        let mut output_of = vec![None; inputs];
        if requests.is_empty() {
            return output_of;
        }
        let mut input_of = vec![None; outputs];
        for iteration in 0..self.iterations {
            // Each unmatched output grants the first unmatched requester at or after its pointer.
            let mut grant: Vec<Option<usize>> = vec![None; outputs];
            for &(input, output) in requests {
                if output_of[input].is_some() || input_of[output].is_some() {
                    continue;
                }
                let distance = |i| round_robin_distance(self.grant_pointer[output], i, inputs);
                if grant[output].is_none_or(|other| distance(input) < distance(other)) {
                    grant[output] = Some(input);
                }
            }
            // Each input accepts the first grant at or after its pointer.
            let mut accept: Vec<Option<usize>> = vec![None; inputs];
            for (output, granted) in grant.into_iter().enumerate() {
                let Some(input) = granted else { continue };
                let distance = |o| round_robin_distance(self.accept_pointer[input], o, outputs);
                if accept[input].is_none_or(|other| distance(output) < distance(other)) {
                    accept[input] = Some(output);
                }
            }
            for (input, accepted) in accept.into_iter().enumerate() {
                let Some(output) = accepted else { continue };
                output_of[input] = Some(output);
                input_of[output] = Some(input);
                // Later iterations leave the pointers alone: that is what keeps iSLIP free of starvation.
                if iteration == 0 {
                    self.grant_pointer[output] = (input + 1) % inputs;
                    self.accept_pointer[input] = (output + 1) % outputs;
                }
            }
        }
        output_of
    }
}
