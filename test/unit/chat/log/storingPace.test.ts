import assert from 'node:assert/strict';
import fc from 'fast-check';
import { toDisposable } from '../../../../src/base/common/disposable';
import { nullLogger } from '../../../../src/base/common/log';
import { NodeFiles } from '../../../../src/base/node/filePort';
import { logVersion, type LogRecord } from '../../../../src/chat/common/conversation/logRecord';
import { StoringPace } from '../../../../src/chat/common/log/storingPace';
import { LogWriter, maxUnstoredUnits } from '../../../../src/chat/node/log/logWriter';
import { FakeClock } from '../../../fake/fakeClock';
import { event } from '../support/transcriptRecorder';

/** A disk whose writes end when the test says so. */
class HeldFiles extends NodeFiles {
  readonly waiting: ((error?: Error) => void)[] = [];
  written = '';

  override writeAtAndTruncate(_file: string, offset: number, bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push((error) => {
        if (error) reject(error);
        else {
          this.written = this.written.slice(0, offset) + Buffer.from(bytes).toString('latin1');
          resolve();
        }
      });
    });
  }
}

/** The numbers of the records that are stored, in their order. */
function storedIn(files: HeldFiles): number[] {
  return [...files.written.matchAll(/<(\d+)>/g)].map(([, index]) => Number(index));
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 8; turn++) await new Promise(setImmediate);
};

/** Sends records until it is held, as an agent does whose stdout is not read. */
class Flood {
  sent = 0;
  holds = 0;
  mostUnits = 0;
  private readonly pace: StoringPace;

  constructor(
    private readonly writer: LogWriter,
    private readonly sizes: readonly number[],
    private readonly makeRecord: (index: number, size: number) => LogRecord,
  ) {
    this.pace = new StoringPace(writer);
  }

  run(): void {
    while (this.holds === 0 && this.sent < this.sizes.length) {
      this.writer.append(this.makeRecord(this.sent, this.sizes[this.sent] ?? 0));
      this.sent++;
      this.mostUnits = Math.max(this.mostUnits, this.writer.unstoredUnits);
      this.pace.keep({
        holdBack: () => {
          this.holds++;
          return toDisposable(() => {
            this.holds--;
          });
        },
      });
    }
  }
}

const answer = (index: number, size: number): LogRecord => ({
  type: 'event',
  at: 1,
  event: event('content_block:delta', { block_index: index, delta: `<${index}>${'x'.repeat(size)}` }),
});
const delta = (index: number, size: number): LogRecord => ({
  type: 'event',
  at: 1,
  event: event('thinking:delta', { delta: `<${index}>${'x'.repeat(size)}` }),
});

