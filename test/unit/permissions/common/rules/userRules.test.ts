import assert from 'node:assert/strict';
import { nullLogger } from '../../../../../src/base/common/log';
import type { PermissionRule } from '../../../../../src/permissions/common/rules/permissionRules';
import { UserRules } from '../../../../../src/permissions/common/rules/userRules';
import { FakeClock } from '../../../../fake/fakeClock';
import { FakeMemento } from '../../../../fake/fakePermissions';

const rule = (command: string): PermissionRule => ({
  effect: 'allow',
  agent: 'demo',
  command: [command],
  cwd: '/ws',
  scope: 'always',
});

describe('the rules of the user', () => {
  let memento: FakeMemento;
  let clock: FakeClock;
  let warnings: string[];
  let rules: UserRules;

  beforeEach(() => {
    memento = new FakeMemento();
    clock = new FakeClock();
    warnings = [];
    rules = new UserRules(memento, clock, { ...nullLogger, warn: (message) => void warnings.push(message) });
  });

  it('are stored once each and can be removed', async () => {
    let changes = 0;
    rules.onDidChange(() => changes++);
    await rules.add(rule('a'));
    await rules.add(rule('b'));
    await rules.add(rule('a'));
    assert.deepEqual(rules.rules, [rule('a'), rule('b')]);
    await rules.remove(rule('a'));
    assert.deepEqual(rules.rules, [rule('b')]);
    assert.equal(changes, 3);
  });

  it('show what another window has changed', async () => {
    await rules.add(rule('a'));
    memento.set('permissions.rules', [{ rule: rule('c') }]);
    assert.deepEqual(rules.rules, [rule('c')]);
  });

  it('are read also from where they were kept before, and move with the first change', async () => {
    memento.set('acp.rules', [rule('old')]);
    assert.deepEqual(rules.rulesWithUsage, [{ rule: rule('old'), useCount: 0 }]);
    await rules.add(rule('new'));
    assert.deepEqual(rules.rules, [rule('old'), rule('new')]);
    assert.equal(memento.get('acp.rules'), undefined);
    memento.set('acp.rules', [rule('old')]);
    await rules.remove(rule('old'));
    assert.deepEqual(rules.rules, [rule('new')], 'what is taken back is nowhere any more');
  });

  it('ignore invalid stored values and report them once, without their contents', () => {
    const wider = { ...rule('a'), onlyOnMondays: true };
    const stored = [{ rule: rule('a') }, { rule: { effect: 'allow', scope: 'always' } }, 'secret', { rule: wider }];
    memento.set('permissions.rules', stored);
    assert.deepEqual([rules.rules, rules.rules], [[rule('a')], [rule('a')]]);
    assert.equal(warnings.length, 3);
    assert.doesNotMatch(warnings.join(), /secret|Mondays/);
    memento.set('permissions.rules', 'nonsense');
    assert.deepEqual(rules.rules, []);
  });

  it('are not so many that each question takes long', async () => {
    memento.set(
      'permissions.rules',
      Array.from({ length: 1_000 }, (_, index) => ({ rule: rule(`c${index}`) })),
    );
    await assert.rejects(rules.add(rule('more')), /Remove some/);
  });

  it('know since when they are and how often they were used, written together', async () => {
    clock.advance(5_000);
    await rules.add(rule('a'));
    const { writes } = memento;
    clock.advance(1_000);
    for (let use = 0; use < 100; use++) rules.recordUse(rule('a'));
    const used = { rule: rule('a'), createdAt: 5_000, lastUsedAt: 6_000, useCount: 100 };
    assert.deepEqual(rules.rulesWithUsage, [used]);
    assert.equal(memento.writes, writes);
    clock.advance(30_000);
    assert.equal(memento.writes, writes + 1);
    assert.deepEqual(rules.rulesWithUsage, [used]);
    assert.deepEqual(memento.get('permissions.rules'), [used]);
  });

  it('that another window has taken back stay gone, whatever use of them is still to be written', async () => {
    await rules.add(rule('a'));
    await rules.add(rule('b'));
    rules.recordUse(rule('a'));
    rules.recordUse(rule('b'));
    memento.set('permissions.rules', [{ rule: rule('b') }]);
    await rules.flush();
    assert.deepEqual(
      rules.rulesWithUsage.map(({ rule: { command }, useCount }) => [command, useCount]),
      [[['b'], 1]],
    );
    assert.equal(clock.pending, 0);
  });
});
