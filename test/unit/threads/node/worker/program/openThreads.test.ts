import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nextStaleAt } from '../../../../../../src/threads/common/heads/heads';
import { IncrementalThreadFileReader } from '../../../../../../src/threads/node/files/incrementalThreadFileReader';
import { OpenThreads } from '../../../../../../src/threads/node/worker/program/openThreads';

describe('a thread that was opened', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'backline-open-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('does not run any more when its file is as it was for long enough, however short ago it was read', () => {
    const path = join(folder, 'T-a.json');
    writeFileSync(path, JSON.stringify({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Go' }] }] }));
    utimesSync(path, 1_000, 1_000);
    const threads = new OpenThreads(new IncrementalThreadFileReader());
    const headAt = (nowMs: number) => threads.open(1, { path, source: 'local' }, 0, nowMs).summary.head;
    const staleAt = nextStaleAt([headAt(1_000_000)]) ?? 0;
    assert.equal(headAt(staleAt - 1).state, 'running');
    assert.notEqual(headAt(staleAt).state, 'running');
  });
});
