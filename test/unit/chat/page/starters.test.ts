import assert from 'node:assert/strict';
import type { MentionRow } from '../../../../src/chat/common/chatView';
import { workspaceStarters, type WorkspaceFacts } from '../../../../src/chat/common/page/starters';

const row = (kind: 'problems' | 'git' | 'file', title: string): MentionRow => ({ kind, id: title, title, detail: 'd' });
const nothing: WorkspaceFacts = { problems: undefined, changes: undefined, file: undefined, hasTests: false };
const textsOf = (facts: Partial<WorkspaceFacts>): string[] =>
  workspaceStarters({ ...nothing, ...facts }).map(({ text }) => text);

describe('the prompts that are suggested', () => {
  it('are what is there to do, the most urgent first, with what they are about', () => {
    const facts = { problems: row('problems', 'Problems (3)'), changes: row('git', 'Git changes (2)') };
    const starters = workspaceStarters({ ...nothing, ...facts, file: row('file', 'cart.ts'), hasTests: true });
    assert.deepEqual(
      starters.map(({ text }) => text),
      ['Fix the problems', 'Review my uncommitted changes', 'Write tests for cart.ts'],
    );
    assert.deepEqual(starters[0]?.attachments, [{ kind: 'problems', id: 'Problems (3)', title: 'Problems (3)' }]);
  });

  it('are three anywhere', () => {
    assert.deepEqual(textsOf({}), [
      'Explain this project',
      'Find a bug in this project',
      'Suggest what to improve in this project',
    ]);
  });

  it('do not ask for tests of tests, nor for tests where there are none', () => {
    for (const name of ['cart.test.ts', 'cart_test.go', 'test_cart.py', 'cart.spec.js']) {
      assert.equal(textsOf({ file: row('file', name), hasTests: true })[0], `Explain ${name}`);
    }
    assert.equal(textsOf({ file: row('file', 'contest.ts') })[0], 'Explain contest.ts');
    assert.equal(textsOf({ file: row('file', 'contest.ts'), hasTests: true })[0], 'Write tests for contest.ts');
  });
});
