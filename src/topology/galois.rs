//! Finite fields GF(p^n) for any prime power, by discrete logarithms. Slim Fly needs real field arithmetic: for q = 4, 8,
//! 9, 16, 25, 27, ... arithmetic mod q is no field. Knows nothing of graphs.

/// An element: the base-p digits of the integer are the coefficients of a polynomial over GF(p), lowest power first.
/// 0 and 1 are the field's zero and one; for n = 1 this is arithmetic mod p.
pub type Element = u32;

/// The field with `q = p^n` elements, `q` at most 2^16 (products of digits fit 32 bits). Memory is `3 q` words;
/// multiplication is two look-ups, addition `n` digit steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Number of elements.
    q: u32,
    /// Characteristic, a prime.
    p: u32,
    /// Powers of the primitive element, written twice so that a sum of two logarithms indexes it; shape `[2 (q - 1)]`.
    exp: Vec<Element>,
    /// Logarithm of every element but 0; shape `[q]`.
    log: Vec<u32>,
}

impl Field {
    /// The field with `q` elements, or `None` if `q` is no prime power. Elements are named by the first polynomial (in
    /// the order of its coefficients read as an integer) under which x generates the multiplicative group, so the same
    /// `q` always gives the same tables; for a prime `q` the generator is the smallest primitive root.
    #[must_use]
    pub fn new(q: u32) -> Option<Self> {
        let (p, n) = prime_power(q)?;
        let exp =
            (1..q).find_map(|reduction| powers_of_x(q, p, n, reduction)).expect("every finite field has a primitive element");
        let mut log = vec![0; q as usize];
        for (i, &element) in exp.iter().enumerate() {
            log[element as usize] = i as u32;
        }
        let exp = [exp.as_slice(), exp.as_slice()].concat();
        Some(Self { q, p, exp, log })
    }

    /// Number of elements, q.
    #[must_use]
    pub fn order(&self) -> u32 {
        self.q
    }

    /// The primitive element xi whose powers are all elements but 0.
    #[must_use]
    pub fn primitive(&self) -> Element {
        self.power(1)
    }

    /// xi to the power of `exponent`.
    #[must_use]
    pub fn power(&self, exponent: u32) -> Element {
        self.exp[(exponent % (self.q - 1)) as usize]
    }

    /// The product `a b`.
    #[must_use]
    pub fn mul(&self, a: Element, b: Element) -> Element {
        if a == 0 || b == 0 {
            return 0;
        }
        self.exp[(self.log[a as usize] + self.log[b as usize]) as usize]
    }

    /// The sum `a + b`.
    #[must_use]
    pub fn add(&self, a: Element, b: Element) -> Element {
        self.by_digit(a, b, |x, y| (x + y) % self.p)
    }

    /// The difference `a - b`.
    #[must_use]
    pub fn sub(&self, a: Element, b: Element) -> Element {
        self.by_digit(a, b, |x, y| (x + self.p - y) % self.p)
    }

    /// The negative `-a`.
    #[must_use]
    pub fn neg(&self, a: Element) -> Element {
        self.sub(0, a)
    }

    /// The inverse `1 / a`, or `None` for 0.
    #[must_use]
    pub fn inv(&self, a: Element) -> Option<Element> {
        (a != 0).then(|| self.power(self.q - 1 - self.log[a as usize]))
    }

    fn by_digit(&self, mut a: Element, mut b: Element, digit: impl Fn(u32, u32) -> u32) -> Element {
        let (mut sum, mut place) = (0, 1);
        while a > 0 || b > 0 {
            sum += digit(a % self.p, b % self.p) * place;
            a /= self.p;
            b /= self.p;
            place *= self.p;
        }
        sum
    }
}

/// The powers x^0 .. x^(q-2) modulo `x^n - reduction`, or `None` if x does not have order q - 1 there. If it has, every
/// non-zero remainder is a power of x and so invertible: the modulus is irreducible without a separate test.
fn powers_of_x(q: u32, p: u32, n: u32, reduction: Element) -> Option<Vec<Element>> {
    let top_place = p.pow(n - 1);
    let mut powers = Vec::with_capacity(q as usize - 1);
    let mut element: Element = 1;
    for _ in 1..q {
        powers.push(element);
        // Times x: shift by one digit; the digit that leaves comes back times `reduction`.
        let carry = element / top_place;
        let shifted = element % top_place * p;
        let (mut product, mut place, mut rest, mut low) = (0, 1, reduction, shifted);
        for _ in 0..n {
            product += (low % p + carry * (rest % p)) % p * place;
            place *= p;
            rest /= p;
            low /= p;
        }
        element = product;
        if element <= 1 {
            break;
        }
    }
    (element == 1 && powers.len() as u32 == q - 1).then_some(powers)
}

