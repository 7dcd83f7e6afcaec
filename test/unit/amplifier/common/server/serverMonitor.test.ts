import assert from 'node:assert/strict';
import { AmplifierApiError } from '../../../../../src/amplifier/common/api/apiErrors';
import { ServerMonitor } from '../../../../../src/amplifier/common/server/serverMonitor';
import { FakeClock } from '../../../../fake/fakeClock';

const refused = new AmplifierApiError('UNREACHABLE', 'No Amplifier server answers at http://127.0.0.1:8765');

/** Lets promises that are due settle. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the watch on the Amplifier server', () => {
  let clock: FakeClock;
  let answers: ((signal: AbortSignal) => Promise<{ version?: string }>)[];
  let asked: number;
  let watch: ServerMonitor;

  beforeEach(() => {
    clock = new FakeClock();
    answers = [];
    asked = 0;
    watch = new ServerMonitor({
      checkHealth: (signal) => {
        asked++;
        return (answers.shift() ?? (() => Promise.reject(refused)))(signal);
      },
      clock,
      onListenerError: (error) => {
        throw error;
      },
    });
  });
  afterEach(() => watch.dispose());

  it('asks three times at the start, further and further apart, and then rests', async () => {
    watch.start();
    await settle();
    assert.equal(asked, 1);
    clock.advance(2000);
    await settle();
    assert.equal(asked, 2);
    clock.advance(9999);
    await settle();
    assert.equal(asked, 2);
    clock.advance(1);
    await settle();
    assert.equal(asked, 3);
    clock.advance(3_600_000);
    await settle();
    assert.equal(asked, 3);
    assert.equal(clock.pending, 0);
    assert.deepEqual(watch.availability, { kind: 'unreachable' });
  });

  it('stops checking when the server has answered', async () => {
    answers.push(() => Promise.resolve({ version: '1.2.3' }));
    watch.start();
    await settle();
    assert.deepEqual(watch.availability, { kind: 'answers', version: '1.2.3' });
    assert.equal(clock.pending, 0);
  });

  it('asks when it is told to, once for all who wait', async () => {
    watch.start();
    await settle();
    answers.push(() => Promise.resolve({}));
    await Promise.all([watch.check(), watch.check()]);
    assert.equal(asked, 2);
    assert.deepEqual(watch.availability, { kind: 'answers' });
  });

  it('asks when the user looks, once in some seconds', async () => {
    watch.checkIfStale();
    watch.checkIfStale();
    await settle();
    assert.equal(asked, 1);
    clock.advance(4999);
    watch.checkIfStale();
    await settle();
    assert.equal(asked, 1);
    clock.advance(1);
    answers.push(() => Promise.resolve({ version: '2' }));
    watch.checkIfStale();
    await settle();
    assert.deepEqual(watch.availability, { kind: 'answers', version: '2' });
  });

  it('asks when the user looks, also when the clock was set back', async () => {
    watch.checkIfStale();
    await settle();
    clock.setBack(3_600_000);
    clock.advance(5000);
    watch.checkIfStale();
    await settle();
    assert.equal(asked, 2);
  });

  it('waits for no answer longer than three seconds', async () => {
    let isGivenUp = false;
    answers.push((signal) => {
      signal.addEventListener('abort', () => (isGivenUp = true));
      return new Promise(() => undefined);
    });
    const asking = watch.check();
    clock.advance(3000);
    await asking;
    assert.equal(isGivenUp, true);
    assert.equal(watch.availability.kind, 'unusable');
    assert.match(JSON.stringify(watch.availability), /not respond in time.*restart the Amplifier server/);
  });

  it('gives up what it asks when it is stopped', async () => {
    let isGivenUp = false;
    answers.push((signal) => {
      signal.addEventListener('abort', () => (isGivenUp = true));
      return new Promise(() => undefined);
    });
    void watch.check();
    watch.stop();
    await settle();
    assert.equal(isGivenUp, true);
  });

  it('misses a server that somebody uses until it answers again', async () => {
    watch.updateFromBackend({ kind: 'ready', version: '1' });
    watch.updateFromBackend({ kind: 'failed', message: 'The connection was lost.' });
    const missed = { kind: 'missed', message: 'The connection was lost.' };
    assert.deepEqual(watch.availability, missed);
    await watch.check();
    assert.deepEqual(watch.availability, missed);
    watch.updateFromBackend({ kind: 'ready' });
    assert.deepEqual(watch.availability, { kind: 'answers' });
  });

  it('misses it no more when nobody uses it any more', () => {
    watch.updateFromBackend({ kind: 'failed', message: 'The connection was lost.' });
    watch.updateFromBackend({ kind: 'stopped' });
    assert.deepEqual(watch.availability, { kind: 'unreachable' });
  });

  it('knows that a server needs a token, also by who uses it', async () => {
    answers.push(() =>
      Promise.reject(new AmplifierApiError('UNAUTHORIZED', 'The server responded with HTTP 401', 401)),
    );
    await watch.check();
    assert.equal(watch.availability.kind, 'needsToken');
    assert.match(JSON.stringify(watch.availability), /requires a valid token.*Set Amplifier Server Token/);
    watch.updateFromBackend({ kind: 'ready' });
    watch.updateFromBackend({ kind: 'authRequired', message: 'It needs a token.', methods: [] });
    assert.deepEqual(watch.availability, { kind: 'needsToken', message: 'It needs a token.' });
  });

  it('explains what to do about a server that answers as it should not', async () => {
    answers.push(() => Promise.reject(new AmplifierApiError('NOT_FOUND', 'The server responded with HTTP 404', 404)));
    await watch.check();
    assert.deepEqual(watch.availability, {
      kind: 'unusable',
      message: 'The server responded with HTTP 404. The server does not support this.',
    });
  });

  it('believes no answer to a question about another server', async () => {
    let answer: ((health: { version: string }) => void) | undefined;
    answers.push(() => new Promise((resolve) => (answer = resolve)));
    watch.start();
    watch.start();
    await settle();
    answer?.({ version: 'old' });
    await settle();
    assert.equal(watch.availability.kind, 'unreachable');
  });

  it('checks nothing after dispose', async () => {
    watch.start();
    await settle();
    watch.dispose();
    await watch.check();
    clock.advance(60_000);
    await settle();
    assert.equal(asked, 1);
  });
});
