import assert from 'node:assert/strict';
import { findThreadsByIdIn, parseThreadId, threadLink } from '../../../../../src/threads/common/model/threadLinks';
import { head } from '../../support/threadHead';

const id = 'T-019c8001-36aa-7123-8abc-0123456789ab';
const other = 'T-019c8001-36bb-7123-8abc-0123456789ab';
const heads = [head(id), head(other), head('T-mine')];
const found = (query: string): readonly (readonly [string, boolean])[] =>
  findThreadsByIdIn(query, heads).map((named) => [named.threadId, named.head !== undefined]);

describe('a thread that is asked for by name', () => {
  const ways = [
    id,
    id.toUpperCase(),
    ` ${id}\n`,
    threadLink(id),
    `http://www.ampcode.com/threads/${id}`,
    `ampcode.com/threads/${id}`,
    `<${threadLink(id)}?tab=files#message-3>`,
    `${threadLink(id)}/`,
    `@${id}`,
    `amp threads continue ${id}`,
  ];
  for (const way of ways) it(`is found: ${way.trim()}`, () => assert.deepEqual(found(way), [[id, true]]));

  it('is found by an id of any form that is in the list, and by the beginning of one', () => {
    assert.deepEqual(found('T-mine'), [['T-mine', true]]);
    assert.deepEqual(found('T-019c8001-36b'), [[other, true]]);
    assert.equal(found('T-019C8001').length, 2);
  });

  it('may be one that is not in the list', () => {
    const unknown = 'T-00000000-0000-4000-8000-000000000000';
    assert.deepEqual(found(threadLink(unknown)), [[unknown, false]]);
    assert.deepEqual(found(`${unknown} ${id}`), [
      [unknown, false],
      [id, true],
    ]);
  });

  it('is not found in words, in other links and in parts of words', () => {
    for (const query of ['', 'T-', 'T-shirt', 'T-0', 'at-019c8001', `x${id}`, `${id}0`, 'https://ampcode.com/manual'])
      assert.deepEqual(found(query), [], query);
  });

  it('is named by an id or a link, not by a sentence with one', () => {
    assert.equal(parseThreadId(id), id);
    assert.equal(parseThreadId(`${threadLink(id)}#x`), id);
    assert.equal(parseThreadId(`see ${id}`), undefined);
    assert.equal(parseThreadId(`https://example.com/threads/${id}`), undefined);
  });
});
