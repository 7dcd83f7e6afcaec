import assert from 'node:assert/strict';
import { conversationNeed } from '../../../../src/chat/common/windows/conversationNeed';

const facts = {
  approval: undefined,
  isAskingToSave: false,
  backendTitle: 'Agent',
  waitsSince: 5,
};

describe('conversationNeed', () => {
  it('says what the approval that waits longest asks, in one line of at most 200 characters', () => {
    const need = conversationNeed({
      ...facts,
      approval: { prompt: `Run\n${'x'.repeat(300)}`, requestedAt: 7 },
    });
    assert.deepEqual(need, { kind: 'approval', text: `Run ${'x'.repeat(195)}…`, since: 7 });
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
