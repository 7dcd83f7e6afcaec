import assert from 'node:assert/strict';
import { DeltaRedactor } from '../../../../src/session/common/redaction/deltaRedactor';
import type { SessionEvent } from '../../../../src/session/common/sessionEvents';
import { SecretRedactor } from '../../../../src/session/common/redaction/secretRedactor';

const key = 'sk-ant-"secret"';

describe('a secret in a text that comes in pieces', () => {
  let told: SessionEvent[];
  let deltas: DeltaRedactor;

  beforeEach(() => {
    told = [];
    const redactor = new SecretRedactor();
    redactor.addSecret(key);
    redactor.addSecret('sk-another');
    deltas = new DeltaRedactor(redactor, (event) => told.push(event));
  });

  const text = (delta: string, block = 0): void =>
    deltas.emitRedacted({ event: 'content_block:delta', data: { session_id: 's', block_index: block, delta } });
  const thought = (delta: string): void =>
    deltas.emitRedacted({ event: 'thinking:delta', data: { session_id: 's', delta } });
  const end = (): void =>
    deltas.emitRedacted({ event: 'content_block:end', data: { session_id: 's', block_index: 0 } });

  function shown(name: 'content_block:delta' | 'thinking:delta', block?: number): string {
    return told
      .flatMap(({ event, data }) =>
        event === name && (block === undefined || !('block_index' in data) || data.block_index === block)
          ? [data.delta]
          : [],
      )
      .join('');
  }

  for (const [what, form] of [
    ['as it is', key],
    ['escaped as in JSON', JSON.stringify(key).slice(1, -1)],
    ['percent-encoded', encodeURIComponent(key)],
  ] as const) {
    it(`is taken out wherever it is cut, ${what}`, () => {
      for (let at = 1; at < form.length; at++) {
        told = [];
        text(`it is ${form.slice(0, at)}`);
        text(`${form.slice(at)}.`);
        end();
        assert.ok(!shown('content_block:delta').includes('ecret'), `cut at ${at}: ${shown('content_block:delta')}`);
      }
    });
  }

  it('is taken out though every character comes alone', () => {
    for (const one of `a ${key} b`) text(one);
    end();
    assert.equal(shown('content_block:delta'), 'a [key] b');
  });

  it('is taken out of each text for itself, though they come by turns', () => {
    text('one sk-ant-');
    text('two sk-an', 1);
    thought('three sk');
    text('"secret"');
    text('other', 1);
    thought('-ant-"secret"!');
    end();
    assert.equal(shown('content_block:delta', 0), 'one [key]');
    assert.equal(shown('content_block:delta', 1), 'two [key]');
    assert.equal(shown('thinking:delta'), 'three [key]!');
  });

  it('holds back only possible secrets, and not after the end of the text', () => {
    text('less');
    assert.equal(shown('content_block:delta'), 'les');
    text(' and sk-an');
    assert.equal(shown('content_block:delta'), 'less and ');
    end();
    assert.equal(shown('content_block:delta'), 'less and sk-an');
    assert.equal(told.at(-1)?.event, 'content_block:end');
  });

  it('is taken out of the output of a call that grows, and the start of it is held back until the end', () => {
    const output = `it is ${key}, so`;
    const content = (length: number) => [
      { type: 'terminal' as const, terminal_id: 't', output: output.slice(0, length) },
      { type: 'text' as const, text: output.slice(0, length) },
    ];
    for (let length = 1; length <= output.length; length++)
      deltas.emitRedacted({ event: 'tool:update', data: { session_id: 's', call_id: 'c', content: content(length) } });
    const data = { session_id: 's', tool_name: 'run', operation: 'run', call_id: 'c', content: content(100) };
    deltas.emitRedacted({ event: 'tool:post', data: { ...data, result: { success: true, output } } });
    assert.ok(!JSON.stringify(told).includes('sk-a'));
    assert.equal(JSON.stringify(told.at(-1)).split('it is [key], so').length, 4);
  });
});
