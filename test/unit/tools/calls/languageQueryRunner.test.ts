import assert from 'node:assert/strict';
import { LanguageServerTimeoutError } from '../../../../src/tools/common/languagePort';
import { LanguageQueryRunner, type LanguageQuery } from '../../../../src/tools/common/calls/languageQueryRunner';
import { FakeClock } from '../../../fake/fakeClock';

const never = new AbortController().signal;
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const asked = <T>(key: string, ask: () => Promise<T>, group = 'ts'): LanguageQuery<T> => ({ key, group, ask });

describe('questions that cannot be ended', () => {
  it('time out with a message that explains what to do', async () => {
    const clock = new FakeClock();
    const questions = new LanguageQueryRunner(clock, 12_000);
    assert.equal(
      await questions.runQuery(
        asked('a', () => Promise.resolve(1)),
        never,
      ),
      1,
    );
    const late = questions.runQuery(
      asked('b', () => new Promise(() => undefined)),
      never,
    );
    clock.advance(12_000);
    await assert.rejects(late, (error: unknown) => {
      assert.ok(error instanceof LanguageServerTimeoutError);
      assert.match(error.message, /within 12 s.*use search/);
      return true;
    });
    assert.equal(questions.openCount, 1, 'it is still open');
    assert.equal(clock.pending, 0);
  });

  it('are not waited for once the call is cancelled', async () => {
    const questions = new LanguageQueryRunner(new FakeClock(), 12_000);
    const cancelling = new AbortController();
    const answer = questions.runQuery(
      asked('a', () => new Promise(() => undefined)),
      cancelling.signal,
    );
    cancelling.abort();
    await assert.rejects(answer, /cancelled/);
    await assert.rejects(
      questions.runQuery(
        asked('b', () => Promise.resolve(1)),
        cancelling.signal,
      ),
    );
  });

  it('are not asked again while they are open', async () => {
    const clock = new FakeClock();
    const questions = new LanguageQueryRunner(clock, 12_000);
    let times = 0;
    const gate = Promise.withResolvers<number>();
    const question = (): Promise<number> => {
      times++;
      return gate.promise;
    };
    const given = new AbortController();
    const [first, second, third] = [
      questions.runQuery(asked('a', question), never),
      questions.runQuery(asked('a', question), never),
      questions.runQuery(asked('a', question), given.signal),
    ];
    await settle();
    assert.equal(times, 1);
    given.abort();
    await assert.rejects(third, /cancelled/);
    gate.resolve(7);
    assert.deepEqual(await Promise.all([first, second]), [7, 7]);
    assert.equal(times, 2, 'once for each who still waits');
    await settle();
    assert.equal(questions.openCount, 0);
  });

  it('are bounded in number for each who answers, and given up after a minute', async () => {
    const clock = new FakeClock();
    const questions = new LanguageQueryRunner(clock, 12_000);
    const hangs = (): Promise<never> => new Promise(() => undefined);
    const hanging = Array.from({ length: 16 }, (_, index) => questions.runQuery(asked(String(index), hangs), never));
    const answers = Promise.allSettled(hanging);
    await settle();
    const more = (group: string): Promise<number> =>
      questions.runQuery(
        asked('more', () => Promise.resolve(1), group),
        never,
      );
    await assert.rejects(more('ts'), /earlier requests/);
    assert.equal(await more('py'), 1, 'another language server');
    clock.advance(12_000);
    assert.ok((await answers).every(({ status }) => status === 'rejected'));
    await assert.rejects(more('ts'), /earlier requests/);
    clock.advance(50_000);
    assert.equal(await more('ts'), 1);
    assert.equal(
      await questions.runQuery(
        asked('3', () => Promise.resolve(2)),
        never,
      ),
      2,
      'also what hung before',
    );
  });

  it('report their errors', async () => {
    const questions = new LanguageQueryRunner(new FakeClock(), 12_000);
    await assert.rejects(
      questions.runQuery(
        asked('a', () => Promise.reject(new Error('the server crashed'))),
        never,
      ),
      /the server crashed/,
    );
    assert.equal(
      await questions.runQuery(
        asked('a', () => Promise.resolve(2)),
        never,
      ),
      2,
    );
  });
});
