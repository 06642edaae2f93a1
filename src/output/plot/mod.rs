//! The figure of a study: packet latency and accepted load against offered load, as SVG and PNG at the width of a paper column.
//!
//! Made from the results file alone and from an embedded font, so it looks the same on every machine.

mod canvas;
mod curves;
mod legend;
mod marker;
mod panel;
mod ticks;

use std::path::{Path, PathBuf};

use plotters::prelude::*;

use self::canvas::{Canvas, Typesetting, PNG_TYPE, SVG_TYPE, WIDTH};
use self::curves::Figure;
use self::legend::Legend;
use self::panel::{panels, Panel};
use super::disk;
use crate::error::Error;

/// Draws the finished points of the results file `results` into `<stem>.svg` and `<stem>.png`; returns their paths.
///
/// One curve for each combination of the swept keys other than the load; without a swept load, against the first swept number.
///
/// # Errors
/// As `read_table`, and `Error::Io` if a figure cannot be written.
pub fn plot(results: &Path, stem: &Path) -> Result<Vec<PathBuf>, Error> {
    let figure = Figure::new(&super::read_table(results)?);
    if let Some(folder) = stem.parent() {
        std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
    }
    canvas::register_font()?;
    let size = size(&figure)?;
    let with_end = |end: &str| {
        let mut name = stem.as_os_str().to_os_string();
        name.push(end);
        PathBuf::from(name)
    };
    let (svg, png) = (with_end(".svg"), with_end(".png"));
    disk::write_whole(&svg, svg_text(&figure, size).map_err(|e| Error::io(&svg, e))?.as_bytes())?;
    write_png(&figure, size, &png)?;
    Ok(vec![svg, png])
}

/// The size of the figure in dots.
fn size(figure: &Figure) -> Result<(u32, u32), Error> {
    let height = Legend::new(figure).height() + panel::HEIGHT_OF_BOTH;
    let dots = u32::try_from(height).map_err(|_| Error::Internal("the figure has no size".into()))?;
    Ok((WIDTH as u32, dots))
}

/// The figure as SVG, sized in inches so that it can be placed in a document as it is.
fn svg_text(figure: &Figure, size: (u32, u32)) -> Result<String, String> {
    let mut text = String::new();
    draw(&SVGBackend::with_string(&mut text, size).into_drawing_area(), SVG_TYPE, figure).map_err(|e| e.to_string())?;
    let dots = format!("width=\"{}\" height=\"{}\"", size.0, size.1);
    let inches = |n: u32| f64::from(n) / f64::from(canvas::DOTS_PER_INCH);
    Ok(text.replacen(&dots, &format!("width=\"{:.3}in\" height=\"{:.3}in\"", inches(size.0), inches(size.1)), 1))
}

/// Draws the figure into the file `path`, whole or not at all.
fn write_png(figure: &Figure, size: (u32, u32), path: &Path) -> Result<(), Error> {
    // The backend takes the format from the extension.
    let partial = disk::neighbour(path, &format!(".{}.partial.png", std::process::id()));
    let drawn = draw(&BitMapBackend::new(&partial, size).into_drawing_area(), PNG_TYPE, figure)
        .map_err(|e| Error::io(path, e))
        .and_then(|()| disk::replace(&partial, path));
    if drawn.is_err() {
        // It may not exist.
        let _ = std::fs::remove_file(&partial);
    }
    drawn
}

/// Draws the whole figure.
fn draw<B: DrawingBackend>(
    area: &DrawingArea<B, plotters::coord::Shift>,
    typesetting: Typesetting,
    figure: &Figure,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    area.fill(&WHITE)?;
    let canvas = Canvas { area, typesetting };
    let legend = Legend::new(figure);
    legend.draw(&canvas)?;
    for panel in panels(figure, legend.height()) {
        Panel::draw(&panel, &canvas, figure)?;
    }
    area.present()
}
