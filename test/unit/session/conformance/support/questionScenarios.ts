import assert from 'node:assert/strict';
import { answerOf, askOnce, askPrompt, callsEnd, type Scenario } from './scenario';

export const questionScenarios: readonly Scenario[] = [
  {
    title: 'a question that is allowed',
    needs: ['ask'],
    async run(talk) {
      await talk.begin(askPrompt, askOnce);
      await talk.answer('allow');
      await talk.completed();
      assert.deepEqual(answerOf(talk.reader.events), ['approval:granted']);
      assert.equal(callsEnd(talk.reader.events).at(-1), 'success');
    },
  },
  {
    title: 'a question that is denied',
    needs: ['ask'],
    async run(talk) {
      await talk.begin(askPrompt, askOnce);
      await talk.answer('reject');
      await talk.completed();
      assert.deepEqual(answerOf(talk.reader.events), ['approval:denied']);
      assert.equal(callsEnd(talk.reader.events).at(-1), 'failure');
    },
  },
  {
    title: 'a question that is still open when the turn ends',
    needs: ['ask', 'leaveOpen'],
    async run(talk) {
      await talk.turn('go', async (agent) => {
        await agent.say('Never mind.');
        void agent.ask?.('a');
        await talk.reader.next('approval:required');
      });
      await talk.completed(1, 'Never mind.');
      assert.deepEqual(answerOf(talk.reader.events), ['approval:denied']);
      const { approval_id, options } = await talk.reader.next('approval:required');
      await assert.rejects(talk.session.answerApproval(approval_id, options[0] ?? ''), { code: 'approvalResolved' });
    },
  },
  {
    title: 'a question that nobody answers in time',
    needs: ['ask'],
    deadlineMs: 200,
    async run(talk) {
      await talk.begin(askPrompt, askOnce);
      await talk.reader.next('approval:required');
      talk.opened.passDeadline?.();
      await talk.completed();
      assert.deepEqual(answerOf(talk.reader.events), ['approval:denied']);
    },
  },
  {
    title: 'a question that is answered by what is no option, and twice',
    needs: ['ask'],
    async run(talk) {
      await talk.begin(askPrompt, askOnce);
      const { approval_id, options } = await talk.reader.next('approval:required');
      await assert.rejects(talk.session.answerApproval(approval_id, 'Perhaps'), { code: 'approvalInvalid' });
      await assert.rejects(talk.session.answerApproval('another', options[0] ?? ''), { code: 'approvalInvalid' });
      await talk.answer('reject');
      await assert.rejects(talk.session.answerApproval(approval_id, options[0] ?? ''), { code: 'approvalResolved' });
      await talk.completed();
    },
  },
];