describe('An agent that sends faster than the disk stores', () => {
  let files: HeldFiles;
  let clock: FakeClock;
  let writer: LogWriter;

  function open(): void {
    files = new HeldFiles();
    clock = new FakeClock();
    const ensureWritable = (): Promise<void> => Promise.resolve();
    const newBegin = () => ({ type: 'begin' as const, at: 1, version: logVersion, id: 'c', backendId: 'one' });
    writer = new LogWriter('/log', 0, { files, clock, log: nullLogger, ensureWritable, newBegin });
  }

  const maxSize = 600_000;

  it('waits, so that a bounded size is in memory, and everything is stored in order', async () => {
    const floods = fc.array(fc.nat(maxSize), { minLength: 5, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(floods, fc.constantFrom(answer, delta), async (sizes, makeRecord) => {
        open();
        const flood = new Flood(writer, sizes, makeRecord);
        for (let round = 0; round < 200; round++) {
          flood.run();
          await settle();
          if (files.waiting.length === 0) clock.advance(100);
          for (const end of files.waiting.splice(0)) end();
          await settle();
          if (flood.sent === sizes.length && writer.unstoredUnits === 0) break;
        }
        assert.equal(flood.sent, sizes.length);
        assert.equal(flood.holds, 0);
        const bound = maxUnstoredUnits + maxSize + 1_000;
        assert.ok(flood.mostUnits <= bound, `${flood.mostUnits} of ${bound}`);
        assert.deepEqual(storedIn(files), [...sizes.keys()]);
      }),
      { numRuns: 20 },
    );
  });

  const large = Array.from({ length: 40 }, () => 500_000);
  /** More than is kept while saving fails. */
  const more = Array.from({ length: 80 }, () => 500_000);

  /** The disk ends each write at once, until nothing waits for it. */
  async function endWrites(): Promise<void> {
    for (let round = 0; round < 200 && (files.waiting.length > 0 || writer.unstoredUnits > 0); round++) {
      for (const end of files.waiting.splice(0)) end();
      await settle();
      clock.advance(100);
      await settle();
    }
    assert.equal(writer.unstoredUnits, 0);
  }

  it('goes on after 2 s, because it may wait for an answer or a stop', async () => {
    open();
    const flood = new Flood(writer, large, answer);
    flood.run();
    await settle();
    const { sent } = flood;
    assert.equal(flood.holds, 1);
    clock.advance(1_900);
    await settle();
    assert.equal(flood.holds, 1);
    clock.advance(200);
    await settle();
    assert.equal(flood.holds, 0);
    flood.run();
    assert.equal(flood.sent, sent + 1);
    assert.equal(flood.holds, 1);
  });

  it('does not wait for a disk that fails, nor for a conversation that was closed', async () => {
    open();
    const flood = new Flood(writer, large, answer);
    flood.run();
    await settle();
    files.waiting.shift()?.(new Error('full'));
    await settle();
    assert.equal(flood.holds, 0);
    assert.equal(writer.whenStored(), undefined);

    open();
    const other = new Flood(writer, large, answer);
    other.run();
    await settle();
    assert.equal(other.holds, 1);
    writer.dispose();
    await settle();
    assert.equal(other.holds, 0);
  });

  it('waits on for a disk that is slow, and nothing is lost', async () => {
    open();
    const flood = new Flood(writer, more, answer);
    for (let second = 0; second < 16; second += 2) {
      flood.run();
      await settle();
      assert.equal(flood.holds, 1);
      clock.advance(2_000);
      await settle();
    }
    assert.match(writer.problem ?? '', /^The disk is slow/);
    assert.ok(flood.sent < 20, `${flood.sent} records were read from the agent`);
    for (let round = 0; round < more.length && flood.sent < more.length; round++) {
      flood.run();
      await endWrites();
    }
    assert.equal(writer.problem, undefined);
    assert.deepEqual(storedIn(files), [...more.keys()]);
  });

  it('loses nothing on a slow disk either if it can’t be held', async () => {
    open();
    writer.append(answer(0, 3_000_000));
    await settle();
    clock.advance(11_000);
    assert.match(writer.problem ?? '', /^The disk is slow/);
    for (const index of more.keys()) writer.append(answer(index + 1, 500_000));
    await endWrites();
    assert.deepEqual(storedIn(files), [...Array(more.length + 1).keys()]);
    assert.doesNotMatch(files.written, /is missing here/);
  });

  it('does not make a disk that fails try again with each record', async () => {
    open();
    const fail = async (): Promise<void> => {
      assert.equal(files.waiting.length, 1);
      files.waiting.shift()?.(new Error('full'));
      await settle();
    };
    const addMany = async (first: number): Promise<void> => {
      for (let index = first; index < first + 10; index++) {
        writer.append(answer(index, 500_000));
        await settle();
      }
    };
    await addMany(0);
    await fail();
    await addMany(10);
    clock.advance(4_900);
    await settle();
    assert.equal(files.waiting.length, 0);
    clock.advance(200);
    await settle();
    // Records that come during an attempt do not bring the next one forward either.
    await addMany(20);
    await fail();
    clock.advance(4_900);
    await settle();
    assert.equal(files.waiting.length, 0);
    clock.advance(200);
    await settle();
    await endWrites();
    assert.deepEqual(storedIn(files), [...Array(30).keys()]);
  });

  it('says what is missing also if it was lost during the attempt that succeeded', async () => {
    open();
    writer.append(answer(0, 3_000_000));
    await settle();
    files.waiting.shift()?.(new Error('full'));
    await settle();
    clock.advance(5_000);
    await settle();
    for (const index of more.keys()) writer.append(answer(index + 1, 500_000));
    await endWrites();
    assert.match(files.written, /is missing here/);
    const stored = storedIn(files);
    assert.deepEqual([stored[0], stored.at(-1)], [0, more.length]);
  });
});
