import assert from 'node:assert/strict';
import { instructionFilesOf, knownAgents } from '../../../../src/acp/common/catalogue/knownAgents';
import type { BackendView } from '../../../../src/chat/common/chatView';
import { listInstructionFiles } from '../../../../src/chat/common/prompts/instructionFiles';
import { FakeEditor } from '../../../fake/fakeEditor';

const log = {
  error: (_text: string, error: unknown): never => {
    throw error;
  },
};

describe('the instruction files of an agent', () => {
  const list = (editor: FakeEditor, instructionFiles?: string[][]) => {
    const view: BackendView = { id: 'a', title: 'A', description: '', source: 'found', state: 'stopped' };
    const views = [{ ...view, ...(instructionFiles ? { instructionFiles } : {}) }];
    return listInstructionFiles('a', { backends: () => Promise.resolve(views) }, editor, log);
  };
  const editor = new FakeEditor(
    {
      '/ws/AGENTS.md': 'x',
      '/ws/CLAUDE.md': 'x',
      '/ws/.rules/a/b.md': 'x',
      '/other/CLAUDE.md': 'x',
      '/ws/sub/CLAUDE.md': 'x',
    },
    ['/ws', '/other'],
  );

  it('are named by their path in the workspace folder', async () => {
    assert.deepEqual(await list(editor, [['CLAUDE.md'], ['.rules/**/*.md']]), [
      { path: '/other/CLAUDE.md', name: 'CLAUDE.md' },
      { path: '/ws/CLAUDE.md', name: 'CLAUDE.md' },
      { path: '/ws/.rules/a/b.md', name: '.rules/a/b.md' },
    ]);
  });

  it('are only the first ones that exist of those that replace each other', async () => {
    const found = await list(editor, [['AGENTS.override.md', 'AGENTS.md', 'CLAUDE.md']]);
    assert.deepEqual(
      found.map(({ name }) => name),
      ['AGENTS.md'],
    );
  });

  it('are not named if they are excluded, or if nothing is known of the agent', async () => {
    const hiding = new FakeEditor({ '/ws/CLAUDE.md': 'x' });
    hiding.exclude = ['CLAUDE.*'];
    assert.deepEqual(await list(hiding, [['CLAUDE.md']]), []);
    assert.deepEqual(await list(editor), []);
  });

  it('are known for known agents only', () => {
    const known = knownAgents.filter(({ id }) => instructionFilesOf(id) !== undefined).map(({ id }) => id);
    assert.deepEqual(
      known.filter((id) => ['claude', 'codex', 'copilot', 'cursor', 'gemini'].includes(id)),
      ['claude', 'codex', 'gemini', 'copilot', 'cursor'],
    );
    assert.equal(instructionFilesOf('nobody'), undefined);
    assert.equal(instructionFilesOf(undefined), undefined);
  });
});
