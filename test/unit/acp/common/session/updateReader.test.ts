import assert from 'node:assert/strict';
import { chunkHandler, parsingHandler } from '../../../../../src/acp/common/session/updateReader';
import { isSessionNotification } from '../../../../../src/acp/common/session/wireSchema';
import { sessionUpdates } from '../../../../../src/acp/common/v1/v1Schema';
import type { SessionEvent } from '../../../../../src/session/common/sessionEvents';

const text = { type: 'text', text: 'a word' };

describe('an update with a piece of an answer', () => {
  for (const update of [
    { content: text },
    { content: text, messageId: 'm1' },
    { content: text, messageId: null },
    { content: text, messageId: 1 },
    { content: { ...text, annotations: { audience: ['user'] } }, _meta: {} },
    { content: { type: 'text', text: '' } },
    { content: { type: 'text', text: 1 } },
    { content: { type: 'text' } },
    { content: { type: 'image', data: 'AA==', mimeType: 'image/png' } },
    { content: { type: 'of the future', text: 'a word' } },
    { content: [text] },
    { content: 'a word' },
    { content: null },
    {},
    [],
  ])
    it(`is read as its schema says: ${JSON.stringify(update)}`, () => {
      const read: unknown[] = [];
      const keep = ({ content, messageId }: { content: { type: string; text?: unknown }; messageId?: unknown }) => {
        read.push({ type: content.type, text: content.text, messageId });
        return new Array<SessionEvent>();
      };
      const schema = sessionUpdates.agent_message_chunk;
      const results = [chunkHandler(schema, keep)(update), parsingHandler(schema, keep)(update)];
      assert.deepEqual(results[0], results[1]);
      assert.deepEqual(read[0], read[1]);
    });
});

describe('a session/update', () => {
  it('needs a session and a kind', () => {
    const update = { sessionUpdate: 'plan' };
    assert.ok(isSessionNotification({ sessionId: 's1', update, _meta: {} }));
    for (const other of [null, 's1', [], {}, { sessionId: 's1' }, { update }, { sessionId: 1, update }])
      assert.ok(!isSessionNotification(other), JSON.stringify(other));
    for (const broken of [null, [update], {}, { sessionUpdate: 1 }])
      assert.ok(!isSessionNotification({ sessionId: 's1', update: broken }), JSON.stringify(broken));
  });
});
