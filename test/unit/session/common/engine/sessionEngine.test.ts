import assert from 'node:assert/strict';
import fc from 'fast-check';
import { nullLogger } from '../../../../../src/base/common/log';
import { SessionEngine } from '../../../../../src/session/common/engine/sessionEngine';
import { SessionGrammar } from '../../../../../src/session/common/normalize/sessionGrammar';
import { SecretRedactor } from '../../../../../src/session/common/redaction/secretRedactor';
import type { SessionEvent } from '../../../../../src/session/common/sessionEvents';
import { FakeClock } from '../../../../fake/fakeClock';

const options = [
  { name: 'Allow', kind: 'allow_once' as const },
  { name: 'Deny', kind: 'reject_once' as const },
];
const request = { prompt: 'May it?', options, context: {} };
const delta = (text: string): SessionEvent => ({
  event: 'content_block:delta',
  data: { session_id: 's', block_index: 0, delta: text },
});
const complete: SessionEvent = {
  event: 'prompt:complete',
  data: { session_id: 's', response: '', stop_reason: 'end_turn' },
};

describe('the engine of a session', () => {
  function open(how: { redactor?: SecretRedactor; hasOpenCalls?: () => boolean } = {}) {
    const clock = new FakeClock();
    const engine: SessionEngine = new SessionEngine({
      ...{ id: 's', clock, log: nullLogger, yieldToOthers: () => Promise.resolve(), ...how },
      onSilence: () => {
        engine.turns.apply({ type: 'ended' });
        engine.reportBoundary([complete]);
      },
    });
    const turns: string[] = [];
    engine.onDidChangeTurn(() => turns.push(engine.turn));
    return { clock, engine, turns };
  }

  async function allOf(engine: SessionEngine): Promise<SessionEvent[]> {
    engine.end([], 'closed');
    const all: SessionEvent[] = [];
    for await (const { event } of engine.events()) all.push(event);
    return all;
  }

  it('reports a turn when its events can be read', async () => {
    const { engine, turns } = open();
    engine.turns.apply({ type: 'prompted', requestId: 'r' });
    assert.deepEqual(turns, []);
    engine.report([{ event: 'prompt:submit', data: { session_id: 's', prompt: 'Go', request_id: 'r' } }]);
    engine.turns.apply({ type: 'ended' });
    engine.reportBoundary([complete]);
    assert.deepEqual(turns, ['own', 'none']);
    const names = (await allOf(engine)).map(({ event }) => event);
    assert.deepEqual(names, ['session:start', 'prompt:submit', 'prompt:complete', 'session:end']);
  });

  it('denies what is asked when its turn ends or the session has ended, and tells who asks', async () => {
    const { engine, turns } = open();
    const asked = engine.approvals.ask(request);
    assert.deepEqual([engine.turn, turns], ['agent', ['agent']]);
    engine.turns.apply({ type: 'ended' });
    engine.reportBoundary([complete]);
    assert.equal(await asked, undefined);
    await assert.rejects(engine.answerApproval('approval-1', 'Allow'), { code: 'approvalResolved' });
    const waiting = engine.approvals.ask(request);
    const names = (await allOf(engine)).map(({ event }) => event);
    assert.deepEqual(
      names.filter((name) => name.startsWith('approval:')),
      ['approval:required', 'approval:denied', 'approval:required', 'approval:denied'],
    );
    assert.equal(names.at(-1), 'session:end');
    assert.deepEqual([await waiting, await engine.approvals.ask(request)], [undefined, undefined]);
  });

  it('ends a turn whose end is not reported after five seconds of silence, or ten minutes while a call is open', () => {
    let hasOpenCalls = true;
    const { clock, engine } = open({ hasOpenCalls: () => hasOpenCalls });
    engine.turns.apply({ type: 'acted' });
    engine.report([delta('word')]);
    clock.advance(9 * 60_000);
    assert.equal(engine.turn, 'agent');
    hasOpenCalls = false;
    clock.advance(5_000);
    assert.equal(engine.turn, 'none');
    engine.turns.apply({ type: 'acted' });
    void engine.approvals.ask(request);
    clock.advance(60_000);
    assert.equal(engine.turn, 'agent');
    engine.end([], 'closed');
    assert.equal(clock.pending, 0);
  });

  it('says that a turn has ended when its end can be read, also if an approval was open', async () => {
    const { engine } = open();
    const atChange: Promise<string[]>[] = [];
    engine.turns.apply({ type: 'prompted', requestId: 'r' });
    engine.report([{ event: 'prompt:submit', data: { session_id: 's', prompt: 'Go', request_id: 'r' } }]);
    void engine.approvals.ask(request);
    engine.onDidChangeTurn(() => {
      const stop = new AbortController();
      const read = async (): Promise<string[]> => {
        const names: string[] = [];
        for await (const { event } of engine.events({ signal: stop.signal })) {
          names.push(event.event);
          if (event.event === 'prompt:complete') stop.abort();
        }
        return names;
      };
      atChange.push(read());
    });
    engine.turns.apply({ type: 'ended' });
    engine.reportBoundary([complete]);
    const read = await Promise.all(atChange);
    const all = ['session:start', 'prompt:submit', 'approval:required', 'approval:denied', 'prompt:complete'];
    assert.deepEqual(read, [all]);
  });

  it('has each approval answered once and before the end of its turn, in any order of what happens', async () => {
    const step = fc.constantFrom('prompt', 'act', 'ask', 'allow', 'end', 'wait', 'close');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const { clock, engine } = open();
        const answers: Promise<unknown>[] = [];
        let asked = 0;
        for (const one of steps) {
          if (one === 'prompt' && engine.turn !== 'own') {
            engine.turns.apply({ type: 'prompted', requestId: 'r' });
            engine.reportBoundary([
              { event: 'prompt:submit', data: { session_id: 's', prompt: 'Go', request_id: 'r' } },
            ]);
          } else if (one === 'act') {
            engine.turns.apply({ type: 'acted' });
            engine.report([delta('word ')]);
          } else if (one === 'ask') {
            answers.push(engine.approvals.ask(request));
            asked++;
          } else if (one === 'allow') {
            await engine.answerApproval(`approval-${asked}`, 'Allow').catch(() => undefined);
          } else if (one === 'end' && engine.turns.state.open) {
            engine.turns.apply({ type: 'ended' });
            engine.reportBoundary([complete]);
          } else if (one === 'wait') clock.advance(6_000);
          else if (one === 'close') engine.end([], 'closed');
          if (engine.turn === 'none') assert.equal(engine.approvals.isAsking, false);
        }
        const grammar = new SessionGrammar();
        const events = await allOf(engine);
        for (const event of events) assert.equal(grammar.checkEvent(event), undefined);
        const named = (name: string) => events.filter(({ event }) => event === name).length;
        assert.equal(named('approval:required'), named('approval:granted') + named('approval:denied'));
        const allowed = (await Promise.all(answers)).filter((answer) => answer !== undefined);
        assert.equal(allowed.length, named('approval:granted'));
        assert.deepEqual([engine.turn, clock.pending], ['none', 0]);
      }),
      { numRuns: 300 },
    );
  });

  it('removes a key that comes in two pieces', async () => {
    const redactor = new SecretRedactor();
    const { engine } = open({ redactor });
    redactor.addSecret('sk-secret-key');
    engine.report([delta('It is sk-sec'), delta('ret-key.'), complete]);
    const events = await allOf(engine);
    const text = events.map((event) => (event.event === 'content_block:delta' ? event.data.delta : '')).join('');
    assert.equal(text, 'It is [key].');
  });
});
