import { crc32, deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const maxColors = 256;

/**
 * Makes a picture of a screen smaller, to about a third: with 256 colors, which one can't tell from all of them.
 * @param {Buffer} png as Chromium writes it: 8 bits for each of red, green, blue and maybe alpha, which has to be opaque; not interlaced
 * @returns {Buffer} a PNG with a palette
 */
export function smallPng(png) {
  const { height, pixels, width } = pixelsOf(png);
  const palette = paletteOf(pixels);
  /** @type {Map<number, number>} */
  const indexes = new Map();
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const color = pixels[y * width + x] ?? 0;
      const index = indexes.get(color) ?? nearest(palette, color);
      indexes.set(color, index);
      rows[y * (width + 1) + 1 + x] = index;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3], 8);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap((color) => channelsOf(color)))),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** @param {Buffer} png */
function pixelsOf(png) {
  if (!png.subarray(0, 8).equals(signature)) throw new Error('This is no PNG.');
  const parts = [];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const [bits, colorType, , , interlaced] = png.subarray(24, 29);
  if (bits !== 8 || interlaced !== 0 || (colorType !== 2 && colorType !== 6))
    throw new Error('This is a PNG of another kind.');
  const size = colorType === 2 ? 3 : 4;
  const data = inflateSync(Buffer.concat(parts));
  const rowLength = width * size;
  let above = new Uint8Array(rowLength);
  const pixels = new Uint32Array(width * height);
  for (let y = 0; y < height; y++) {
    const start = y * (rowLength + 1);
    const row = unfiltered(data[start] ?? 0, data.subarray(start + 1, start + 1 + rowLength), above, size);
    for (let x = 0; x < width; x++) {
      const [red = 0, green = 0, blue = 0] = row.subarray(x * size, x * size + 3);
      pixels[y * width + x] = (red << 16) | (green << 8) | blue;
    }
    above = row;
  }
  return { width, height, pixels };
}

/**
 * @param {number} filter
 * @param {Uint8Array} row
 * @param {Uint8Array} above the row before it, without its filter
 * @param {number} size bytes of a pixel
 */
function unfiltered(filter, row, above, size) {
  const result = new Uint8Array(row.length);
  for (let i = 0; i < row.length; i++) {
    const [left, up, upLeft] = [result[i - size] ?? 0, above[i] ?? 0, above[i - size] ?? 0];
    const guess = [0, left, up, (left + up) >> 1, paeth(left, up, upLeft)][filter] ?? 0;
    result[i] = (row[i] ?? 0) + guess;
  }
  return result;
}

/**
 * @param {number} left
 * @param {number} up
 * @param {number} upLeft
 */
function paeth(left, up, upLeft) {
  const [a, b, c] = [Math.abs(up - upLeft), Math.abs(left - upLeft), Math.abs(left + up - 2 * upLeft)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : upLeft;
}

/** @typedef {{ color: number, weight: number }} Weighted */

/**
 * Median cut: the box of colors with the widest channel is cut in two until there are enough.
 * @param {Uint32Array} pixels
 */
function paletteOf(pixels) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const color of pixels) counts.set(color, (counts.get(color) ?? 0) + 1);
  // By the root, because the background would take all of it otherwise.
  const boxes = [[...counts].map(([color, count]) => ({ color, weight: Math.sqrt(count) }))];
  while (boxes.length < maxColors) {
    const widest = boxes.map((box, index) => ({ index, ...widestOf(box) })).sort((a, b) => b.score - a.score)[0];
    const box = widest && boxes[widest.index];
    if (!widest || !box || widest.score === 0) break;
    boxes.splice(widest.index, 1, ...halvesOf(box, widest.channel));
  }
  return boxes.map((box) => meanOf(box));
}

/** @param {readonly Weighted[]} box */
function widestOf(box) {
  const weight = box.reduce((sum, one) => sum + one.weight, 0);
  const ranges = [0, 1, 2].map((channel) => {
    const values = box.map(({ color }) => channelsOf(color)[channel] ?? 0);
    return values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b));
  });
  const range = Math.max(...ranges);
  return { channel: ranges.indexOf(range), score: range * Math.sqrt(weight) };
}

/**
 * @param {readonly Weighted[]} box with two colors at least
 * @param {number} channel
 */
function halvesOf(box, channel) {
  const sorted = box.toSorted((a, b) => (channelsOf(a.color)[channel] ?? 0) - (channelsOf(b.color)[channel] ?? 0));
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let sum = 0;
  const at = sorted.findIndex(({ weight }) => (sum += weight) >= half);
  const cut = Math.min(Math.max(at, 1), sorted.length - 1);
  return [sorted.slice(0, cut), sorted.slice(cut)];
}

/**
 * The color that is used most, if it is most of the box, so that surfaces keep theirs; else the mean.
 * @param {readonly Weighted[]} box
 */
function meanOf(box) {
  const most = box.reduce((a, b) => (b.weight > a.weight ? b : a));
  const weight = box.reduce((sum, one) => sum + one.weight, 0);
  if (most.weight > weight / 2) return most.color;
  const [red = 0, green = 0, blue = 0] = [0, 1, 2].map((channel) =>
    Math.round(box.reduce((sum, one) => sum + (channelsOf(one.color)[channel] ?? 0) * one.weight, 0) / weight),
  );
  return (red << 16) | (green << 8) | blue;
}

/**
 * @param {readonly number[]} palette
 * @param {number} color
 */
function nearest(palette, color) {
  const [red, green, blue] = channelsOf(color);
  const distances = palette.map((other) => {
    const [r, g, b] = channelsOf(other);
    return 2 * (red - r) ** 2 + 4 * (green - g) ** 2 + 3 * (blue - b) ** 2;
  });
  return distances.indexOf(Math.min(...distances));
}

/**
 * @param {number} color
 * @returns {[red: number, green: number, blue: number]}
 */
function channelsOf(color) {
  return [(color >> 16) & 255, (color >> 8) & 255, color & 255];
}

/**
 * @param {string} name
 * @param {Buffer} data
 */
function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
