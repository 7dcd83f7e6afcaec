import assert from 'node:assert/strict';
import { redactSecrets } from '../../../../src/context/common/providers/secretReferences';

const token = 'SUPERSECRETTOKEN-0123456789';

describe('secrets in messages', () => {
  for (const [says, text, secret, expected] of [
    ['as they are', `no: ${token}!`, token, 'no: •••!'],
    ['as JSON has them', `{"got":${JSON.stringify('pa"ss\\word')}}`, 'pa"ss\\word', '{"got":"•••"}'],
    ['as JSON with escaped slashes has them', '{"got":"ab\\/cd"}', 'ab/cd', '{"got":"•••"}'],
    ['as URLs have them', `?key=${encodeURIComponent('a/b+c d')}`, 'a/b+c d', '?key=•••'],
    ['on one line', 'key: one two three', 'one\ntwo  three\n', 'key: •••'],
    ['cut at the end', `no: ${token.slice(0, 9)}`, token, 'no: •••'],
    ['cut before an ellipsis', `no: ${token.slice(0, 9)}…`, token, 'no: •••…'],
    ['cut before three dots', `no: ${token.slice(0, 4)}...`, token, 'no: •••...'],
    ['that are no text', 'no: \ud800', 'x\ud800', 'no: \ud800'],
  ] as const) {
    it(`are taken out ${says}`, () => assert.equal(redactSecrets(text, [secret]), expected));
  }

  it('are taken out whole when one holds another', () => {
    assert.equal(redactSecrets('no: abcd-efgh', ['abcd', 'abcd-efgh']), 'no: •••');
  });

  it('leave alone what only begins with a few of their letters', () => {
    assert.equal(redactSecrets('no: SUP', [token]), 'no: SUP');
    assert.equal(redactSecrets('no: SUPER is short', [token]), 'no: SUPER is short');
  });
});