/// `(p, n)` with `q = p^n` and p prime, or `None` if there is none.
#[must_use]
pub fn prime_power(q: u32) -> Option<(u32, u32)> {
    if q < 2 {
        return None;
    }
    let p = (2..).take_while(|d| d * d <= q).find(|d| q % d == 0).unwrap_or(q);
    let (mut rest, mut n) = (q, 0);
    while rest % p == 0 {
        rest /= p;
        n += 1;
    }
    (rest == 1).then_some((p, n))
}

/// The largest prime power below `q`, if any, and the smallest above it.
#[must_use]
pub fn nearest_prime_powers(q: u32) -> (Option<u32>, u32) {
    let below = (2..q).rev().find(|&c| prime_power(c).is_some());
    let above = (q + 1..).find(|&c| prime_power(c).is_some()).expect("there are primes without end");
    (below, above)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    fn prime_powers(max: u32) -> impl Iterator<Item = u32> {
        (2..=max).filter(|&q| prime_power(q).is_some())
    }

    #[test]
    fn prime_powers_are_detected() {
        let known = [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32];
        assert_eq!(prime_powers(32).collect::<Vec<_>>(), known);
        assert_eq!(prime_power(729), Some((3, 6)));
        assert_eq!(prime_power(1024), Some((2, 10)));
        assert_eq!(prime_power(1021), Some((1021, 1)));
        assert_eq!([0, 1, 6, 36, 1023].map(prime_power), [None; 5]);
    }

    #[test]
    fn nearest_prime_powers_surround() {
        assert_eq!(nearest_prime_powers(6), (Some(5), 7));
        assert_eq!(nearest_prime_powers(20), (Some(19), 23));
        assert_eq!(nearest_prime_powers(100), (Some(97), 101));
        assert_eq!(nearest_prime_powers(2), (None, 3));
        assert_eq!(nearest_prime_powers(0), (None, 2));
    }

    #[test]
    fn only_prime_powers_have_a_field() {
        for q in 0..=64 {
            assert_eq!(Field::new(q).is_some(), prime_power(q).is_some(), "q={q}");
        }
    }

    #[test]
    fn the_primitive_element_generates_everything_up_to_1024() {
        for q in prime_powers(1024) {
            let field = Field::new(q).unwrap();
            let mut powers: Vec<_> = (0..q - 1).map(|i| field.power(i)).collect();
            powers.sort_unstable();
            assert!(powers.iter().copied().eq(1..q), "q={q}");
        }
    }

    fn check_axioms(field: &Field, a: Element, b: Element, c: Element) {
        let f = field;
        let q = f.order();
        assert_eq!(f.add(a, b), f.add(b, a), "q={q}");
        assert_eq!(f.mul(a, b), f.mul(b, a), "q={q}");
        assert_eq!(f.add(f.add(a, b), c), f.add(a, f.add(b, c)), "q={q}");
        assert_eq!(f.mul(f.mul(a, b), c), f.mul(a, f.mul(b, c)), "q={q}");
        assert_eq!(f.mul(a, f.add(b, c)), f.add(f.mul(a, b), f.mul(a, c)), "q={q} a={a} b={b} c={c}");
        assert_eq!(f.add(f.sub(a, b), b), a, "q={q}");
        assert_eq!(f.add(a, f.neg(a)), 0, "q={q}");
        assert_eq!((f.add(a, 0), f.mul(a, 1), f.mul(a, 0)), (a, a, 0), "q={q}");
        assert_eq!(f.inv(a).map_or(1, |i| f.mul(a, i)), 1, "q={q}");
        assert!(a == 0 || b == 0 || f.mul(a, b) != 0, "q={q}: no divisors of zero");
    }

    #[test]
    fn axioms_hold_for_every_triple_of_small_fields() {
        for q in prime_powers(27) {
            let field = Field::new(q).unwrap();
            for a in 0..q {
                for b in 0..q {
                    (0..q).for_each(|c| check_axioms(&field, a, b, c));
                }
            }
        }
    }

    #[test]
    fn axioms_hold_for_sampled_triples_of_every_field_up_to_1024() {
        for q in prime_powers(1024) {
            let field = Field::new(q).unwrap();
            let mut stream = Stream::new(1, Purpose::Pairs, u64::from(q));
            for _ in 0..200 {
                check_axioms(&field, stream.below(q), stream.below(q), stream.below(q));
            }
        }
    }

    #[test]
    fn prime_fields_are_arithmetic_mod_p() {
        let field = Field::new(19).unwrap();
        assert_eq!(field.primitive(), 2);
        assert_eq!((field.mul(7, 8), field.add(12, 9), field.sub(3, 7)), (56 % 19, 2, 15));
    }
}
