import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { Entry } from '../../../../../src/transcript/common/entries';
import { headOf } from '../../../../../src/threads/common/heads/heads';
import { mapThreadJson } from '../../../../../src/threads/common/mapping/mapThreadJson';
import { textsIn } from '../../support/mappedThreads';

/** Fixtures and what is to be seen of them; `BACKLINE_WRITE_VIEWS=1` writes the latter anew, to be read before it is kept. */
const folder = path.join(process.cwd(), 'test/fixtures/threads');
const writtenAt = 1_769_000_100_000;
const from = { source: 'local', mtimeMs: writtenAt } as const;
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.thread.json'))
  .map((name) => name.replace(/\.thread\.json$/, ''));

function fixture(name: string): unknown {
  return JSON.parse(readFileSync(path.join(folder, `${name}.thread.json`), 'utf8'));
}

function view(document: unknown, nowMs: number): unknown {
  const { head, entries, facts, notes } = mapThreadJson(document, { ...from, nowMs });
  return JSON.parse(JSON.stringify({ head, facts, notes, entries }));
}

describe('the view of a thread', () => {
  it('finds fixtures to judge', () => assert.ok(names.length > 20));

  for (const name of names) {
    it(`of the fixture ${name}`, () => {
      const seen = {
        now: view(fixture(name), writtenAt + 1_000),
        ...(name === '04-streaming' ? { later: view(fixture(name), writtenAt + 3_600_000) } : {}),
      };
      const file = path.join(folder, `${name}.view.json`);
      if (process.env['BACKLINE_WRITE_VIEWS'] === '1') writeFileSync(file, `${JSON.stringify(seen, undefined, 2)}\n`);
      assert.deepEqual(seen, JSON.parse(readFileSync(file, 'utf8')));
    });

    it(`of ${name} has entries of the transcript's schema, with ids of their own and parents that are there`, () => {
      const { entries } = mapThreadJson(fixture(name), { ...from, nowMs: writtenAt });
      for (const entry of entries) assert.deepEqual(Entry.parse(entry), entry);
      const ids = new Set(entries.map(({ id }) => id));
      assert.equal(ids.size, entries.length);
      for (const { parent } of entries) assert.ok(parent === undefined || ids.has(parent), parent);
    });

    it(`of ${name} has the texts that a search finds, under the same ids`, () => {
      const { entries } = mapThreadJson(fixture(name), { ...from, nowMs: writtenAt });
      const byId = new Map(entries.map((entry) => [entry.id, entry]));
      for (const { entryId, kind, text } of textsIn(fixture(name))) {
        const entry = byId.get(entryId);
        assert.equal(entry === undefined, kind === 'details', entryId);
        if (kind === 'prompt' || kind === 'answer') assert.ok(entry?.kind === kind && entry.text === text, entryId);
      }
    });

    it(`of ${name} has the head that the list has, or is hidden`, () => {
      const head = headOf(fixture(name), { ...from, nowMs: writtenAt });
      if (name === '08-empty') assert.equal(head, undefined);
      else assert.deepEqual(head, mapThreadJson(fixture(name), { ...from, nowMs: writtenAt }).head);
    });
  }
});
