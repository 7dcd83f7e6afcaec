import assert from 'node:assert/strict';
import {
  AmplifierApiError,
  documentedErrors,
  isMissingRouteError,
  parseApiError,
} from '../../../../src/amplifier/common/api/apiErrors';
import { sessionMessages } from '../../../../src/amplifier/common/client/sessionMessages';

describe('errors of the Amplifier API', () => {
  for (const [code, { httpStatus }] of Object.entries(documentedErrors)) {
    it(`tells ${code} with what to do, in both wrappings`, () => {
      const error = { code, message: 'What happened', details: { session_id: 's' } };
      for (const body of [{ error }, { detail: { error } }]) {
        const parsed = parseApiError(httpStatus, JSON.stringify(body));
        assert.equal(parsed.code, code);
        assert.equal(parsed.httpStatus, httpStatus);
        assert.equal(parsed.message, 'What happened');
        assert.deepEqual(parsed.details, { session_id: 's' });
        assert.notEqual(parsed.advice, '');
        assert.match(parsed.toBackendError().message, /^What happened\. [A-Z].*\.$/);
      }
    });
  }

  it('reports that the next prompt continues in a new session if a session is lost', () => {
    const lost = parseApiError(404, '{"error":{"code":"SESSION_NOT_FOUND","message":"No such session"}}');
    const { closed, failed, goesOn, restarted, sessionEnded } = sessionMessages;
    for (const said of [lost.toBackendError().message, closed, failed, restarted, goesOn, sessionEnded]) {
      assert.match(said, /prompt.*continues? in a new session/i);
      assert.doesNotMatch(said, /start a new/i);
    }
  });

  it('parses errors of the web framework of the server', () => {
    const missing = parseApiError(404, '{"detail":"Not Found"}');
    assert.equal(missing.code, 'NOT_FOUND');
    assert.equal(isMissingRouteError(missing), true);
    assert.equal(isMissingRouteError(parseApiError(405, '{"detail":"Method Not Allowed"}')), true);
    const fields = parseApiError(
      422,
      '{"detail":[{"loc":["body","prompt"],"msg":"Field required","input":{"a":"secret"}}]}',
    );
    assert.equal(fields.code, 'INVALID_REQUEST');
    assert.match(fields.message, /body\.prompt: Field required/);
    assert.doesNotMatch(JSON.stringify([fields.message, fields.details]), /secret/);
  });

  it('distinguishes a missing session from a missing route', () => {
    assert.equal(isMissingRouteError(parseApiError(404, '{"error":{"code":"SESSION_NOT_FOUND"}}')), false);
  });

  it('parses bodies other than JSON, and omits web pages', () => {
    assert.match(parseApiError(500, 'Internal Server Error').message, /HTTP 500: Internal Server Error/);
    assert.equal(parseApiError(502, '<html><body>nginx').message, 'The server responded with HTTP 502');
    assert.equal(parseApiError(500, '').code, 'SERVER_ERROR');
    assert.ok(parseApiError(500, 'x'.repeat(10_000)).message.length < 300);
  });

  it('keeps an unknown code, with the meaning of its status', () => {
    const error = parseApiError(418, '{"error":{"code":"TEAPOT","message":"short and stout"}}');
    assert.equal(error.code, 'TEAPOT');
    assert.equal(error.toBackendError().code, 'invalidRequest');
    assert.equal(new AmplifierApiError('ODD', 'odd', 599).toBackendError().code, 'backend');
  });
});
