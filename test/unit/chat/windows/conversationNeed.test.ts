import assert from 'node:assert/strict';
import type { ApprovalView } from '../../../../src/chat/common/chatView';
import { conversationNeed } from '../../../../src/chat/common/windows/conversationNeed';

const facts = {
  approval: undefined,
  isAskingToSave: false,
  backendTitle: 'Agent',
  waitsSince: 5,
};

const view: ApprovalView = {
  id: 'a',
  prompt: 'Agent wants to run npm test',
  asks: 'Agent',
  folder: '/work/api',
  parts: [{ type: 'terminal', command: 'npm test', output: '' }],
  options: [
    { label: 'Yes', kind: 'allow_once' },
    { label: 'No', kind: 'reject_once' },
  ],
  state: 'pending',
  shown: 'hash',
};

describe('conversationNeed', () => {
  it('says what the approval that waits longest asks, in one line of at most 200 characters', () => {
    const need = conversationNeed({
      ...facts,
      approval: {
        view: { ...view, prompt: `Run\n${'x'.repeat(300)}` },
        requestedAt: 7,
        expiresAt: undefined,
        others: 0,
      },
    });
    assert.deepEqual(need, { kind: 'approval', text: `Run ${'x'.repeat(195)}…`, since: 7 });
  });

  it('says how an approval can be answered that its line shows whole', () => {
    assert.deepEqual(
      conversationNeed({ ...facts, approval: { view, requestedAt: 7, expiresAt: 100_000, others: 2 } }),
      {
        kind: 'approval',
        text: 'Wants to run in api: npm test',
        since: 7,
        others: 2,
        answer: { approvalId: 'a', shown: 'hash', allow: 'Yes', reject: 'No', until: 70_000 },
      },
    );
  });

  it('names the other reasons', () => {
    assert.deepEqual(conversationNeed({ ...facts, isAskingToSave: true }), {
      kind: 'unsavedFiles',
      text: 'Asks whether to save unsaved files',
      since: 5,
    });
    assert.deepEqual(conversationNeed({ ...facts, waitsSince: undefined }), {
      kind: 'signIn',
      text: 'Sign in to Agent',
    });
  });
});
