import assert from 'node:assert/strict';
import { LateAnswerError } from '../../../src/tools/common/languagePort';
import { OpenQuestions } from '../../../src/tools/common/openQuestions';
import { FakeClock } from '../../fake/fakeClock';

const never = new AbortController().signal;
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('questions that cannot be ended', () => {
  it('are waited for until their time is over, and say what to do then', async () => {
    const clock = new FakeClock();
    const questions = new OpenQuestions(clock, 12_000);
    assert.equal(await questions.ask('a', never, () => Promise.resolve(1)), 1);
    const late = questions.ask('b', never, () => new Promise(() => undefined));
    clock.advance(12_000);
    await assert.rejects(late, (error: unknown) => {
      assert.ok(error instanceof LateAnswerError);
      assert.match(error.message, /within 12 s.*use search/);
      return true;
    });
    assert.equal(questions.size, 1, 'it is still open');
    assert.equal(clock.pending, 0);
  });

  it('are not waited for once the call is cancelled', async () => {
    const questions = new OpenQuestions(new FakeClock(), 12_000);
    const cancelling = new AbortController();
    const answer = questions.ask('a', cancelling.signal, () => new Promise(() => undefined));
    cancelling.abort();
    await assert.rejects(answer, /cancelled/);
    await assert.rejects(questions.ask('b', cancelling.signal, () => Promise.resolve(1)));
  });

  it('are not asked again while they are open', async () => {
    const clock = new FakeClock();
    const questions = new OpenQuestions(clock, 12_000);
    let asked = 0;
    const gate = Promise.withResolvers<number>();
    const question = (): Promise<number> => {
      asked++;
      return gate.promise;
    };
    const given = new AbortController();
    const [first, second, third] = [
      questions.ask('a', never, question),
      questions.ask('a', never, question),
      questions.ask('a', given.signal, question),
    ];
    await settle();
    assert.equal(asked, 1);
    given.abort();
    await assert.rejects(third, /cancelled/);
    gate.resolve(7);
    assert.deepEqual(await Promise.all([first, second]), [7, 7]);
    assert.equal(asked, 2, 'once for each who still waits');
    await settle();
    assert.equal(questions.size, 0);
  });

  it('are bounded in number', async () => {
    const clock = new FakeClock();
    const questions = new OpenQuestions(clock, 12_000);
    const hanging = Array.from({ length: 64 }, (_, index) =>
      questions.ask(String(index), never, () => new Promise(() => undefined)),
    );
    await settle();
    await assert.rejects(
      questions.ask('more', never, () => Promise.resolve(1)),
      /earlier questions/,
    );
    clock.advance(12_000);
    await Promise.allSettled(hanging);
  });

  it('tell what went wrong', async () => {
    const questions = new OpenQuestions(new FakeClock(), 12_000);
    await assert.rejects(
      questions.ask('a', never, () => Promise.reject(new Error('the server crashed'))),
      /the server crashed/,
    );
    assert.equal(await questions.ask('a', never, () => Promise.resolve(2)), 2);
  });
});
