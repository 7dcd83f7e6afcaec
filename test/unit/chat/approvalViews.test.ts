import assert from 'node:assert/strict';
import { ApprovalViews } from '../../../src/chat/common/approvalViews';

describe('a question to the user', () => {
  it('says of each option for always what it would match, whatever the options are called', () => {
    const views = new ApprovalViews();
    const about = { callId: undefined, entryId: undefined, call: undefined };
    const options = ['Run once', 'Run always', 'constructor'];
    const context = { command: 'npm test', matches: { 'Run always': 'running "npm test", always' } };
    views.ask({ session_id: 's', approval_id: 'a', prompt: 'May I?', options, context }, about, 'Demo', undefined);
    const [view] = views.all;
    assert.deepEqual(
      view?.options.map(({ matches }) => matches),
      [undefined, 'running "npm test", always', undefined],
    );
    assert.deepEqual(view.parts, [{ type: 'terminal', command: 'npm test', output: '' }]);
  });
});
