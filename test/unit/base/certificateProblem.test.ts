import assert from 'node:assert/strict';
import { describeCertificateProblem } from '../../../src/base/node/certificateProblem';

describe('describeCertificateProblem', () => {
  it('explains a rejected certificate, with the code', () =>
    assert.equal(describeCertificateProblem('CERT_HAS_EXPIRED'), 'has expired (CERT_HAS_EXPIRED)'));
  it('is undefined for other errors', () => {
    assert.equal(describeCertificateProblem('ECONNREFUSED'), undefined);
    assert.equal(describeCertificateProblem(undefined), undefined);
  });
});
