import assert from 'node:assert/strict';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { nullLogger } from '../../../../src/base/common/log';
import { systemClock } from '../../../../src/base/node/systemClock';
import { ChatTranscript } from '../../../../src/chat/common/transcript/chatTranscript';
import { NodeFiles } from '../../../../src/base/node/filePort';
import { ConversationStore } from '../../../../src/chat/node/conversationStore';
import { TranscriptDocument } from '../../../../src/transcript/common/transcriptDocument';

const fixtures = path.join(process.cwd(), 'test/fixtures/conversations');

/** What the page would show of a conversation on disk, and what the chat knows of it. */
async function shown(name: string): Promise<unknown> {
  const folder = await mkdtemp(path.join(tmpdir(), 'old-conversation-'));
  const store = new ConversationStore({ folder, files: new NodeFiles(), clock: systemClock, log: nullLogger });
  const document = new TranscriptDocument(assert.ifError);
  try {
    const id = `conversation-${name}`;
    await mkdir(path.join(folder, id));
    await copyFile(path.join(fixtures, `${name}.jsonl`), path.join(folder, id, 'log.jsonl'));
    const { damage, records } = await store.read(id);
    assert.equal(damage, undefined);
    const story = new ChatTranscript(document, 'Agent');
    for (const record of records) story.applyRecord(record);
    const { approvals, isBusy, isStopping, prompts, session } = story;
    const state = {
      isBusy,
      isStopping,
      waiting: approvals.viewsAt(0).map((approval) => approval.id),
      prompts: prompts.map(({ draft, entryId }) => [entryId, draft.text]),
      usage: session.usage.total,
    };
    return asJson({ entries: [...document.entries()], ...state });
  } finally {
    document.dispose();
    store.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

describe('A conversation stored by an older version', () => {
  it('is shown as before', async () => {
    const names = (await readdir(fixtures)).filter((name) => name.endsWith('.jsonl'));
    assert.ok(names.length > 20);
    for (const name of names.map((file) => file.slice(0, -'.jsonl'.length))) {
      const expected: unknown = JSON.parse(await readFile(path.join(fixtures, `${name}.shown.json`), 'utf8'));
      assert.deepEqual(await shown(name), expected, name);
    }
  });
});
