import assert from 'node:assert/strict';
import { AuthStatusAnswer } from '../../../../../src/acp/common/signIn/authStatus';
import { signInPrompt } from '../../../../../src/acp/common/signIn/signInChoices';

describe('what an agent says of the sign-in', () => {
  it('is yes, no, or not known', () => {
    for (const [state, isSignedIn] of [
      ['authenticated', true],
      ['not_required', true],
      ['unauthenticated', false],
      ['unknown', undefined],
      ['_later', undefined],
    ] as const)
      assert.deepEqual(AuthStatusAnswer.parse({ state }), { isSignedIn, accounts: [] });
    assert.equal(AuthStatusAnswer.safeParse({}).success, false);
  });

  it('names the accounts in use, and leaves out invalid ones', () => {
    const accounts = [
      { label: 'API key', active: true },
      { label: 'Max', email: 'a@example.com', name: 'A', organization: 'Acme', active: null },
      { label: 'Old', active: false },
      { email: 'b@example.com' },
    ];
    assert.deepEqual(AuthStatusAnswer.parse({ state: 'authenticated', accounts }).accounts, [
      'API key',
      'Max (a@example.com, Acme)',
    ]);
  });

  it('is shown above the ways to sign in, on one line', () => {
    assert.equal(signInPrompt(false, ['Max']), 'Select how to sign in');
    assert.equal(signInPrompt(true), 'You are signed in. Select a way to sign in again');
    assert.equal(signInPrompt(true, ['Max\n(a)']), 'You are signed in as Max (a). Select a way to sign in again');
    assert.match(signInPrompt(true, ['1', '2', '3', '4', '5', '6']), /as 1, 2, 3, 4, 5, …\./);
  });
});
