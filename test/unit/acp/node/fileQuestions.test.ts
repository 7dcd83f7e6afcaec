import assert from 'node:assert/strict';
import { Approvals } from '../../../../src/session/common/engine/approvals';
import { FileService } from '../../../../src/acp/node/session/fileService';
import { PermissionService } from '../../../../src/acp/node/session/permissionService';
import type { SessionEvent } from '../../../../src/session/common/sessionEvents';
import { nullLogger } from '../../../../src/base/common/log';
import type { PermissionRule } from '../../../../src/permissions/common/rules/permissionRules';
import { FakeClock } from '../../../fake/fakeClock';
import { FakeEditor } from '../../../fake/fakeEditor';
import { standingOf } from '../../../fake/fakePermissions';

const { signal } = new AbortController();
const tasks = '/ws/.vscode/tasks.json';

function filesOf(rules: readonly PermissionRule[] = [], permissions?: unknown) {
  const editor = new FakeEditor({ '/ws/a.txt': 'one', [tasks]: 'old' });
  const questions: Extract<SessionEvent, { event: 'approval:required' }>['data'][] = [];
  /** What the user does when asked: the name of an option. */
  const user = { answer: 'Deny', meanwhile: (): void => undefined };
  const emit = (event: SessionEvent): void => {
    if (event.event !== 'approval:required') return;
    questions.push(event.data);
    queueMicrotask(() => {
      user.meanwhile();
      approvals.answer(event.data.approval_id, user.answer);
    });
  };
  const approvals = new Approvals('s1', new FakeClock(), undefined, emit);
  const service = new PermissionService({
    agentId: 'demo',
    agentTitle: 'Demo',
    cwd: '/ws',
    approvals,
    standing: standingOf(rules, () => permissions),
    log: nullLogger,
    modeName: () => undefined,
  });
  const files = new FileService(editor, {
    missingFile: () => 'error',
    permissions: service,
    protectionOf: (...asked) => editor.protectionOf(...asked),
  });
  return { editor, files, questions, user };
}

const write = (path: string, content: string) => ({ path, content });

