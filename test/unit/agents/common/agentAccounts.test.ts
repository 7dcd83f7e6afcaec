import assert from 'node:assert/strict';
import { accountNameProblem, agentsAndTheirAccounts } from '../../../../src/agents/common/agentAccounts';
import type { InstalledAgent } from '../../../../src/agents/common/install/agentInstall';

describe('the accounts of an installed agent', () => {
  it('follow it, with its program', () => {
    const agent: InstalledAgent = {
      ...{ id: 'one', name: 'One', version: '1.0.0', kind: 'npx', command: '/node', args: [], env: {} },
      ...{ folder: '/one', bytes: 1, installedAt: 1, terms: { kind: 'npx', args: [], env: {} } },
    };
    assert.deepEqual(
      agentsAndTheirAccounts([
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
      assert.equal(accountNameProblem(name, []), undefined);
    assert.equal(accountNameProblem('  ', []), 'Enter a name for the account.');
    assert.equal(accountNameProblem('x'.repeat(41), []), 'A name has at most 40 characters.');
    for (const name of ['a~b', 'a/b', '../x', '-a', 'a\u202eb', 'a\nb'])
      assert.equal(accountNameProblem(name, []), 'Use letters, digits, spaces, dots, hyphens and underscores.', name);
    assert.equal(accountNameProblem('work', ['Work']), 'There is already an account with the name “work”.');
  });
});
