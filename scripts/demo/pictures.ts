import sharp from 'sharp';

/** Calm pictures in layers, drawn and free of rights: the same words give the same picture. */

export const motifs = { hills, sea, wood, city, night, field, still, tiles };
export type Motif = keyof typeof motifs;
/** Above, at the horizon, far away, near, and the one thing that stands out. */
export type Colours = readonly [above: string, horizon: string, far: string, near: string, point: string];

/** A picture as JPEG. `turn` makes another picture of the same motif. */
export async function drawnPicture(
  motif: Motif,
  colours: Colours,
  { width, height, turn = 0 }: { width: number; height: number; turn?: number },
): Promise<Buffer> {
  const [above, horizon] = colours;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
    <linearGradient id="sky" x2="0" y2="1"><stop stop-color="${above}"/><stop offset=".7" stop-color="${horizon}"/></linearGradient>
    <rect width="100%" height="100%" fill="url(#sky)"/>${motifs[motif](colours, { width, height, turn })}</svg>`;
  return await sharp(Buffer.from(svg)).jpeg({ quality: 86 }).toBuffer();
}

/** An icon: a shape, or up to two letters, on a square of one colour. As PNG. */
export async function drawnIcon(shape: string, colour: string, ink: string): Promise<Buffer> {
  const inside = shape.startsWith('<')
    ? `<g fill="${ink}" stroke="${ink}" stroke-linecap="round" stroke-linejoin="round">${shape}</g>`
    : `<text x="50" y="73" font-size="68" font-family="serif" font-weight="bold" text-anchor="middle" fill="${ink}">${shape}</text>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="512" height="512" viewBox="0 0 100 100"><rect width="100" height="100" fill="${colour}"/>${inside}</svg>`;
  return await sharp(Buffer.from(svg)).png().toBuffer();
}

type Size = { width: number; height: number; turn: number };

/** A number from 0 to 1 that looks random. */
const chance = (n: number) => Math.abs(Math.sin(n * 12.9898) * 43_758.5453) % 1;
const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
const disc = (x: number, y: number, radius: number, colour: string) =>
  `<circle cx="${x}" cy="${y}" r="${radius}" fill="${colour}"/>`;

/** A colour between two, as far as `part` says. */
function between(one: string, other: string, part: number): string {
  const channel = (hex: string, n: number) => Number.parseInt(hex.slice(1 + 2 * n, 3 + 2 * n), 16);
  const mixed = times(3, n => Math.round(channel(one, n) * (1 - part) + channel(other, n) * part));
  return `rgb(${mixed.join()})`;
}

function ridge({ width, height, turn }: Size, place: number, rise: number, colour: string): string {
  const points = times(61, n => {
    const x = n / 60;
    const wave =
      Math.sin(x * (5 + place * 6) + turn * 2 + place * 9) + Math.sin(x * 17 + turn + place * 5) / 3;
    return `${x * width},${height * (place + wave * rise)}`;
  });
  return `<polygon fill="${colour}" points="0,${height} ${points.join(' ')} ${width},${height}"/>`;
}

function hills([, , far, near, point]: Colours, size: Size): string {
  const { width, height, turn } = size;
  const sun = disc(width * (0.2 + 0.6 * chance(turn + 1)), height * 0.3, height * 0.09, point);
  return (
    sun + times(5, n => ridge(size, 0.46 + n * 0.12, 0.07 - n * 0.008, between(far, near, n / 4))).join('')
  );
}

function sea([, , far, near, point]: Colours, { width, height, turn }: Size): string {
  const x = width * (0.25 + 0.5 * chance(turn + 3));
  const water = times(
    9,
    n =>
      `<rect y="${height * (0.56 + n * 0.055)}" width="${width}" height="${height}" fill="${between(far, near, n / 8)}"/>`,
  );
  const light = times(
    6,
    n =>
      `<rect x="${x - height * (0.03 + n * 0.012)}" y="${height * (0.6 + n * 0.055)}" width="${height * (0.06 + n * 0.024)}" height="${height * 0.008}" fill="${point}" opacity=".7"/>`,
  );
  return disc(x, height * 0.44, height * 0.11, point) + water.join('') + light.join('');
}

function wood([, , far, near]: Colours, size: Size): string {
  const { width, height, turn } = size;
  return times(4, row => {
    const colour = between(far, near, row / 3);
    const count = Math.round((26 - row * 5) * (width / height / 2));
    const trees = times(count, n => {
      const x = (n + chance(n + row * 31 + turn)) * (width / count);
      const tall = height * (0.2 + row * 0.09) * (0.6 + 0.6 * chance(n * 3 + row + turn));
      const foot = height * (0.62 + row * 0.13);
      return `<polygon fill="${colour}" points="${x},${foot - tall} ${x + tall * 0.2},${foot} ${x - tall * 0.2},${foot}"/>`;
    });
    return ridge(size, 0.6 + row * 0.13, 0.02, colour) + trees.join('');
  }).join('');
}

function city([, , far, near, point]: Colours, { width, height, turn }: Size): string {
  return times(3, row => {
    const colour = between(far, near, row / 2);
    const count = Math.round((14 - row * 2) * (width / height / 2));
    return times(count, n => {
      const wide = (width / count) * 1.02;
      const tall = height * (0.22 + 0.3 * chance(n + row * 17 + turn)) * (1 - row * 0.14);
      const [x, top] = [n * (width / count), height * (0.86 + row * 0.07) - tall];
      const panes = times(row === 2 ? 8 : 0, pane => {
        if (chance(pane * 7 + n + turn) < 0.6) return '';
        const [column, line] = [pane % 2, Math.floor(pane / 2)];
        return `<rect x="${x + wide * (0.22 + column * 0.34)}" y="${top + tall * (0.14 + line * 0.2)}" width="${wide * 0.18}" height="${tall * 0.09}" fill="${point}"/>`;
      });
      return `<rect x="${x}" y="${top}" width="${wide}" height="${height}" fill="${colour}"/>${panes.join('')}`;
    }).join('');
  }).join('');
}

function night([, , far, near, point]: Colours, size: Size): string {
  const { width, height, turn } = size;
  const stars = times(70, n =>
    disc(
      width * chance(n + turn),
      height * 0.7 * chance(n * 5 + turn + 2),
      height * 0.004 * (0.5 + chance(n)),
      point,
    ),
  );
  const moon = disc(width * (0.25 + 0.5 * chance(turn + 5)), height * 0.26, height * 0.07, point);
  return stars.join('') + moon + ridge(size, 0.7, 0.05, far) + ridge(size, 0.84, 0.05, near);
}

function field([, , far, near, point]: Colours, size: Size): string {
  const { width, height, turn } = size;
  const from = width * (0.3 + 0.4 * chance(turn + 7));
  const furrows = times(28, n => {
    const at = (side: number) => (n + side - 14) * width * 0.11 + from;
    return `<polygon fill="${n % 2 === 0 ? near : between(far, near, 0.7)}" points="${from + (n - 14) * width * 0.02},${height * 0.6} ${at(0)},${height} ${at(1)},${height} ${from + (n - 13) * width * 0.02},${height * 0.6}"/>`;
  });
  return `${ridge(size, 0.56, 0.03, far)}<rect y="${height * 0.6}" width="${width}" height="${height}" fill="${between(far, near, 0.7)}"/>${furrows.join('')}${disc(width * 0.78, height * 0.24, height * 0.07, point)}`;
}

function still([, , far, near, point]: Colours, { width, height, turn }: Size): string {
  const fruit = times(3 + Math.floor(3 * chance(turn + 4)), n =>
    disc(
      width / 2 + height * (n - 1.5) * 0.13,
      height * (0.5 - 0.05 * chance(n + turn)),
      height * 0.09,
      n % 2 === 0 ? point : between(point, near, 0.35),
    ),
  );
  const bowl = `<path fill="${far}" d="M${width / 2 - height * 0.34} ${height * 0.52}h${height * 0.68}a${height * 0.34} ${height * 0.3} 0 0 1-${height * 0.68} 0"/>`;
  return `<rect y="${height * 0.68}" width="${width}" height="${height}" fill="${near}"/>${fruit.join('')}${bowl}`;
}

function tiles([above, horizon, far, near, point]: Colours, { width, height, turn }: Size): string {
  const side = height / 4;
  const colours = [far, near, point, above];
  return times(Math.ceil(width / side) * 4, n => {
    const [x, y] = [Math.floor(n / 4) * side, (n % 4) * side];
    const colour = colours[Math.floor(4 * chance(n + turn))];
    const quarter = Math.floor(4 * chance(n * 3 + turn)) * 90;
    return `<g transform="rotate(${quarter} ${x + side / 2} ${y + side / 2})"><rect x="${x}" y="${y}" width="${side}" height="${side}" fill="${horizon}"/><path fill="${colour}" d="M${x} ${y}h${side}a${side} ${side} 0 0 1-${side} ${side}z"/></g>`;
  }).join('');
}
