import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ClientTokens } from '../../../src/tools/node/clientTokens';

describe('tokens of clients', () => {
  const tokens = new ClientTokens();

  it('distinguish clients and recognize the same client', () => {
    const [one, other] = [tokens.issueToken(), tokens.issueToken()];
    assert.ok(tokens.clientOf(`Bearer ${one}`));
    assert.equal(tokens.clientOf(`Bearer ${one}`), tokens.clientOf(`bearer ${one}`));
    assert.notEqual(tokens.clientOf(`Bearer ${one}`), tokens.clientOf(`Bearer ${other}`));
  });

  it('are of no use at another server', () => {
    assert.equal(new ClientTokens().clientOf(`Bearer ${tokens.issueToken()}`), undefined);
  });

  it('cannot be made up or changed', () => {
    for (const header of [undefined, '', 'Bearer', 'Basic abc', `Bearer ${'A'.repeat(32)}`, `Bearer ${'é'.repeat(32)}`])
      assert.equal(tokens.clientOf(header), undefined);
    fc.assert(
      fc.property(fc.nat(31), fc.constantFrom('a', 'b', 'X', 'Z', '0', '9', '-', '_'), (index, letter) => {
        const token = tokens.issueToken();
        const changed = token.slice(0, index) + letter + token.slice(index + 1);
        assert.equal(tokens.clientOf(`Bearer ${changed}`) === undefined, changed !== token);
      }),
    );
  });
});
