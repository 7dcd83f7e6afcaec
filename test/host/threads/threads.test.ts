import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { systemClock } from '../../../src/base/node/systemClock';
import { FollowedThread } from '../../../src/threads/common/page/followedThread';
import { ThreadDocuments } from '../../../src/threads/vscode/threadDocuments';
import { eventually } from '../../support/eventually';
import { answer, fail, prompt, subagentCall, threadId, ThreadsUnderTest } from '../support/threads';
import { closeAll } from '../support/workspace';

/** The parts of the feature over a store of the test's own, in the real VS Code. */
describe('Amp threads', () => {
  let tested: ThreadsUnderTest;

  beforeEach(async () => {
    tested = await ThreadsUnderTest.start();
  });
  afterEach(async () => {
    await tested.dispose();
    await closeAll();
  });

  it('are listed when their file is written, and nothing is read before somebody looks', async () => {
    await tested.write(1, 'First', [prompt('Hello', 0)]);
    assert.equal(tested.threads.library.isListed, false);
    assert.ok((await tested.rows()).includes(threadId(1)));
    await tested.write(2, 'Second', [prompt('Hello', 0)]);
    await eventually('the second row', async () => assert.ok((await tested.rows()).includes(threadId(2))));
  });

  it('change their title in place', async () => {
    await tested.write(1, 'Before', [prompt('Hello', 0)]);
    await tested.write(2, 'Other', [prompt('Hello', 0)]);
    await tested.rows();
    const changed: (string[] | undefined)[] = [];
    tested.store.add(tested.view.onDidChangeTreeData((ids) => changed.push(ids)));
    await tested.write(1, 'After', [prompt('Hello', 0)]);
    await eventually('the new title', () => assert.equal(tested.labelOf(threadId(1)), 'After'));
    assert.ok(!changed.flat().includes(threadId(2)));
  });

  it('are a row with their problem when they cannot be read', async () => {
    await writeFile(tested.file(3), '');
    await tested.rows();
    const item = tested.view.getTreeItem(threadId(3));
    assert.match(String(item.contextValue), /^broken/);
    assert.ok(String(item.description).length > 0);
  });

  it('are followed through ten atomic rewrites, and unchanged entries stay the same', async () => {
    await tested.write(1, 'Growing', [prompt('Hello', 0)]);
    const followed = tested.store.add(new FollowedThread(threadId(1), tested.threads.library, systemClock, fail));
    await followed.start();
    const first = followed.transcript.get('m0');
    const messages = [prompt('Hello', 0)];
    for (let n = 1; n <= 10; n++) {
      messages.push(answer(`Answer ${n}`, n));
      await tested.write(1, 'Growing', messages);
    }
    await eventually('the tenth answer', () => {
      const texts = [...followed.transcript.entries()].map((entry) => ('text' in entry ? entry.text : ''));
      assert.ok(texts.includes('Answer 10'), texts.join());
    });
    assert.equal(followed.transcript.get('m0')?.id, first?.id);
  });

  it('show the thread of a subagent in its call, also when its file comes late and grows', async () => {
    await tested.write(1, 'Main', [...subagentCall(0, threadId(2)), answer('Done', 2)]);
    await tested.rows();
    const followed = tested.store.add(new FollowedThread(threadId(1), tested.threads.library, systemClock, fail));
    await followed.start();
    assert.equal(followed.showSubthread('m0.0'), undefined);
    const steps = (): readonly string[] =>
      (followed.thread?.entries ?? []).flatMap((entry) =>
        entry.parent === 'm0.0' && 'text' in entry ? (entry.text ?? '') : [],
      );
    await eventually('what is missing', () => assert.match(steps().join(), /can’t be read/));
    const said = [answer('One', 0)];
    await tested.write(2, 'Subagent', said, { mainThreadID: threadId(1) });
    await eventually('the first step', () => assert.deepEqual(steps(), ['One']));
    await tested.write(2, 'Subagent', [...said, answer('Two', 1)], { mainThreadID: threadId(1) });
    await eventually('the second step', () => assert.deepEqual(steps(), ['One', 'Two']));
    const { threadId: id, entryId } = followed.originOf('m0.0>m1.0');
    assert.match((await tested.threads.library.rawJson(id, entryId)) ?? '', /"Two"/);
  });

  it('read as cancelled when they were', async () => {
    await tested.write(1, 'Stopped', [prompt('Hello', 0), answer('Half of', 1, { type: 'cancelled' })]);
    await tested.rows();
    assert.match(String(tested.view.getTreeItem(threadId(1)).description), /canceled/);
    const { entries } = await tested.threads.library.read(threadId(1));
    assert.ok(entries.some((entry) => entry.kind === 'end' && entry.outcome === 'cancelled'));
  });

  it('open without holding up the editor, however long they are', async () => {
    const long = Array.from({ length: 4_000 }, (_, n) =>
      n % 2 === 0 ? prompt(`Question ${n}`, n) : answer(`Answer ${n} ${'word '.repeat(2_000)}`, n),
    );
    let n = 0;
    // A busy machine may stop this thread now and then, not each time; what is known already is not read again.
    await eventually('reading beside the editor', async () => {
      await tested.write(++n, 'Huge', long);
      let longestMs = 0;
      let last = performance.now();
      const beat = setInterval(() => {
        const now = performance.now();
        longestMs = Math.max(longestMs, now - last);
        last = now;
      }, 5);
      const startedAt = last;
      const { entries } = await tested.threads.library.read(threadId(n));
      const wholeMs = performance.now() - startedAt;
      clearInterval(beat);
      assert.ok(entries.length >= 4_000);
      // Parsed and mapped in this thread, nearly all of it would be one stretch; speed itself is for the bench.
      assert.ok(longestMs < wholeMs / 2, `${Math.round(longestMs)} of ${Math.round(wholeMs)} ms`);
    });
  });

  it('show the JSON of a block in a read-only editor', async () => {
    await tested.write(1, 'Raw', [prompt('Hello', 0), answer('World', 1)]);
    const documents = new ThreadDocuments(tested.threads.library);
    // The feature itself serves the scheme already: its own store has no such thread.
    await documents.showRaw(threadId(1), 'm1.0');
    await eventually('the editor', () =>
      assert.equal(vscode.window.activeTextEditor?.document.languageId, 'backline-json'),
    );
  });
});
