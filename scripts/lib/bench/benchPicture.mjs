import { readBenchLine } from './benchRuns.mjs';

/** @typedef {{ label: string, detail: string, ratio: number }} Row `ratio` is the cost in units of the peer's: 0.5 is half of it */

/**
 * What the picture shows: of each large feature the bench that users notice most, what it is to them, and what it is compared
 * with. bench/README.md describes all benches.
 * @type {readonly (readonly [bench: string, label: string, peer: string])[]}
 */
const shown = [
  ['chat.open2000', 'Open a conversation of 2,000 messages', 'rendering the last 500'],
  ['changes.checkpoint', 'Take a checkpoint of 50,000 files', 'git status'],
  ['tools.references.bytes', 'Text that a model reads to find references', 'ripgrep'],
  ['context.uncached.real', 'Hover with three context providers', 'OpenCtx client'],
  ['threads.second', 'List 2,000 Amp threads', 'reading all files'],
];

/**
 * @param {string} results lines of `npm run bench`
 * @returns {{ rows: readonly Row[], missing: readonly string[] }} `missing` names the benches without a result
 */
export function rowsOfResults(results) {
  const lines = new Map(
    results.split('\n').flatMap((text) => {
      const line = readBenchLine(text);
      return line ? [[line.bench, line]] : [];
    }),
  );
  /** @type {string[]} */
  const missing = [];
  /** @type {Row[]} */
  const rows = [];
  for (const [bench, label, peer] of shown) {
    /** @type {Record<string, unknown>} */
    const { value, peerValue, unit, better } = lines.get(bench) ?? {};
    if (typeof value !== 'number' || typeof peerValue !== 'number') {
      missing.push(bench);
      continue;
    }
    const ratio = better === 'higher' ? peerValue / value : value / peerValue;
    // A unit can say more: `ms of its threads`.
    const amount = (/** @type {number} */ it) => `${rounded(it)} ${String(unit).replace(/ (of|more) .*$/u, '')}`;
    rows.push({ label, detail: `${amount(value)} · 100 %: ${peer}, ${amount(peerValue)}`, ratio });
  }
  return { rows, missing };
}

const width = 900;
const barLeft = 430;
const barRight = 800;
const rowHeight = 44;
const headHeight = 92;
/** What a bar can show, and where it has a mark. */
const largest = 2.1;
const ticks = [0, 0.5, 1, 1.5, 2];
const font = "font-family=\"system-ui, Cantarell, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif\"";

/**
 * Draws the rows as bars, with a line for the peers. Has a background of its own, so that it can be read on light and dark pages.
 * @param {readonly Row[]} rows
 * @returns {string} SVG
 */
export function drawBenchPicture(rows) {
  const height = headHeight + rows.length * rowHeight + 36;
  const parts = [
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10" fill="#ffffff" stroke="#d0d7de"/>`,
    text(28, 38, 'What Backline costs, compared with others', 20, '#1f2328', 'font-weight="600"'),
    text(28, 62, 'Time or text for the same work, measured in the same run. Shorter is better.', 14, '#59636e'),
  ];
  const bottom = height - 20;
  for (const tick of ticks) {
    const x = xOf(tick);
    const isPeer = tick === 1;
    parts.push(
      `<line x1="${x}" x2="${x}" y1="${headHeight + 8}" y2="${bottom}" stroke="${isPeer ? '#1f2328' : '#d8dee4'}" stroke-width="${isPeer ? 1.5 : 1}"/>`,
      text(x, headHeight, percent(tick), 12, isPeer ? '#1f2328' : '#59636e', 'text-anchor="middle"'),
    );
  }
  let y = headHeight + 16;
  for (const { label, detail, ratio } of rows) {
    const color = ratio <= 1 ? '#0f7b6c' : '#b35900';
    parts.push(
      text(28, y + 16, label, 14, '#1f2328'),
      text(28, y + 33, detail, 12, '#59636e'),
      `<rect x="${barLeft}" y="${y + 8}" width="${Math.max(xOf(ratio) - barLeft, 2)}" height="20" rx="3" fill="${color}"/>`,
      text(width - 28, y + 23, percent(ratio), 14, color, 'text-anchor="end" font-weight="600"'),
    );
    y += rowHeight;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${parts.join('')}</svg>`;
}

/** @param {number} ratio */
function xOf(ratio) {
  return Math.round(barLeft + (Math.min(ratio, largest) / largest) * (barRight - barLeft));
}

/** @param {number} ratio */
function percent(ratio) {
  const value = ratio * 100;
  if (value > 0 && value < 0.1) return '< 0.1 %';
  return `${value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 1 : 0 })} %`;
}

/** @param {number} value */
function rounded(value) {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} content
 * @param {number} size
 * @param {string} color
 * @param {string} [attributes]
 */
function text(x, y, content, size, color, attributes = '') {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${x}" y="${y}" ${font} font-size="${size}" fill="${color}" ${attributes}>${escaped}</text>`;
}
