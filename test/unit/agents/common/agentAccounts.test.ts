import assert from 'node:assert/strict';
import { accountProblem, withAccounts } from '../../../../src/agents/common/agentAccounts';
import type { InstalledAgent } from '../../../../src/agents/common/install/agentInstall';

describe('the accounts of an installed agent', () => {
  it('follow it, with its program', () => {
    const agent: InstalledAgent = {
      ...{ id: 'one', name: 'One', version: '1.0.0', kind: 'npx', command: '/node', args: [], env: {} },
      ...{ folder: '/one', bytes: 1, installedAt: 1 },
    };
    assert.deepEqual(
      withAccounts([
        { ...agent, accounts: ['Work', 'Home'] },
        { ...agent, id: 'two' },
      ]).map(({ account, command, id }) => [id, account, command]),
      [
        ['one', undefined, '/node'],
        ['one', 'Work', '/node'],
        ['one', 'Home', '/node'],
        ['two', undefined, '/node'],
      ],
    );
  });

  it('have names that can be part of an id, each once', () => {
    for (const name of ['Work', ' Zweite Firma ', '会社', 'a.b-c_d', '1'])
      assert.equal(accountProblem(name, []), undefined);
    assert.equal(accountProblem('  ', []), 'Enter a name for the account.');
    assert.equal(accountProblem('x'.repeat(41), []), 'A name has at most 40 characters.');
    for (const name of ['a~b', 'a/b', '../x', '-a', 'a\u202eb', 'a\nb'])
      assert.equal(accountProblem(name, []), 'Use letters, digits, spaces, dots, hyphens and underscores.', name);
    assert.equal(accountProblem('work', ['Work']), 'There is already an account with the name “work”.');
  });
});
