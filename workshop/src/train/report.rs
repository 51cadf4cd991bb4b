//! The losses of a training, as a table and as a picture.

use std::error::Error;
use std::fmt::Write;

use plotters::prelude::*;
use serde::{Deserialize, Serialize};

/// In pixels, like [`TITLE`] and [`LABEL`].
const PICTURE: (u32, u32) = (900, 500);
const TITLE: u32 = 24;
const LABEL: u32 = 18;

/// The losses of a unit of the training.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Steps so far.
    pub step: u64,
    /// Epochs so far.
    pub epochs: f64,
    /// The learning rate of the last step.
    pub rate: f64,
    /// The mean loss of the samples, each before the step that used it.
    pub training: f64,
    /// The mean loss of the validation positions.
    pub validation: f64,
    /// Samples per second.
    pub speed: f64,
}

pub fn table(records: &[Record]) -> String {
    let mut table =
        "step,epochs,rate,training_loss,validation_loss,positions_per_second\n".to_owned();
    for Record { step, epochs, rate, training, validation, speed } in records {
        writeln!(table, "{step},{epochs:.3},{rate:.3e},{training:.8},{validation:.8},{speed:.0}")
            .expect("writing to a string");
    }
    table
}

/// The losses as a picture, in SVG. Omits the first training loss, most of which is that of
/// the untrained network.
pub fn picture(records: &[Record]) -> Result<String, Box<dyn Error>> {
    let curve = |loss: fn(&Record) -> f64| -> Vec<(f64, f64)> {
        records.iter().map(|record| (record.epochs, loss(record))).collect()
    };
    let training = curve(|record| record.training).split_off(records.len().min(1));
    let validation = curve(|record| record.validation);
    let losses = training.iter().chain(&validation).map(|&(_, loss)| loss);
    let (low, high) =
        losses.fold((f64::INFINITY, 0f64), |(low, high), loss| (low.min(loss), high.max(loss)));
    let last = records.last().map_or(1.0, |record| record.epochs);
    let mut picture = String::new();
    let area = SVGBackend::with_string(&mut picture, PICTURE).into_drawing_area();
    area.fill(&WHITE)?;
    let margin = ((high - low) * 0.05).max(1e-9);
    let mut chart = ChartBuilder::on(&area)
        .caption("Mean squared error of the forecast", ("sans-serif", TITLE))
        .margin(15)
        .x_label_area_size(40)
        .y_label_area_size(70)
        .build_cartesian_2d(0.0..last, (low - margin).max(0.0)..high + margin)?;
    chart
        .configure_mesh()
        .label_style(("sans-serif", LABEL))
        .x_desc("epochs")
        .y_label_formatter(&|loss| format!("{loss:.5}"))
        .draw()?;
    for (name, colour, points) in [("training", BLUE, training), ("validation", RED, validation)] {
        chart
            .draw_series(LineSeries::new(points, colour.stroke_width(2)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], colour.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .label_font(("sans-serif", LABEL))
        .position(SeriesLabelPosition::UpperRight)
        .border_style(BLACK)
        .background_style(WHITE)
        .draw()?;
    area.present()?;
    drop((chart, area));
    Ok(picture)
}
