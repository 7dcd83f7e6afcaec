import assert from 'node:assert/strict';
import type { SessionEvent } from '../../../../src/session/common/sessionEvents';
import { nullLogger } from '../../../../src/base/common/log';
import { Approvals } from '../../../../src/session/common/engine/approvals';
import { PermissionService } from '../../../../src/acp/node/session/permissionService';
import { ProposalReviewer } from '../../../../src/acp/node/draft/proposalReviewer';
import type { StandingPermissions } from '../../../../src/permissions/common/standingPermissions';
import { FakeClock } from '../../../fake/fakeClock';
import { FakeEditor } from '../../../fake/fakeEditor';
import { standingOf } from '../../../fake/fakePermissions';

const replace = (path: string, from: string, to: string) =>
  `\`\`\`diff\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${from}\n+${to}\n\`\`\`\n`;

describe('what an agent of the draft proposes', () => {
  let editor: FakeEditor;
  let clock: FakeClock;
  let approvals: Approvals;
  let events: SessionEvent[];
  let standing: StandingPermissions;
  let proposals: ProposalReviewer;
  let abort: AbortController;
  /** What the user does when asked. */
  let answer: (id: string) => void;

  beforeEach(() => {
    editor = new FakeEditor({ '/ws/a.txt': 'one\r\ntwo\r\n', '/ws/.env': 'KEY=1\n' });
    clock = new FakeClock();
    events = [];
    standing = standingOf();
    abort = new AbortController();
    answer = (id) => approvals.answer(id, 'Apply');
    const emit = (event: SessionEvent): void => {
      events.push(event);
      if (event.event === 'approval:required') queueMicrotask(() => answer(event.data.approval_id));
    };
    approvals = new Approvals('s', clock, 300_000, emit);
    const permissions = new PermissionService({
      agentId: 'old',
      agentTitle: 'Old agent',
      cwd: '/ws',
      approvals,
      standing,
      log: nullLogger,
      modeName: () => undefined,
    });
    const protectionOf = editor.protectionOf.bind(editor);
    const owner = { sessionId: 's', agentId: 'old', cwd: '/ws' };
    proposals = new ProposalReviewer({ ...owner, editor, protectionOf, permissions, emit });
  });

  const offer = (text: string) => proposals.offerProposals(text, 'r1', abort.signal);
  const names = () => events.map(({ event }) => event);
  const failure = () => events.find((event) => event.event === 'tool:error')?.data.error;
  const textOf = async (path: string) => (await editor.readText(path)).text;

  it('is seen, asked for, and made through the editor', async () => {
    await offer(`Sure:\n\n${replace('a.txt', 'one', 'ONE')}`);
    assert.equal(await textOf('/ws/a.txt'), 'ONE\r\ntwo\r\n');
    assert.deepEqual(names(), ['tool:pre', 'approval:required', 'approval:granted', 'tool:post']);
    const [pre, required] = events;
    assert.ok(pre?.event === 'tool:pre' && required?.event === 'approval:required');
    const content = { type: 'diff', path: '/ws/a.txt', old_text: 'one\r\ntwo\r\n', new_text: 'ONE\r\ntwo\r\n' };
    assert.deepEqual(pre.data.content, [content]);
    assert.equal(pre.data.kind, 'edit');
    assert.deepEqual(required.data.options, ['Apply', 'Reject']);
    assert.equal(required.data.call_id, pre.data.call_id);
    assert.match(required.data.prompt, /Old agent wants to edit a\.txt$/);
    assert.deepEqual(required.data.context?.['content'], [content]);
  });

  it('is not applied if the user denies, does not answer or stops the turn', async () => {
    for (const no of [
      (id: string) => approvals.answer(id, 'Reject'),
      () => clock.advance(300_000),
      () => abort.abort(),
    ]) {
      answer = no;
      await offer(replace('a.txt', 'one', 'ONE'));
      assert.equal(await textOf('/ws/a.txt'), 'one\r\ntwo\r\n');
      assert.equal(failure(), 'You did not apply this change.');
      events = [];
    }
  });

  it('goes by the rules of the user, who is not asked then', async () => {
    await standing.rules.add({ effect: 'allow', kind: 'edit', pathGlob: '/ws/**', scope: 'always' });
    await offer(replace('a.txt', 'one', 'ONE'));
    assert.deepEqual(names(), ['tool:pre', 'tool:post']);
    await standing.rules.add({ effect: 'deny', pathGlob: '/ws/a.txt', scope: 'always' });
    await offer(replace('a.txt', 'ONE', 'two'));
    assert.equal(await textOf('/ws/a.txt'), 'ONE\r\ntwo\r\n');
  });

  it('of a protected file is asked for whatever the rules say, with a warning', async () => {
    editor.setFile('/ws/.vscode/tasks.json', 'one\n');
    await standing.rules.add({ effect: 'allow', kind: 'edit', pathGlob: '/ws/**', scope: 'always' });
    await offer(replace('.vscode/tasks.json', 'one', 'two'));
    const required = events.find((event) => event.event === 'approval:required');
    assert.match(JSON.stringify(required?.data.context?.['warnings']), /tasks\.json is protected: /);
    assert.equal(await textOf('/ws/.vscode/tasks.json'), 'two\n');
    answer = (id) => approvals.answer(id, 'Reject');
    await offer(replace('.vscode/tasks.json', 'two', 'three'));
    assert.equal(await textOf('/ws/.vscode/tasks.json'), 'two\n');
  });

  it('is made on top of unsaved text, which stays unsaved', async () => {
    editor.type('/ws/a.txt', 'mine\ntwo\n');
    await offer(replace('a.txt', 'mine', 'ours'));
    const { text, isDirty } = await editor.readText('/ws/a.txt');
    assert.deepEqual([text, isDirty], ['ours\ntwo\n', true]);
  });

  it('is not made when it does not fit, and explains what to do', async () => {
    await offer(replace('a.txt', 'three', '3'));
    assert.deepEqual(names(), ['tool:pre', 'tool:error']);
    assert.match(failure() ?? '', /line 1 does not match the diff. Nothing was changed. Ask the agent to read/);
  });

  it('is not made when the text changes while the user thinks', async () => {
    answer = (id) => {
      editor.type('/ws/a.txt', 'one\nmore\n');
      approvals.answer(id, 'Apply');
    };
    await offer(replace('a.txt', 'one', 'ONE'));
    assert.equal(await textOf('/ws/a.txt'), 'one\nmore\n');
    assert.match(failure() ?? '', /changed/);
  });

  it('may be a new file, but not one that is there', async () => {
    const create = (name: string) => `\`\`\`diff\n--- /dev/null\n+++ b/${name}\n@@ -0,0 +1 @@\n+hi\n\`\`\`\n`;
    await offer(create('new/b.txt'));
    assert.equal(await textOf('/ws/new/b.txt'), 'hi\n');
    await offer(create('a.txt'));
    assert.match(failure() ?? '', /already exists/);
  });

  it('is refused outside the workspace, for secrets, for deleting and for what is missing', async () => {
    for (const [diff, why] of [
      [replace('../x.txt', 'a', 'b'), /outside|workspace/],
      [replace('.env', 'KEY=1', 'KEY=2'), /exclude/],
      ['```diff\n--- a/a.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n```\n', /Delete a\.txt yourself/],
      [replace('gone.txt', 'a', 'b'), /does not exist/],
    ] as const) {
      events = [];
      await offer(diff);
      assert.deepEqual(names(), ['tool:pre', 'tool:error']);
      assert.match(failure() ?? '', why);
    }
  });

  it('is told when it cannot be read', async () => {
    await offer('```diff\n--- a/a.txt\n+++ b/a.txt\nno hunk\n```\n');
    assert.deepEqual(names(), ['notice']);
  });
});
