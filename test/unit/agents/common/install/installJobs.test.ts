import assert from 'node:assert/strict';
import { jobsAfterEvent, type InstallJobs, type JobEvent } from '../../../../../src/agents/common/install/installJobs';

const after = (...events: JobEvent[]): InstallJobs =>
  events.reduce((jobs: InstallJobs, event) => jobsAfterEvent(jobs, 'one', event), new Map());

describe('the jobs of agents', () => {
  it('start, progress and end', () => {
    const progressed = { kind: 'progressed', progress: { stage: 'Unpacking…', fraction: 0.5 } } as const;
    assert.deepEqual(after({ kind: 'started' }, progressed).get('one'), {
      kind: 'installing',
      stage: 'Unpacking…',
      fraction: 0.5,
    });
    assert.equal(after({ kind: 'started' }, progressed, { kind: 'ended' }).size, 0);
  });

  it('keep a failure until the next start', () => {
    const failed = { kind: 'failed', message: 'The disk is full.', advice: 'Free some space.' } as const;
    assert.deepEqual(after({ kind: 'started' }, failed).get('one'), failed);
    assert.equal(after(failed, { kind: 'started' }).get('one')?.kind, 'installing');
  });

  it('take no progress after their end', () => {
    const late = { kind: 'progressed', progress: { stage: 'Late' } } as const;
    assert.equal(after({ kind: 'started' }, { kind: 'ended' }, late).size, 0);
    assert.equal(after({ kind: 'failed', message: 'x' }, late).get('one')?.kind, 'failed');
  });
});
