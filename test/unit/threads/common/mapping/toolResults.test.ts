import assert from 'node:assert/strict';
import { matchToolResults, mayHaveLaterResult } from '../../../../../src/threads/common/mapping/toolResults';

const call = (id: unknown) => ({ type: 'tool_use', id });
const result = (toolUseID: unknown) => ({ type: 'tool_result', toolUseID });
const messageOf = (...content: unknown[]) => ({ role: 'assistant', content });

describe('matchToolResults', () => {
  it('gives a call the results with its id, in the order of the thread', () => {
    const [first, second, other] = [result('a'), result('a'), result('b')];
    const its = call('a');
    const results = matchToolResults([messageOf(its), messageOf(first, other), messageOf(second)]);
    assert.deepEqual(results.ofCall(its), [first, second]);
    assert.deepEqual(
      [first, second, other].map((one) => results.hasCall(one)),
      [true, true, false],
    );
  });

  it('gives a result to the nearest earlier call with its id, or else to the first later one', () => {
    const [one, two] = [call(7), call(7)];
    const [early, middle, late] = [result(7), result(7), result(7)];
    const results = matchToolResults([messageOf(early, one, middle, two, late)]);
    assert.deepEqual([results.ofCall(one), results.ofCall(two)], [[early, middle], [late]]);
  });

  it('matches nothing that has no id', () => {
    const [its, odd, lost] = [call(undefined), call({}), result(undefined)];
    const results = matchToolResults([messageOf(its, odd, lost)]);
    assert.deepEqual([results.ofCall(its), results.ofCall(odd), results.hasCall(lost)], [[], [], false]);
  });

  it('takes no other block for a result, though it names a call', () => {
    const its = call('a');
    const text = { type: 'text', text: 'x', tool_use_id: 'a' };
    const [first, second] = [result('a'), result('a')];
    const results = matchToolResults([messageOf(its, first, text, second)]);
    assert.deepEqual(results.ofCall(its), [first, second]);
    assert.deepEqual([results.ofCall(text), results.hasCall(text)], [[], false]);
  });

  it('leaves messages out that are not shown', () => {
    const its = call('a');
    const hidden = { role: 'system', content: [result('a')] };
    assert.deepEqual(matchToolResults([messageOf(its), hidden, null, { role: 'user' }]).ofCall(its), []);
  });
});

describe('mayHaveLaterResult', () => {
  it('says so of a result whose run goes on, or waits for the user', () => {
    const of = (status: unknown) => mayHaveLaterResult({ run: { status } });
    assert.deepEqual(['in-progress', 'blocked-on-user', 'done', undefined].map(of), [true, true, false, false]);
  });

  it('says no of what has no run', () => {
    const blocks = [{}, { run: null }, { run: 'in-progress' }, null, 'x', undefined];
    assert.deepEqual(blocks.filter(mayHaveLaterResult), []);
  });
});
