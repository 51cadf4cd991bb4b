//! The bar chart of the results.

use std::error::Error;
use std::path::Path;

use plotters::prelude::*;

/// Draws bars with these names and lengths as SVG, the first one on top.
pub fn draw(bars: &[(String, f64)], title: &str, path: &Path) -> Result<(), Box<dyn Error>> {
    const WIDTH: u32 = 860;
    const ROW: u32 = 26;
    const OURS: RGBColor = RGBColor(38, 110, 180);
    const OTHERS: RGBColor = RGBColor(160, 160, 160);
    let size = (WIDTH, ROW * bars.len() as u32 + 60);
    let longest = bars.iter().map(|bar| bar.1).fold(0.0, f64::max);
    let root = SVGBackend::new(path, size).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(title, ("sans-serif", 17))
        .margin(8)
        .set_label_area_size(LabelAreaPosition::Left, 250)
        .build_cartesian_2d(0.0..longest * 1.12, 0.0..bars.len() as f64)?;
    for (i, (name, value)) in bars.iter().enumerate() {
        let bottom = (bars.len() - 1 - i) as f64;
        let color = if name.starts_with("Carrybit") { OURS } else { OTHERS };
        let corners = [(0.0, bottom + 0.15), (*value, bottom + 0.85)];
        chart.draw_series([Rectangle::new(corners, color.filled())])?;
        let style = ("sans-serif", 14).into_font();
        let (x, y) = chart.backend_coord(&(*value, bottom + 0.62));
        root.draw(&Text::new(format!("{value:.2}"), (x + 6, y - 4), style.clone()))?;
        root.draw(&Text::new(name.clone(), (12, y - 4), style))?;
    }
    root.present()?;
    Ok(())
}
