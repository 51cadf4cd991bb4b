//! Shapes, text and boards in SVG.

use carrybit::internals::board::{Board, Color, Square};

/// A colour to fill a shape with, and one for its outline and for text.
pub type Paint = (&'static str, &'static str);
pub type Point = (i32, i32);

pub const PLAIN: Paint = ("#ffffff", "#1b1b1b");
pub const LIGHT: Paint = ("#f5f0e6", "#1b1b1b");
pub const DARK: Paint = ("#dccfb4", "#1b1b1b");
pub const GREY: Paint = ("#dddddd", "#555555");
pub const GREEN: Paint = ("#cbe6cd", "#17632a");
pub const RED: Paint = ("#f7d8d5", "#a81c17");
pub const BLUE: Paint = ("#d3e2f6", "#1d4b95");

/// The elements of an SVG picture, 800 pixels wide.
#[derive(Default)]
pub struct Picture(String);

impl Picture {
    pub fn rect(&mut self, (x, y): Point, (w, h): Point, (fill, stroke): Paint) {
        self.0 += &format!("<rect x='{x}' y='{y}' width='{w}' height='{h}' ");
        self.0 += &format!("fill='{fill}' stroke='{stroke}'/>\n");
    }

    pub fn ring(&mut self, (x, y): Point, radius: i32, fill: &str, stroke: &str) {
        self.0 += &format!("<circle cx='{x}' cy='{y}' r='{radius}' ");
        self.0 += &format!("fill='{fill}' stroke='{stroke}' stroke-width='2'/>\n");
    }

    pub fn line(&mut self, (x, y): Point, (to_x, to_y): Point, (_, colour): Paint) {
        self.0 += &format!("<line x1='{x}' y1='{y}' x2='{to_x}' y2='{to_y}' ");
        self.0 += &format!("stroke='{colour}' stroke-width='2.5'/>\n");
    }

    /// An arrow that leaves out `gap` pixels at both ends, or less if it is short.
    pub fn arrow(&mut self, from: Point, to: Point, gap: i32, paint: Paint) {
        let (dx, dy) = (f64::from(to.0 - from.0), f64::from(to.1 - from.1));
        let length = dx.hypot(dy);
        let (dx, dy) = (dx / length, dy / length);
        // The point `along` the arrow from its tip, and `beside` it.
        let point = |(x, y): Point, along: f64, beside: f64| {
            let place = |at: i32, shift: f64| (f64::from(at) + shift).round() as i32;
            (place(x, along * dx - beside * dy), place(y, along * dy + beside * dx))
        };
        let gap = f64::from(gap).min(length / 2.0 - 8.0);
        let head = gap + 10.0;
        self.line(point(from, gap, 0.0), point(to, -head, 0.0), paint);
        let corners = [(gap, 0.0), (head, 5.0), (head, -5.0)];
        let corners = corners.map(|(back, beside)| point(to, -back, beside));
        let points = corners.map(|(x, y)| format!("{x},{y}")).join(" ");
        self.0 += &format!("<polygon points='{points}' fill='{}'/>\n", paint.1);
    }

    /// Lines of text below each other; `x` is their start, middle or end.
    pub fn anchored(&mut self, (x, y): Point, anchor: &str, (_, colour): Paint, text: &str) {
        for (y, line) in (y..).step_by(20).zip(text.split('\n')) {
            let place = format!("x='{x}' y='{y}' text-anchor='{anchor}'");
            self.0 += &format!("<text {place} fill='{colour}'>{line}</text>\n");
        }
    }

    pub fn text(&mut self, at: Point, paint: Paint, text: &str) {
        self.anchored(at, "start", paint, text);
    }

    pub fn middle(&mut self, at: Point, paint: Paint, text: &str) {
        self.anchored(at, "middle", paint, text);
    }

    pub fn end(&mut self, at: Point, paint: Paint, text: &str) {
        self.anchored(at, "end", paint, text);
    }

    /// A rectangle with lines of text in its middle.
    pub fn cell(&mut self, (x, y): Point, (w, h): Point, paint: Paint, text: &str) {
        self.rect((x, y), (w, h), (paint.0, GREY.1));
        let lines = text.split('\n').count() as i32;
        self.middle((x + w / 2, y + h / 2 + 15 - 10 * lines), paint, text);
    }

    /// Draws a position, with the squares of `marked` green and numbered. Returns the centres of
    /// squares; those of indices off the board are to the right of it.
    pub fn board(
        &mut self,
        (left, top): Point,
        cell: i32,
        fen: &str,
        marked: &[Square],
    ) -> impl Fn(Square) -> Point + use<> {
        let centre = move |sq: Square| {
            let (file, rank) = (i32::from(number(sq) & 15), i32::from(number(sq) >> 4));
            (left + file * cell + cell / 2, top + (7 - rank) * cell + cell / 2)
        };
        let board = position(fen);
        for sq in Square::all() {
            let (x, y) = centre(sq);
            let corner = (x - cell / 2, y - cell / 2);
            self.rect(corner, (cell, cell), if sq.is_light() { LIGHT } else { DARK });
            if marked.contains(&sq) {
                self.rect((corner.0 + 3, corner.1 + 3), (cell - 6, cell - 6), GREEN);
                self.text((corner.0 + 5, corner.1 + cell - 5), PLAIN, &hex(sq));
            }
            if let Some(piece) = board.piece_on(sq) {
                let paint =
                    if piece.color == Color::White { PLAIN } else { ("#1b1b1b", "#ffffff") };
                self.ring((x, y), 13, paint.0, PLAIN.1);
                self.middle((x, y + 5), paint, &piece.kind.to_string().to_uppercase());
            }
        }
        for i in 0..8 {
            let (a, b) = (centre(Square::new(0, i)), centre(Square::new(i, 0)));
            let (rank, file) = ((i + 1).to_string(), char::from(b'a' + i).to_string());
            self.text((a.0 - cell / 2 + 3, a.1 - cell / 2 + 14), GREY, &rank);
            self.end((b.0 + cell / 2 - 3, b.1 + cell / 2 - 4), GREY, &file);
        }
        centre
    }

    pub fn finish(self, height: i32, title: &str) -> String {
        let size = format!("viewBox='0 0 800 {height}' width='800' height='{height}'");
        let font = "font-family='sans-serif' font-size='13' role='img'";
        let head = format!(
            "<svg xmlns='http://www.w3.org/2000/svg' {size} {font}>\n<title>{title}</title>\n"
        );
        let background = format!("<rect width='800' height='{height}' fill='#ffffff'/>\n");
        head + &background + &self.0 + "</svg>\n"
    }
}

/// The number of a square, also of one off the board.
pub fn number(sq: Square) -> u8 {
    Square::new(0, 0).delta_to(sq)
}

pub fn hex(sq: Square) -> String {
    format!("{:02X}", number(sq))
}

pub fn square(name: &str) -> Square {
    name.parse().expect("a square")
}

pub fn position(fen: &str) -> Board {
    fen.parse().expect("a FEN")
}