describe('questions about files that an ACP agent reads and writes', () => {
  it('are none where the user has set nothing', async () => {
    const { editor, files, questions } = filesOf();
    await files.read({ path: '/ws/a.txt' }, signal);
    await files.write(write('/ws/a.txt', 'two'), signal);
    await files.write(write('/ws/new.txt', 'new'), signal);
    assert.deepEqual([editor.diskText('/ws/a.txt'), editor.diskText('/ws/new.txt'), questions], ['two', 'new', []]);
  });

  it('show a change of a protected file, with why, whatever the rules and the policy say', async () => {
    const allow: PermissionRule = { effect: 'allow', kind: 'edit', pathGlob: '/ws/**', scope: 'always' };
    const { editor, files, questions, user } = filesOf([allow], { '*': { edit: 'allow' } });
    const denied = { code: -32603, message: /did not allow/ };
    await assert.rejects(files.write(write(tasks, 'new'), signal), denied);
    assert.equal(editor.diskText(tasks), 'old');
    const [question] = questions;
    assert.deepEqual(question?.options, ['Allow once', 'Deny']);
    assert.deepEqual(question.context?.['content'], [{ type: 'diff', path: tasks, old_text: 'old', new_text: 'new' }]);
    assert.match(JSON.stringify(question.context['warnings']), /^\["\.vscode\/tasks\.json is protected: .+\."\]$/);
    user.answer = 'Allow once';
    await files.write(write(tasks, 'new'), signal);
    await files.write(write('/ws/.vscode/settings.json', '{}'), signal);
    assert.equal(editor.diskText(tasks), 'new');
    assert.equal(questions.length, 3);
    assert.equal((await files.read({ path: '/ws/.vscode/settings.json' }, signal)).content, '{}');
  });

  it('are about the text that was shown: what changes meanwhile is not overwritten', async () => {
    const { editor, files, user } = filesOf();
    user.answer = 'Allow once';
    user.meanwhile = () => editor.setFile(tasks, 'newer');
    await assert.rejects(files.write(write(tasks, 'new'), signal), { code: -32603 });
    assert.equal(editor.diskText(tasks), 'newer');
    user.meanwhile = () => editor.setFile('/ws/.vscode/launch.json', 'made');
    await assert.rejects(files.write(write('/ws/.vscode/launch.json', 'new'), signal), /created in the meantime/);
    assert.equal(editor.diskText('/ws/.vscode/launch.json'), 'made');
  });

  it('show what replaces unsaved text, and keep that where the user says so', async () => {
    const { editor, files, questions, user } = filesOf();
    editor.type('/ws/a.txt', 'mine');
    user.answer = 'Deny';
    await assert.rejects(
      files.write(write('/ws/a.txt', 'theirs'), signal),
      /unsaved changes that the user wants to keep/,
    );
    assert.equal(editor.bufferText('/ws/a.txt'), 'mine');
    const [question] = questions;
    assert.equal(question?.prompt, 'Demo wants to overwrite unsaved changes in a.txt');
    const content = [{ type: 'diff', path: '/ws/a.txt', old_text: 'mine', new_text: 'theirs' }];
    assert.deepEqual(question.context?.['content'], content);
    user.answer = 'Allow once';
    await files.write(write('/ws/a.txt', 'theirs'), signal);
    assert.equal(editor.diskText('/ws/a.txt'), 'theirs');
  });

  it('say of a protected file that it has unsaved text, too', async () => {
    const { editor, files, questions, user } = filesOf();
    editor.type(tasks, 'mine');
    user.answer = 'Allow once';
    await files.write(write(tasks, 'new'), signal);
    assert.equal((questions[0]?.context?.['warnings'] as unknown[]).length, 2);
    assert.equal(editor.diskText(tasks), 'new');
  });

  it('are asked where the user has set it, with a rule for the one file on offer', async () => {
    const { editor, files, questions, user } = filesOf([], { '*': { read: 'ask', edit: 'ask' } });
    await assert.rejects(files.read({ path: '/ws/a.txt' }, signal), { code: -32603, message: /may not read/ });
    user.answer = 'Always allow in this conversation';
    assert.deepEqual(await files.read({ path: '/ws/a.txt' }, signal), { content: 'one' });
    await files.read({ path: '/ws/a.txt' }, signal);
    await files.write(write('/ws/a.txt', 'two'), signal);
    await files.write(write('/ws/a.txt', 'three'), signal);
    assert.equal(editor.diskText('/ws/a.txt'), 'three');
    assert.deepEqual(
      questions.map(({ prompt }) => prompt),
      ['Demo wants to read a.txt', 'Demo wants to read a.txt', 'Demo wants to edit a.txt'],
    );
  });

  describe('about a file that has changed since the agent read it', () => {
    const changed = { code: -32603, message: /has changed since you read it.*Read it again/ };

    it('come after one refusal: the agent can read the file again', async () => {
      const { editor, files, questions } = filesOf();
      await files.read({ path: '/ws/a.txt' }, signal);
      editor.setFile('/ws/a.txt', 'by somebody else');
      await assert.rejects(files.write(write('/ws/a.txt', 'two'), signal), changed);
      assert.equal(editor.diskText('/ws/a.txt'), 'by somebody else');
      await files.read({ path: '/ws/a.txt' }, signal);
      await files.write(write('/ws/a.txt', 'two'), signal);
      await files.write(write('/ws/a.txt', 'three'), signal);
      assert.deepEqual([editor.diskText('/ws/a.txt'), questions], ['three', []]);
    });

    it('show the changes that would be overwritten if the agent does not read them', async () => {
      const { editor, files, questions, user } = filesOf();
      await files.read({ path: '/ws/a.txt' }, signal);
      editor.setFile('/ws/a.txt', 'by somebody else');
      await assert.rejects(files.write(write('/ws/a.txt', 'two'), signal), changed);
      await assert.rejects(files.write(write('/ws/a.txt', 'two'), signal), /did not allow/);
      assert.deepEqual(questions[0]?.context?.['content'], [
        { type: 'diff', path: '/ws/a.txt', old_text: 'by somebody else', new_text: 'two' },
      ]);
      assert.match(JSON.stringify(questions[0].context['warnings']), /has changed since Demo read it/);
      user.answer = 'Allow once';
      await files.write(write('/ws/a.txt', 'two'), signal);
      assert.equal(editor.diskText('/ws/a.txt'), 'two');
    });

    it('are not asked before the agent has read it, where each edit is asked about', async () => {
      const { editor, files, questions } = filesOf([], { '*': { edit: 'ask' } });
      await files.read({ path: '/ws/a.txt' }, signal);
      editor.type('/ws/a.txt', 'typed since');
      await assert.rejects(files.write(write('/ws/a.txt', 'two'), signal), changed);
      assert.deepEqual([editor.bufferText('/ws/a.txt'), questions], ['typed since', []]);
    });

    it('refuse what was made after the agent found no file there', async () => {
      const { editor, files } = filesOf();
      await assert.rejects(files.read({ path: '/ws/new.txt' }, signal), { code: -32002 });
      editor.setFile('/ws/new.txt', 'made');
      await assert.rejects(files.write(write('/ws/new.txt', 'two'), signal), changed);
      assert.equal(editor.diskText('/ws/new.txt'), 'made');
    });

    it('know what the agent has read in parts only as it was at the first part', async () => {
      const { editor, files } = filesOf();
      await files.read({ path: '/ws/a.txt', line: 1, limit: 1 }, signal);
      editor.setFile('/ws/a.txt', 'other');
      await files.read({ path: '/ws/a.txt', line: 2, limit: 1 }, signal);
      await assert.rejects(files.write(write('/ws/a.txt', 'two'), signal), changed);
    });
  });

  it('are none about an edit that cannot be made', async () => {
    const { editor, files, questions } = filesOf([], { '*': { edit: 'ask' } });
    editor.asciiOnly.add('/ws/a.txt');
    await assert.rejects(files.write(write('/ws/a.txt', 'ü €'), signal), /encoding/);
    await assert.rejects(files.write(write('/ws/a.txt', 'half \ud83d'), signal), /surrogate/);
    await assert.rejects(files.write(write(tasks, 'half \ud83d'), signal), /surrogate/);
    assert.deepEqual([editor.diskText('/ws/a.txt'), questions], ['one', []]);
  });

  it('are none where the user denies: the agent is told why', async () => {
    const { editor, files, questions } = filesOf([], { '*': { read: 'deny', edit: 'deny' } });
    await assert.rejects(files.read({ path: '/ws/a.txt' }, signal), /backline\.permissions/);
    await assert.rejects(files.write(write('/ws/a.txt', 'two'), signal), /backline\.permissions/);
    assert.deepEqual([editor.diskText('/ws/a.txt'), questions], ['one', []]);
  });
});
