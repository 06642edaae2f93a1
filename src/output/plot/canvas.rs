//! Lines, polygons and text in dots: the few things that the figure is made of.

use std::sync::OnceLock;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::error::Error;

/// Resolution of the figure.
pub(super) const DOTS_PER_INCH: u32 = 600;

/// Width of the figure: 3.5 inches, a column of the usual two-column papers.
pub(super) const WIDTH: i32 = 2100;

/// Font family in the SVG, with what to take where DejaVu is not installed; the PNG has the embedded one.
const FAMILY: &str = "DejaVu Sans, Verdana, Arial, sans-serif";

/// Colour of what is no data.
pub(super) const GREY: RGBColor = RGBColor(110, 110, 110);

/// `points` (1/72 inch) in dots.
pub(super) const fn points(n: i32) -> i32 {
    n * DOTS_PER_INCH as i32 / 72
}

/// Makes the embedded font known to the drawing library.
pub(super) fn register_font() -> Result<(), Error> {
    static DONE: OnceLock<bool> = OnceLock::new();
    let done = DONE.get_or_init(|| plotters::style::register_font(FAMILY, FontStyle::Normal, dejavu::sans::regular()).is_ok());
    if *done {
        Ok(())
    } else {
        Err(Error::Internal("the embedded font cannot be read".into()))
    }
}

/// How a text stands at its place, which is level with the middle of its capitals.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    /// Starts there.
    Start,
    /// Ends there.
    End,
    /// Centred on it.
    Middle,
    /// Centred on it, reading upwards.
    Upwards,
}

/// How a backend sets type. They agree neither on the size of a font nor on where its letters stand.
#[derive(Clone, Copy)]
pub(super) struct Typesetting {
    /// The library's font size over the size of the letters' body.
    pub scale: f64,
    /// How far the middle of capitals stands above the middle of a text, over the library's font size.
    pub rise: f64,
}

/// Of the PNG backend with the embedded font.
pub(super) const PNG_TYPE: Typesetting = Typesetting { scale: 1.164, rise: 0.216 };

/// Of the SVG backend.
pub(super) const SVG_TYPE: Typesetting = Typesetting { scale: 1.24, rise: 0.074 };

/// Where the figure is drawn.
pub(super) struct Canvas<'a, B: DrawingBackend> {
    pub(super) area: &'a DrawingArea<B, Shift>,
    pub(super) typesetting: Typesetting,
}

/// The outcome of drawing.
pub(super) type Drawn<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

impl<B: DrawingBackend> Canvas<'_, B> {
    /// A line of the given width in tenths of a point.
    pub(super) fn line(&self, path: &[(i32, i32)], color: RGBColor, tenths: i32) -> Drawn<B> {
        let width = (points(tenths) / 10).max(1);
        self.area.draw(&PathElement::new(path.to_vec(), color.stroke_width(width.unsigned_abs())))
    }

    /// A broken line.
    pub(super) fn dashes(&self, from: (i32, i32), to: (i32, i32), color: RGBColor, tenths: i32) -> Drawn<B> {
        const DASH: f64 = 20.0;
        const GAP: f64 = 14.0;
        let (dx, dy) = (f64::from(to.0 - from.0), f64::from(to.1 - from.1));
        let length = dx.hypot(dy);
        let at = |s: f64| {
            let part = (s / length).min(1.0);
            (from.0 + (dx * part).round() as i32, from.1 + (dy * part).round() as i32)
        };
        let mut start = 0.0;
        while start < length {
            self.line(&[at(start), at(start + DASH)], color, tenths)?;
            start += DASH + GAP;
        }
        Ok(())
    }

    /// A filled polygon.
    pub(super) fn polygon(&self, corners: Vec<(i32, i32)>, color: RGBColor) -> Drawn<B> {
        self.area.draw(&Polygon::new(corners, color.filled()))
    }

    /// A text of the given size in points.
    pub(super) fn text(&self, text: &str, at: (i32, i32), size: i32, anchor: Anchor, color: RGBColor) -> Drawn<B> {
        let side = match anchor {
            Anchor::Start => HPos::Left,
            Anchor::End => HPos::Right,
            Anchor::Middle | Anchor::Upwards => HPos::Center,
        };
        let font = font(size, self.typesetting.scale);
        let drop = (font.get_size() * self.typesetting.rise).round() as i32;
        let style = TextStyle::from(font).color(&color).pos(Pos::new(side, VPos::Center));
        let (at, style) = match anchor {
            Anchor::Upwards => ((at.0 + drop, at.1), style.transform(FontTransform::Rotate270)),
            _ => ((at.0, at.1 + drop), style),
        };
        self.area.draw(&Text::new(text.to_string(), at, style))
    }
}

/// The font at a size in points, for a backend of that scale.
fn font(size: i32, scale: f64) -> FontDesc<'static> {
    (FAMILY, f64::from(points(size)) * scale).into_font()
}

/// Width of `text` in dots.
pub(super) fn text_width(text: &str, size: i32) -> i32 {
    // A font that cannot be measured was refused when it was registered.
    font(size, PNG_TYPE.scale).box_size(text).map_or(0, |(width, _)| width as i32)
}
