// Writes small PNG files with a palette of 256 colours and the strongest compression of zlib.
import { crc32, deflateSync } from 'node:zlib';
import { PNG } from 'pngjs';

const COLOURS = 128;

/** Reduces an image to its most frequent colours. */
export function shrinkPng(png: Buffer): Buffer {
  const { width, height, data } = PNG.sync.read(png);
  const palette = choosePalette(data);
  const nearest = new Map<number, number>();
  const rows = Buffer.alloc(height * (width + 1));
  for (let at = 0, to = 0; at < data.length; at += 4) {
    // Each row of a PNG begins with its filter type. Filter 0 changes nothing.
    if ((at / 4) % width === 0) to++;
    const colour = data.readUIntBE(at, 3);
    let index = nearest.get(colour);
    if (index === undefined) nearest.set(colour, (index = findNearest(palette, colour)));
    rows[to++] = index;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([8, 3], 8);
  const colours = Buffer.from(palette.flatMap(split));
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  const body = deflateSync(rows, { level: 9, memLevel: 9 });
  return Buffer.concat([
    signature,
    writeChunk('IHDR', header),
    writeChunk('PLTE', colours),
    writeChunk('IDAT', body),
    writeChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Chooses the palette. Groups similar colours, and takes frequent groups that differ from the groups taken before. */
function choosePalette(data: Buffer): number[] {
  const counts = new Map<number, number>();
  for (let at = 0; at < data.length; at += 4) {
    const colour = data.readUIntBE(at, 3);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const groups = new Map<number, { colour: number; count: number; distance: number }>();
  for (const [colour, count] of [...counts].sort((a, b) => b[1] - a[1])) {
    const group = groups.get(colour & 0xf8f8f8);
    if (group) group.count += count;
    else groups.set(colour & 0xf8f8f8, { colour, count, distance: Infinity });
  }
  const left = [...groups.values()];
  const palette: number[] = [];
  const worthOf = (each: (typeof left)[number]) => each.distance * Math.sqrt(each.count);
  while (palette.length < COLOURS && left.length > 0) {
    const best = left.reduce((one, other) => (worthOf(other) > worthOf(one) ? other : one));
    palette.push(best.colour);
    left.splice(left.indexOf(best), 1);
    for (const each of left) each.distance = Math.min(each.distance, distanceOf(each.colour, best.colour));
  }
  return palette;
}

function findNearest(palette: number[], colour: number): number {
  const distances = palette.map((each) => distanceOf(each, colour));
  return distances.indexOf(Math.min(...distances));
}

function distanceOf(one: number, other: number): number {
  const others = split(other);
  return split(one).reduce((sum, part, at) => sum + (part - (others[at] ?? 0)) ** 2, 0);
}

function split(colour: number): number[] {
  return [colour >> 16, (colour >> 8) & 255, colour & 255];
}

function writeChunk(type: string, body: Buffer): Buffer {
  const chunk = Buffer.alloc(body.length + 12);
  chunk.writeUInt32BE(body.length);
  chunk.write(type, 4, 'latin1');
  chunk.set(body, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), body.length + 8);
  return chunk;
}
