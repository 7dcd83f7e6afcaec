import assert from 'node:assert/strict';
import { describeParts, approvalTitle } from '../../../src/chat/common/approvals/approvalWords';
import type { Part } from '../../../src/transcript/common/entries';

const titled = (prompt: string, parts: readonly Part[] = []) =>
  approvalTitle({ asks: 'Qwen (code)', prompt, parts: [...parts] });

describe('the words of a question', () => {
  it('have a title of one line, without who asks', () => {
    assert.equal(titled('Qwen (code) wants to edit src/a.ts'), 'Edit src/a.ts');
    assert.equal(titled('Qwen (code) asks: fetch a page'), 'Fetch a page');
    assert.equal(titled('Allow this?\n  It is  safe.'), 'Allow this? It is safe.');
    assert.equal(titled('Qwenx wants to edit'), 'Qwenx wants to edit');
  });

  it('do not say the command twice', () => {
    const parts: Part[] = [{ type: 'terminal', command: 'npm test\necho', output: '' }];
    assert.equal(titled('Qwen (code) wants to run npm test echo', parts), 'Run a command');
    assert.equal(titled('Qwen (code) wants to run something else', parts), 'Run something else');
    assert.equal(titled('Qwen (code) wants to run npm test'), 'Run npm test');
  });

  it('say how much there is to read', () => {
    assert.equal(describeParts([]), undefined);
    assert.equal(describeParts([{ type: 'terminal', command: 'a\nb\n', output: '' }]), 'command, 2 lines');
    assert.equal(
      describeParts([
        { type: 'terminal', command: 'a', output: '' },
        { type: 'link', uri: 'https://example.com' },
      ]),
      'command, 1 line; link https://example.com',
    );
  });
});
