import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { PermissionRule } from '../../../../../src/permissions/common/rules/permissionRules';
import { permissionsView, type PermissionsViewInput } from '../../../../../src/permissions/common/page/permissionsView';
import {
  combineUserAndWorkspacePolicies,
  PolicyAnswer,
  withPolicyAnswer,
} from '../../../../../src/permissions/common/policy/policy';
import { allAgentsKey, policyKinds } from '../../../../../src/permissions/common/policy/policyKinds';

const view = (part: Partial<PermissionsViewInput>) =>
  permissionsView({
    policy: combineUserAndWorkspacePolicies(undefined, []),
    agents: [],
    storedRules: [],
    grants: [],
    ...part,
  });

describe('permissionsView', () => {
  it('has a row for all agents, for each there is, and for each that only the setting names', () => {
    const policy = combineUserAndWorkspacePolicies({ gone: { run: 'deny' }, '*': { run: 'ask' } }, []);
    const { policy: rows } = view({ policy, agents: [{ id: 'demo', title: 'Demo' }] });
    assert.deepEqual(
      rows.map(({ agent, title, cells }) => [agent, title, cells.run]),
      [
        ['*', 'All agents', { choice: 'ask' }],
        ['demo', 'Demo', { choice: 'inherit' }],
        ['gone', 'gone', { choice: 'deny' }],
      ],
    );
  });

  it('has only the kinds that the policy governs for an agent', () => {
    const policy = combineUserAndWorkspacePolicies({ amp: { edit: 'deny' } }, []);
    const rows = view({ policy, agents: [{ id: 'amp', title: 'Amp', kinds: ['read', 'edit'] }] }).policy;
    assert.deepEqual(rows[1]?.cells, { read: { choice: 'inherit' }, edit: { choice: 'deny' } });
    assert.equal(rows.length, 2);
  });

  it('shows where the workspace is stricter than the user settings', () => {
    const policy = combineUserAndWorkspacePolicies({ '*': { run: 'allow', read: 'deny' } }, [
      { '*': { run: 'ask', read: 'ask' } },
    ]);
    const [forAll, demo] = view({ policy, agents: [{ id: 'demo', title: 'Demo' }] }).policy;
    assert.deepEqual(forAll?.cells.run, { choice: 'allow', stricter: 'ask' });
    assert.deepEqual(forAll.cells.read, { choice: 'deny' });
    assert.deepEqual(demo?.cells.run, { choice: 'inherit', stricter: 'ask' });
  });

  it('says of a rule what it matches, for whom, since when and how often it was used', () => {
    const rule: PermissionRule = {
      effect: 'allow',
      agent: 'demo',
      kind: 'execute',
      command: ['npm', 'test'],
      cwd: '/ws',
      env: { CI: '1' },
      scope: 'always',
    };
    const day = Date.UTC(2026, 10, 22, 12);
    const agents = [{ id: 'demo', title: 'Demo' }];
    const [row] = view({ agents, storedRules: [{ rule, createdAt: day, lastUsedAt: day, useCount: 2 }] }).rules;
    assert.equal(row?.title, 'Run "npm test"');
    assert.deepEqual(row.matches, ['in /ws', 'with CI=1']);
    assert.equal(row.who, 'Demo');
    assert.equal(row.facts, 'created Nov 22, 2026 · used 2 times, last on Nov 22, 2026');
    const [unused] = view({ agents, storedRules: [{ rule, useCount: 0 }] }).rules;
    assert.equal(unused?.facts, 'never used');
  });

  it('shows what an agent remembers with what was answered, without a way to remove it', () => {
    const grant = {
      kind: 'remembered',
      agentId: 'demo',
      agentTitle: 'Demo\u202e',
      effect: 'deny',
      optionLabel: 'Never\u202e',
    } as const;
    const [row] = view({ grants: [{ id: 'grant-1', grant }] }).rules;
    assert.equal(row?.effect, 'deny');
    assert.equal(row.canRemove, false);
    assert.equal(row.remembers, 'demo', 'the agent to restart');
    assert.doesNotMatch(`${row.title}${row.who}${row.facts}`, /\u202e/);
  });
});

describe('withPolicyAnswer', () => {
  const agents = fc.constantFrom('demo', allAgentsKey, 'constructor', 'other');
  const entries = fc.dictionary(
    fc.constantFrom(...policyKinds, 'unknown'),
    fc.oneof(fc.constantFrom(...PolicyAnswer.options), fc.integer()),
  );
  const tables = fc.dictionary(agents, fc.oneof(entries, fc.string()));

  it('sets one choice, leaves every other as it was, and keeps what it does not know', () => {
    fc.assert(
      fc.property(
        fc.oneof(tables, fc.string(), fc.constant(undefined)),
        agents,
        fc.constantFrom(...policyKinds),
        fc.option(fc.constantFrom(...PolicyAnswer.options), { nil: undefined }),
        (value, agent, kind, answer) => {
          const written = withPolicyAnswer(value, agent, kind, answer);
          const before = combineUserAndWorkspacePolicies(value, []);
          const after = combineUserAndWorkspacePolicies(written, []);
          assert.equal(after.userPolicies.get(agent)?.[kind], answer);
          if (typeof value !== 'object') return;
          for (const [other, policy] of before.userPolicies) {
            for (const name of policyKinds) {
              const isReplaced = other === agent && (name === kind || typeof value[agent] === 'string');
              if (!isReplaced) assert.equal(after.userPolicies.get(other)?.[name], policy[name], `${other} ${name}`);
            }
          }
        },
      ),
    );
  });
});
