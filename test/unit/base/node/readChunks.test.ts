import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import fc from 'fast-check';
import { NodeFiles } from '../../../../src/base/node/filePort';

describe('A file that is read in chunks', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'backline-chunks-'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('is given from its start, without what is skipped, whatever memory it is read into', async () => {
    const file = path.join(folder, 'file');
    const bounds = fc.uniqueArray(fc.nat(60), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.nat(50), fc.nat(60), bounds, fc.option(fc.integer({ min: 1, max: 70 })), async (...given) => {
        const [length, start, unsorted, memorySize] = given;
        const characters = Array.from({ length }, (_, index) => String.fromCharCode(48 + index));
        writeFileSync(file, characters.join(''));
        const sorted = unsorted.toSorted((a, b) => a - b);
        const skipped = sorted.flatMap((from, index) =>
          index % 2 === 0 ? [{ start: from, end: sorted[index + 1] ?? Infinity }] : [],
        );
        const memory = memorySize === null ? undefined : new Uint8Array(memorySize);
        const read = await new NodeFiles().whileOpen(file, async (readChunks) => {
          let text = '';
          for await (const chunk of readChunks(start, { skipped, ...(memory && { memory }) })) {
            assert.ok(chunk.length > 0);
            text += Buffer.from(chunk).toString('latin1');
          }
          return text;
        });
        const isSkipped = (at: number): boolean => skipped.some(({ end, start: from }) => at >= from && at < end);
        assert.equal(read, characters.filter((_, at) => at >= start && !isSkipped(at)).join(''));
      }),
    );
  });
});
