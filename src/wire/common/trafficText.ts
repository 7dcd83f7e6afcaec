import type { RecordedTraffic } from './traffic';

interface TrafficTextOptions {
  readonly maxEntries: number;
  readonly dropped: number;
  /** Formats milliseconds since the epoch as a local time of fixed length. */
  readonly formatTime: (timeMs: number) => string;
}

const columns = ['TIME', '', 'PROTOCOL', 'PEER', 'METHOD', 'BYTES', 'MS', 'ERROR'] as const;
/** Minimum width of each column, in characters. Wide enough that columns rarely move. */
const minWidths = [12, 5, 9, 10, 24, 8, 6, 0] as const;
const numeric: ReadonlySet<number> = new Set([5, 6]);

/** Formats messages as plain text: a header and one line per message, in columns. Ends with a line ending. */
export function formatTraffic(entries: readonly RecordedTraffic[], options: TrafficTextOptions): string {
  const rows = entries.map((entry) => cellsOf(entry, options.formatTime));
  const widths = columns.map((title, column) =>
    rows.reduce(
      (width, row) => Math.max(width, (row[column] ?? '').length),
      Math.max(title.length, minWidths[column] ?? 0),
    ),
  );
  const lines = [...headerOf(options), lineOf(columns, widths), ...rows.map((row) => lineOf(row, widths))];
  if (rows.length === 0) lines.push('No messages yet.');
  return lines.join('\n') + '\n';
}

function headerOf({ maxEntries, dropped }: TrafficTextOptions): string[] {
  const kept = `Keeps the newest ${grouped(maxEntries)}.`;
  return [
    'Messages between Backline and its peers while this tab is open, without their contents.',
    dropped === 0 ? kept : `${kept} ${grouped(dropped)} older ones were dropped.`,
    '',
  ];
}

function cellsOf(entry: RecordedTraffic, formatTime: (timeMs: number) => string): string[] {
  return [
    formatTime(entry.recordedAt),
    // Screen readers skip arrows, so the direction is also written as a word.
    entry.direction === 'in' ? '← in' : '→ out',
    entry.protocol,
    entry.peer,
    entry.method,
    String(entry.bytes),
    entry.durationMs === undefined ? '' : entry.durationMs.toFixed(1),
    entry.error === undefined ? '' : String(entry.error),
  ];
}

function lineOf(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) => {
      const width = widths[column] ?? 0;
      return numeric.has(column) ? cell.padStart(width) : cell.padEnd(width);
    })
    .join('  ')
    .trimEnd();
}

/** Formats as `12,000`, independent of the locale. */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
