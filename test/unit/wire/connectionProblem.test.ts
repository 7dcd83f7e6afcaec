import assert from 'node:assert/strict';
import { certificateProblemOf, proxyProblemOf } from '../../../src/wire/common/connectionProblem';

describe('connection problems', () => {
  it('a rejected certificate is explained with its code', () =>
    assert.equal(certificateProblemOf('CERT_HAS_EXPIRED')?.what, 'has expired (CERT_HAS_EXPIRED)'));

  it('a certificate that is not trusted comes with the ways to trust it', () => {
    for (const code of [
      'SELF_SIGNED_CERT_IN_CHAIN',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    ])
      assert.match(certificateProblemOf(code)?.advice ?? '', /operating system.*NODE_EXTRA_CA_CERTS.*restart VS Code/i);
    assert.doesNotMatch(certificateProblemOf('CERT_HAS_EXPIRED')?.advice ?? '', /trust/);
  });

  it('other errors are not about certificates', () => {
    assert.equal(certificateProblemOf('ECONNREFUSED'), undefined);
    assert.equal(certificateProblemOf(undefined), undefined);
  });

  it('VS Code’s error about a proxy is explained without its text, which may contain a password', () => {
    const error = new Error('Failed to establish a socket connection to proxies: PROXY user:secret@127.0.0.1:1');
    assert.match(proxyProblemOf(error) ?? '', /http\.proxy/);
    assert.doesNotMatch(proxyProblemOf(error) ?? '', /secret/);
    assert.equal(proxyProblemOf(new Error('connect ECONNREFUSED')), undefined);
  });
});
