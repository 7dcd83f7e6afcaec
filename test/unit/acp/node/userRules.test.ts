import assert from 'node:assert/strict';
import { nullLogger } from '../../../../src/base/common/log';
import type { PermissionRule } from '../../../../src/acp/common/permissionRules';
import { UserRules } from '../../../../src/acp/node/userRules';

const rule = (command: string): PermissionRule => ({
  effect: 'allow',
  agent: 'demo',
  command: [command],
  cwd: '/ws',
  scope: 'always',
});

describe('the rules of the user', () => {
  let kept: Map<string, unknown>;
  let warnings: string[];
  let rules: UserRules;

  beforeEach(() => {
    kept = new Map();
    warnings = [];
    const memento = {
      get: (key: string) => kept.get(key),
      update: (key: string, value: unknown) => {
        // As VS Code keeps it.
        kept.set(key, JSON.parse(JSON.stringify(value)));
        return Promise.resolve();
      },
    };
    rules = new UserRules(memento, { ...nullLogger, warn: (message) => void warnings.push(message) });
  });

  it('are kept once each, and can be taken back', async () => {
    await rules.add(rule('a'));
    await rules.add(rule('b'));
    await rules.add(rule('a'));
    assert.deepEqual(rules.rules, [rule('a'), rule('b')]);
    await rules.remove(rule('a'));
    assert.deepEqual(rules.rules, [rule('b')]);
  });

  it('show what another window has changed', async () => {
    await rules.add(rule('a'));
    kept.set('acp.rules', [rule('c')]);
    assert.deepEqual(rules.rules, [rule('c')]);
  });

  it('are nothing but rules, whatever is stored', () => {
    kept.set('acp.rules', [rule('a'), { effect: 'allow', scope: 'always' }, 'nonsense']);
    assert.deepEqual(rules.rules, [rule('a')]);
    assert.equal(warnings.length, 2);
    kept.set('acp.rules', 'nonsense');
    assert.deepEqual(rules.rules, []);
  });

  it('are not so many that each question takes long', async () => {
    kept.set(
      'acp.rules',
      Array.from({ length: 1_000 }, (_, index) => rule(`c${index}`)),
    );
    await assert.rejects(rules.add(rule('more')), /Remove some/);
  });
});
