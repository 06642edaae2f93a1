//! The figure of a study as SVG and PNG: of a simulation packet latency and accepted load against offered load, and the share of
//! packets that is delivered where faults keep it below 1; of a hypercube study the percentage of optimal pairs against faults.
//!
//! Made from the results file alone and from an embedded font, so it looks the same on every machine.

mod canvas;
mod cube;
mod cube_panels;
mod curves;
mod legend;
mod marker;
mod nines;
mod panel;
mod ticks;

use std::path::{Path, PathBuf};

use plotters::prelude::*;

use self::canvas::{Canvas, Drawn, Typesetting, PNG_TYPE, SVG_TYPE, WIDTH};
use self::cube::{CubeFigure, QUANTITIES};
use self::cube_panels::CubeLayout;
use self::curves::Figure;
use self::legend::Legend;
use self::panel::{panels, Panel};
use super::{disk, StudyKind};
use crate::error::Error;

/// Draws the finished points of the results file `results` into `<stem>.svg` and `<stem>.png`; returns their paths.
///
/// Of a simulation one curve for each combination of the swept keys other than the load; without a swept load, against the first
/// swept number. Of several seeds the mean is drawn, with its interval. Where faults keep packets from being delivered, a figure
/// `<stem>.<pattern>` for each traffic pattern, if there are other curves to tell apart. Of a hypercube study a panel for each cube
/// and mix of faults, and where a sound criterion was counted two figures
/// more: `<stem>.failed` of pairs that fail though connected, and `<stem>.detour`.
///
/// # Errors
/// As `read_table`, and `Error::Io` if a figure cannot be written.
pub fn plot(results: &Path, stem: &Path) -> Result<Vec<PathBuf>, Error> {
    let table = super::read_table(results)?;
    if let Some(folder) = stem.parent() {
        std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
    }
    canvas::register_font()?;
    let mut files = Vec::new();
    match table.kind {
        StudyKind::Simulation => {
            for (suffix, figure) in Figure::all(&table.over_seeds()) {
                files.extend(write(&LoadDrawing(figure), stem, &suffix)?);
            }
        }
        StudyKind::Hypercube => {
            for quantity in &QUANTITIES {
                if let Some(figure) = CubeFigure::new(&table, quantity) {
                    files.extend(write(&CubeLayout::new(&figure), stem, quantity.suffix)?);
                }
            }
        }
    }
    Ok(files)
}

/// Something that can be drawn on any backend.
trait Drawing {
    /// Width and height in dots.
    fn size(&self) -> (i32, i32);

    /// Draws it on a white canvas of that size.
    fn draw<B: DrawingBackend>(&self, canvas: &Canvas<'_, B>) -> Drawn<B>;
}

/// The delivered share if it tells anything, latency and accepted load.
struct LoadDrawing(Figure);

impl Drawing for LoadDrawing {
    fn size(&self) -> (i32, i32) {
        (WIDTH, Legend::new(&self.0).height() + panel::height(&self.0))
    }

    fn draw<B: DrawingBackend>(&self, canvas: &Canvas<'_, B>) -> Drawn<B> {
        let legend = Legend::new(&self.0);
        legend.draw(canvas)?;
        panels(&self.0, legend.height()).iter().try_for_each(|panel| Panel::draw(panel, canvas, &self.0))
    }
}

impl Drawing for CubeLayout<'_> {
    fn size(&self) -> (i32, i32) {
        self.size
    }

    fn draw<B: DrawingBackend>(&self, canvas: &Canvas<'_, B>) -> Drawn<B> {
        CubeLayout::draw(self, canvas)
    }
}

/// Writes `<stem><suffix>.svg` and `.png`; returns their paths.
fn write(drawing: &impl Drawing, stem: &Path, suffix: &str) -> Result<[PathBuf; 2], Error> {
    let (width, height) = drawing.size();
    let dots = |n: i32| u32::try_from(n).map_err(|_| Error::Internal("the figure has no size".into()));
    let size = (dots(width)?, dots(height)?);
    let [svg, png] = ["svg", "png"].map(|end| {
        let mut name = stem.as_os_str().to_os_string();
        name.push(format!("{suffix}.{end}"));
        PathBuf::from(name)
    });
    disk::write_whole(&svg, svg_text(drawing, size).map_err(|e| Error::io(&svg, e))?.as_bytes())?;
    write_png(drawing, size, &png)?;
    Ok([svg, png])
}

/// The figure as SVG, sized in inches so that it can be placed in a document as it is.
fn svg_text(drawing: &impl Drawing, size: (u32, u32)) -> Result<String, String> {
    let mut text = String::new();
    draw(&SVGBackend::with_string(&mut text, size).into_drawing_area(), SVG_TYPE, drawing).map_err(|e| e.to_string())?;
    let dots = format!("width=\"{}\" height=\"{}\"", size.0, size.1);
    let inches = |n: u32| f64::from(n) / f64::from(canvas::DOTS_PER_INCH);
    Ok(text.replacen(&dots, &format!("width=\"{:.3}in\" height=\"{:.3}in\"", inches(size.0), inches(size.1)), 1))
}

/// Draws the figure into the file `path`, whole or not at all.
fn write_png(drawing: &impl Drawing, size: (u32, u32), path: &Path) -> Result<(), Error> {
    // The backend takes the format from the extension.
    let partial = disk::neighbour(path, &format!(".{}.partial.png", std::process::id()));
    let drawn = draw(&BitMapBackend::new(&partial, size).into_drawing_area(), PNG_TYPE, drawing)
        .map_err(|e| Error::io(path, e))
        .and_then(|()| disk::replace(&partial, path));
    if drawn.is_err() {
        // It may not exist.
        let _ = std::fs::remove_file(&partial);
    }
    drawn
}

/// Draws on a white area.
fn draw<B: DrawingBackend>(
    area: &DrawingArea<B, plotters::coord::Shift>,
    typesetting: Typesetting,
    drawing: &impl Drawing,
) -> Drawn<B> {
    area.fill(&WHITE)?;
    drawing.draw(&Canvas { area, typesetting })?;
    area.present()
}
