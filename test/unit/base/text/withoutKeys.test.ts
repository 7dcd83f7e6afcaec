import assert from 'node:assert/strict';
import { withoutKeys } from '../../../../src/base/common/text/withoutKeys';
import { processorMsOf } from '../../../support/processorTime';

const secret = 'a1B2'.repeat(10);

describe('A text without keys', () => {
  for (const text of [
    `sk-ant-api03-${secret}`,
    `github_pat_${secret}`,
    `ghp_${secret}`,
    `xai-${secret}`,
    `gsk_${secret}`,
    `hf_${secret}`,
    `npm_${secret}`,
    `AIza${secret}`,
    `Authorization: Bearer ${secret}`,
    `authorization: bearer ${secret}`,
    `proxy-authorization: basic ${secret}==`,
    `https://example.com/v1/models?key=${secret}&alt=sse`,
    `https://example.com/v1?alt=sse&api_key=${secret}`,
    `Incorrect API key provided: ${secret}.`,
    `{"api_key":"${secret}"}`,
    `{\\"x-api-key\\": \\"${secret}\\"}`,
    `OPENAI_API_KEY=${secret}`,
    `connect ECONNREFUSED http://user:${secret}@proxy.example:8080`,
    `//registry.example/:_authToken=${secret}`,
    `password: ${secret}`,
  ]) {
    it(`has none in: ${text.replace(secret, '…')}`, () => {
      const shown = withoutKeys(text);
      assert.doesNotMatch(shown, /a1B2/u);
      assert.equal(withoutKeys(shown), shown);
    });
  }

  it('is as it was otherwise', () => {
    for (const text of [
      'http://proxy.example:8080 refused the connection.',
      'Write to me@example.com about https://example.com/@scope/name.',
      'The bearer token is invalid. Bearer authentication failed.',
      'Basic authentication is required.',
      'No API key. Set OPENAI_API_KEY, or sign in.',
      'Unexpected token: something',
      'max_tokens: 200000, hf_hub is missing, task-force',
      'Too many tokens, please wait before trying again.',
    ]) {
      assert.equal(withoutKeys(text), text);
    }
    assert.equal(
      withoutKeys(`http://me:${secret}@proxy.example:8080/a?key=${secret}&b=c`),
      'http://proxy.example:8080/a?key=[key]&b=c',
    );
  });

  it('is read at once, however long it is', () => {
    for (const part of ['sk-', '//', 'bearer ', 'api_key" ', 'a', '?key=', 'github_pat_', 'Bearer a']) {
      const text = part.repeat(200_000 / part.length);
      assert.ok(processorMsOf(() => void withoutKeys(text)) < 2_000, part);
    }
  });
});
