import assert from 'node:assert/strict';
import { SecretRedactor } from '../../../../src/session/common/redaction/secretRedactor';
import { processorMsOf } from '../../../support/processorTime';

const key = 'sk-ant/"api"\\03+Größe🎸';

function redactor(secret = key): SecretRedactor {
  const made = new SecretRedactor();
  made.addSecret(secret);
  return made;
}

const escaped = (text: string): string =>
  text.replace(/[^]/gu, (all) =>
    Array.from({ length: all.length }, (_one, at) => `\\u${all.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );

describe('secrets in what a server says', () => {
  const inJson = JSON.stringify(key).slice(1, -1);
  for (const [what, text] of [
    ['as they are', `bad key ${key}.`],
    ['escaped as in JSON', `{"message":"bad key ${inJson}."}`],
    ['escaped as in JSON, slashes too', `{"message":"bad key ${inJson.replaceAll('/', '\\/')}."}`],
    ['in JSON within JSON', JSON.stringify({ body: JSON.stringify({ message: `bad key ${key}.` }) })],
    ['in JSON within JSON within JSON', JSON.stringify(JSON.stringify(JSON.stringify(`bad key ${key}.`)))],
    ['with every character escaped', `{"message":"bad key ${escaped(key)}."}`],
    ['with every character escaped, in JSON within JSON', JSON.stringify({ m: `{"n":"bad key ${escaped(key)}."}` })],
    ['percent-encoded', `https://x/?key=${encodeURIComponent(key)}&y`],
    ['as the name of a member', JSON.stringify({ [key]: 1 })],
    ['in an answer that is cut off', `{"message":"bad key ${inJson}.`],
  ] as const) {
    it(`are taken out ${what}`, () => {
      const result = redactor().redactJson(text);
      assert.match(result, /\[key\]/u);
      assert.doesNotMatch(result, /ant|0061|Gr/u);
    });
  }

  it('are taken out of JSON that stays JSON, and nothing else is', () => {
    const redact = redactor('nabcdef');
    const value = { a: 'line\nabcdef', b: ['nabcdef', 1, null, { c: 'xnabcdefx' }] };
    assert.deepEqual(JSON.parse(redact.redactJson(JSON.stringify(value))), {
      a: 'line\nabcdef',
      b: ['[key]', 1, null, { c: 'x[key]x' }],
    });
    const other = '{"a": "untouched \\n" }';
    assert.equal(redact.redactJson(other), other);
  });

  it('are all added secrets, except those that are too short', () => {
    const redact = redactor('first-secret');
    redact.addSecret('second-secret');
    redact.addSecret('a');
    redact.addSecret(undefined);
    assert.equal(redact.redactText('a first-secret and a second-secret'), 'a [key] and a [key]');
  });

  it('are looked for in long runs of backslashes without delay', () => {
    const text = '\\'.repeat(2 ** 20);
    const usedMs = processorMsOf(() => assert.equal(redactor().redactText(text), text));
    assert.ok(usedMs < 5000);
  });
});
