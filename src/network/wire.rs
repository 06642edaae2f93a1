//! What crosses between partitions: flits and credits with the cycle in which they act, as a stream of records.

use crate::error::Error;
use crate::network::board::MARK;
use crate::network::flit::Flit;

/// Marks the record of a credit.
const CREDIT: u32 = 1 << 31;

#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Head {
    at: u32,
    vc: u32,
}

/// Appends a flit that reaches input VC `vc` of the receiving partition in cycle `at`.
#[inline]
pub fn put_flit(batch: &mut Vec<u8>, at: u32, vc: u32, flit: &Flit) {
    batch.extend_from_slice(bytemuck::bytes_of(&Head { at, vc }));
    batch.extend_from_slice(bytemuck::bytes_of(flit));
}

/// Appends a credit for output VC `vc` of the receiving partition, usable from cycle `at`.
#[inline]
pub fn put_credit(batch: &mut Vec<u8>, at: u32, vc: u32) {
    batch.extend_from_slice(bytemuck::bytes_of(&Head { at, vc: vc | CREDIT }));
}

/// One record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record<'a> {
    /// Cycle, input VC, flit.
    Flit(u32, u32, Flit),
    /// Cycle, output VC.
    Credit(u32, u32),
    /// What the board of queue lengths takes: the rest of the batch.
    Board(&'a [u8]),
}

/// Calls `each` with every record of a batch.
///
/// # Errors
/// If the batch is cut short, or `each` fails.
pub fn read<'a>(mut batch: &'a [u8], mut each: impl FnMut(Record<'a>) -> Result<(), Error>) -> Result<(), Error> {
    const HEAD: usize = size_of::<Head>();
    const FLIT: usize = size_of::<Flit>();
    let short = || Error::Internal("a batch is cut short".into());
    while !batch.is_empty() {
        let head: Head = bytemuck::pod_read_unaligned(batch.get(..HEAD).ok_or_else(short)?);
        if head.at == MARK {
            return each(Record::Board(&batch[size_of_val(&MARK)..]));
        }
        batch = &batch[HEAD..];
        if head.vc & CREDIT != 0 {
            each(Record::Credit(head.at, head.vc & !CREDIT))?;
        } else {
            let flit = bytemuck::pod_read_unaligned(batch.get(..FLIT).ok_or_else(short)?);
            batch = &batch[FLIT..];
            each(Record::Flit(head.at, head.vc, flit))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_round_trip_and_a_short_batch_is_an_error() {
        let flit = Flit { src: 1, dst: 2, sequence: 9, ..Flit::default() };
        let mut batch = Vec::new();
        put_credit(&mut batch, 5, 77);
        put_flit(&mut batch, 6, 78, &flit);
        put_credit(&mut batch, 7, 79);
        let mut seen = Vec::new();
        read(&batch, |r| {
            seen.push(r);
            Ok(())
        })
        .expect("whole");
        assert_eq!(seen, [Record::Credit(5, 77), Record::Flit(6, 78, flit), Record::Credit(7, 79)]);
        assert!(read(&batch[..20], |_| Ok(())).is_err());
        // The board comes last and takes the rest.
        batch.extend_from_slice(&MARK.to_le_bytes());
        batch.extend_from_slice(&[1, 2, 3, 4, 5, 6]);
        let mut last = None;
        read(&batch, |r| {
            last = Some(r);
            Ok(())
        })
        .expect("whole");
        assert_eq!(last, Some(Record::Board(&[1, 2, 3, 4, 5, 6])));
    }
}
