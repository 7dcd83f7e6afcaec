import assert from 'node:assert/strict';
import { findDenyOption, isDenial } from '../../../../src/session/common/approvalOptions';

describe('the option that denies', () => {
  for (const [options, expected] of [
    [['AlwaysAllow', 'Allow', 'Deny'], 'Deny'],
    [['Allow', 'Deny All', 'DENY'], 'DENY'],
    [['Allow', 'Deny All'], 'Deny All'],
    [['Yes', 'No'], 'No'],
    [['Allow', 'Reject'], 'Reject'],
    [['Allow', 'Notify'], undefined],
    [['Ask me', 'No restrictions'], undefined],
    [['Deny nothing', 'No limits', 'Reject rules'], undefined],
    [['Allow', 'No, always'], 'No, always'],
    [['Allow', 'Decline this time'], 'Decline this time'],
    [['Allow', 'Refuse once.'], 'Refuse once.'],
    [[], undefined],
  ] as const) {
    it(`of ${JSON.stringify(options)} is ${expected ?? 'none'}`, () => assert.equal(findDenyOption(options), expected));
  }

  it('is the one that the server marks as denying', () => {
    assert.equal(findDenyOption(['Go', 'Stop', 'Never'], ['allow_once', 'reject_once', 'reject_always']), 'Stop');
    assert.equal(findDenyOption(['Deny', 'Stop'], ['allow_once', 'reject_always']), 'Stop');
  });

  it('is never a word that a server treats as permission', () => assert.equal(isDenial('Skip'), false));
});
