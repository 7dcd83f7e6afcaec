import assert from 'node:assert/strict';
import type { RecordedTraffic } from '../../../../src/wire/common/traffic';
import { formatTraffic } from '../../../../src/wire/common/trafficText';

const entry: RecordedTraffic = {
  recordedAt: 5,
  protocol: 'amp',
  direction: 'in',
  peer: 'client 1',
  method: 'readFile',
  bytes: 120,
};

function textOf(entries: readonly RecordedTraffic[], dropped = 0): string {
  return formatTraffic(entries, { maxEntries: 2000, dropped, formatTime: (timeMs) => `00:00:00.00${timeMs}` });
}

/** The lines after the header and the titles of the columns. */
function rowsOf(text: string): string[] {
  const lines = text.split('\n');
  return lines.slice(lines.findIndex((line) => line.startsWith('TIME')) + 1, -1);
}

describe('the traffic as text', () => {
  it('shows one line a message, with the time of an answer and its error', () => {
    const answer = { ...entry, direction: 'out', bytes: 4096, durationMs: 1.26, error: -32602 } as const;
    const [request = '', response = ''] = rowsOf(textOf([entry, answer]));
    assert.deepEqual(request.split(/\s{2,}/), ['00:00:00.005', '← in', 'amp', 'client 1', 'readFile', '120']);
    assert.equal(response.split(/\s{2,}/)[1], '→ out');
    assert.deepEqual(response.split(/\s{2,}/).slice(-4), ['readFile', '4096', '1.3', '-32602']);
  });

  it('keeps the columns in step', () => {
    const long = { ...entry, peer: 'a peer with a long name', bytes: 123_456_789_012 };
    const lines = textOf([entry, long]).split('\n').slice(3, 6);
    const column = lines[0]?.indexOf('METHOD');
    assert.deepEqual(
      lines.slice(1).map((line) => line.indexOf('readFile')),
      [column, column],
    );
    const ends = lines.map((line, row) => (row === 0 ? line.indexOf('BYTES') + 'BYTES'.length : line.length));
    assert.equal(new Set(ends).size, 1);
  });

  it('reports that contents are never recorded, what is kept, and how much is gone', () => {
    assert.match(textOf([entry]), /without their contents\.\nKeeps the newest 2,000\.\n/);
    assert.match(textOf([entry], 1_234_567), /1,234,567 older ones were dropped/);
  });

  it('says so when there is nothing yet', () => {
    assert.deepEqual(rowsOf(textOf([])), ['No messages yet.']);
  });
});
