import assert from 'node:assert/strict';
import { threadsSummaryBeforeListing, threadsStatus } from '../../../../../src/threads/common/tree/threadsStatus';

const listed = { ...threadsSummaryBeforeListing, isListed: true };

describe('the status of the threads', () => {
  it('reports that nothing is read before somebody looks', () => {
    assert.match(threadsStatus(threadsSummaryBeforeListing).summary, /when you open the list/);
  });

  it('counts them, and those that run', () => {
    assert.equal(threadsStatus({ ...listed, heads: [{ state: 'idle' }] }).summary, '1 thread.');
    const heads = [{ state: 'idle' }, { state: 'running' }] as const;
    assert.equal(threadsStatus({ ...listed, heads }).summary, '2 threads, 1 running.');
  });

  it('reports where threads would come from when there are none', () => {
    const { state, summary } = threadsStatus({
      ...listed,
      absenceReasons: ['Amp has not run here.', 'No file was opened.'],
    });
    assert.equal(state, 'ready');
    assert.equal(summary, 'Amp has not run here. No file was opened.');
  });

  it('has first what a source cannot do', () => {
    const { state, summary } = threadsStatus({
      ...listed,
      heads: [{ state: 'idle' }],
      problemTexts: ['The index broke.'],
    });
    assert.equal(state, 'attention');
    assert.equal(summary, 'The index broke.');
  });
});
