import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { nullLogger } from '../../../../src/base/common/log';
import { NodeFiles } from '../../../../src/base/node/filePort';
import { systemClock } from '../../../../src/base/node/systemClock';
import type { ConversationHead } from '../../../../src/chat/common/chatStore';
import { logVersion, type LogRecord } from '../../../../src/chat/common/conversation/logRecord';
import { checkpointFor } from '../../../../src/chat/common/restore/checkpointFor';
import { ConversationFolders } from '../../../../src/chat/node/conversationFolders';
import { ConversationStore } from '../../../../src/chat/node/conversationStore';
import { HeadFiles } from '../../../../src/chat/node/heads/headFiles';
import { event } from '../support/transcriptRecorder';

const headOf = (id: string): ConversationHead => ({
  version: logVersion,
  id,
  title: 'Title',
  titledBy: 'prompt',
  backendId: 'one',
  backendTitle: 'One',
  createdAt: 1,
  updatedAt: 2,
  state: 'idle',
});

describe('A copy of a conversation', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'copies-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('costs about what was said in it, and reads as it was', async () => {
    const store = new ConversationStore({ folder, files: new NodeFiles(), clock: systemClock, log: nullLogger });
    await store.start();
    const line = 'a line of output that the call has printed\n';
    const updates = Array.from({ length: 200 }, (_, at): LogRecord => {
      const content = [{ type: 'text' as const, text: line.repeat(at + 1) }];
      return { type: 'event', at: 3, event: event('tool:update', { call_id: 'c', content }) };
    });
    const records: LogRecord[] = [
      { type: 'begin', at: 1, version: logVersion, id: 'conversation-1', backendId: 'one' },
      { type: 'prompt', at: 2, id: 'p', text: 'Go', attachments: [] },
      {
        type: 'event',
        at: 3,
        event: event('tool:pre', { call_id: 'c', tool_name: 'run', operation: 'run', input: {} }),
      },
      ...updates,
    ];
    await store.add(headOf('conversation-1'), records, 'source-of-it');
    const { size } = await stat(path.join(folder, 'conversation-1', 'log.jsonl'));
    assert.ok(size < 10 * line.length * updates.length, `${size} bytes`);
    assert.deepEqual((await store.read('conversation-1')).records, records);
    const [first = ''] = (await readFile(path.join(folder, 'conversation-1', 'log.jsonl'), 'utf8')).split('\n');
    assert.match(first, new RegExp(`"version":${logVersion}`), 'an older version must know that it cannot read it');
    store.dispose();
  });

  it('hides no failure of another conversation: each is reported once', async () => {
    const warnings: string[] = [];
    const files = new NodeFiles();
    const folders = new ConversationFolders({ root: folder, files, clock: systemClock, older: undefined });
    const log = { ...nullLogger, warn: (text: string) => void warnings.push(text) };
    const heads = new HeadFiles({ files, folders, log });
    await files.makeFolder(path.join(folder, 'heads'));
    const image = {
      kind: 'image' as const,
      id: 'i',
      title: 'i',
      image: { mimeType: 'image/png', data: 'x'.repeat(3_000_000) },
    };
    for (const id of ['conversation-1', 'conversation-2', 'conversation-1']) {
      // A file is where the folder of its images would be.
      await files.replace(path.join(folder, id), '');
      await heads.change(id, () => ({ ...headOf(id), draft: { text: '', attachments: [image] } }));
    }
    assert.equal(warnings.filter((text) => text.includes('store the images')).length, 2, warnings.join('\n'));
  });
});

describe('The checkpoint that answers for a file', () => {
  it('is that of the innermost folder, in any order of the folders', () => {
    const [outer, inner] = ['/work', '/work/app'].map((folder) => ({ folder, id: folder }));
    const other = { folder: '/work/application', id: 'other' };
    assert.ok(outer && inner);
    for (const folders of [
      [outer, inner, other],
      [other, inner, outer],
      [inner, outer, other],
    ]) {
      assert.equal(checkpointFor('/work/app/a.ts', folders), inner);
      assert.equal(checkpointFor('/work/app', folders), inner);
      assert.equal(checkpointFor('/work/a.ts', folders), outer);
      assert.equal(checkpointFor('/elsewhere/a.ts', folders), undefined);
    }
  });
});
