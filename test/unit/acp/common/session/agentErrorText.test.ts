import assert from 'node:assert/strict';
import { isSignInError, sentenceOfAgentError } from '../../../../../src/acp/common/session/agentErrorText';

const sentence = (code: number, message: string, data?: unknown): string =>
  sentenceOfAgentError('Agent', { code, message, data });

describe('an error of an agent', () => {
  it('is a sentence without its code', () => {
    for (const code of [-32700, -32600, -32601, -32602, -32603, -32000, -32002, 7]) {
      const words = sentence(code, 'Internal error');
      assert.match(words, /^Agent [a-z].*\.$/);
      assert.doesNotMatch(words, /\d{3}/);
    }
  });

  it('gives the reason that is in its data', () => {
    const missing = 'CODEX_API_KEY or OPENAI_API_KEY is not set';
    assert.equal(sentence(-32603, missing, { envVars: [] }), `Agent: ${missing}`);
    assert.equal(sentence(-32603, 'Internal error', { details: missing }), `Agent: ${missing}`);
    assert.equal(sentence(-32603, 'Internal error', { stderr: missing, message: 7 }), `Agent: ${missing}`);
    assert.equal(sentence(-32603, 'Internal error', missing), `Agent: ${missing}`);
    assert.equal(sentence(-32603, 'It broke', { message: 'It broke because of X' }), 'Agent: It broke because of X');
    assert.equal(sentence(1, 'It broke', { details: 'X' }), 'Agent: It broke: X');
    assert.equal(sentence(1, 'y'.repeat(5000)).length, 'Agent: '.length + 500);
  });

  it('means a missing sign-in only where it says so', () => {
    const isSignIn = (message: string): boolean => isSignInError({ code: -32603, message });
    for (const words of [
      'CODEX_API_KEY or OPENAI_API_KEY is not set',
      '401 {"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}',
      'Incorrect API key provided: sk-abc',
      'API key not valid. Please pass a valid API key.',
      'Please log in to continue',
      'unexpected status 401 Unauthorized',
    ])
      assert.ok(isSignIn(words), words);
    for (const words of [
      'stream error',
      'HTTP 500',
      'The file auth.ts is missing',
      'rate limit of your API key reached',
    ])
      assert.ok(!isSignIn(words), words);
  });
});
