import assert from 'node:assert/strict';
import { findMessages, findMessagesAgain } from '../../../../../src/threads/node/files/messageOffsets';

const bytesOf = (text: string): Buffer => Buffer.from(text);
/** The texts between the offsets. */
const elementsOf = (text: string): string[] | undefined => {
  const content = bytesOf(text);
  return findMessages(content)?.starts.map((start, index, starts) =>
    content.toString('utf8', start, (starts[index + 1] ?? content.indexOf(' END')) - 1).trim(),
  );
};

describe('the offsets of messages', () => {
  it('are after the bracket and each comma of the list, whatever is in texts and around it', () => {
    const text =
      '\ufeff{ "messages2": [[1, 2]], "a": {"messages": [0]}, "t": "\\\\", "u": "\\"[,", "messages" : [ {"x": "],\\\\\\"}"}, [1, [2, 3]], "é, ", 4] END, "z": [5, "messages"]}';
    assert.deepEqual(elementsOf(text), ['{"x": "],\\\\\\"}"}', '[1, [2, 3]]', '"é, "', '4']);
  });

  it('are one for an empty list, and none without a list of the outermost object', () => {
    assert.deepEqual(findMessages(bytesOf('{"messages":[]}')), { listStart: 13, starts: [13] });
    for (const text of [
      '{}',
      '{"messages":{"a":[1]}}',
      '{"a":{"messages":[1]}}',
      '[{"messages":[1]}]',
      '["messages",[1]]',
    ])
      assert.equal(findMessages(bytesOf(text)), undefined, text);
  });

  it('are not known if it is not obvious which list counts', () => {
    const texts = [
      '{"messages":[1],"messages":[2]}',
      '{"messages":[1],"messages":2}',
      '{"m\\u0065ssages":[1],"messages":[2]}',
    ];
    for (const text of texts) assert.equal(findMessages(bytesOf(text)), undefined, text);
  });

  it('are found again from a message on that has changed', () => {
    const known = findMessages(bytesOf('{"id":1,"messages":[{"a":"x"},{"b":"y"}],"z":1}'));
    assert.ok(known);
    const changed = bytesOf('{"id":1,"messages":[{"a":"x"},{"b":"y, [z"},3,{}],"z":[1,2]}');
    assert.deepEqual(findMessagesAgain(changed, known, 1), findMessages(changed));
    assert.equal(findMessagesAgain(bytesOf('{"id":1,"messages":[{"a":"x"},2],"messages":[]}'), known, 1), undefined);
  });
});
