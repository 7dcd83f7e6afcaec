import assert from 'node:assert/strict';
import {
  combineUserAndWorkspacePolicies,
  limitPolicy,
  policyKindsOfRequest,
} from '../../../../../src/permissions/common/policy/policy';
import { createFileRequest } from '../../../../../src/permissions/common/requests/toolRequest';

const of = (agent: string, user: unknown, ...workspace: unknown[]) =>
  combineUserAndWorkspacePolicies(user, workspace).forAgent(agent);

describe('the policy of permissions', () => {
  it('decides nothing without settings', () => {
    assert.deepEqual(of('demo', undefined), {});
    assert.deepEqual(of('demo', {}), {});
  });

  it("takes an agent's own entry before that of every agent, kind by kind", () => {
    const user = { '*': { read: 'allow', run: 'ask' }, demo: { run: 'allow' } };
    assert.deepEqual(of('demo', user), { read: 'allow', run: 'allow' });
    assert.deepEqual(of('other', user), { read: 'allow', run: 'ask' });
  });

  it('can be limited for a session, and never widened', () => {
    const policy = { read: 'allow', edit: 'ask', run: 'deny' } as const;
    assert.deepEqual(limitPolicy(policy, {}), policy);
    assert.deepEqual(limitPolicy(policy, { read: 'ask', edit: 'deny', run: 'ask', fetch: 'ask' }), {
      read: 'ask',
      edit: 'deny',
      run: 'deny',
      fetch: 'ask',
    });
    assert.deepEqual(limitPolicy(policy, { read: 'allow', edit: 'allow', run: 'allow', fetch: 'allow' }), policy);
  });

  it('is combined once for each agent', () => {
    const policy = combineUserAndWorkspacePolicies({ '*': { read: 'ask' } }, []);
    assert.equal(policy.forAgent('demo'), policy.forAgent('demo'));
    assert.notEqual(policy.forAgent('demo'), policy.forAgent('other'));
  });

  it('becomes stricter by workspace settings, never more permissive', () => {
    const user = { '*': { read: 'allow', edit: 'ask', run: 'deny' } };
    assert.deepEqual(of('demo', user, { '*': { read: 'ask', edit: 'deny', run: 'allow', fetch: 'allow' } }), {
      read: 'ask',
      edit: 'deny',
      run: 'deny',
    });
    assert.deepEqual(of('demo', user, { '*': { edit: 'allow' } }, { demo: { read: 'deny' } }), {
      read: 'deny',
      edit: 'ask',
      run: 'deny',
    });
    assert.deepEqual(of('demo', {}, { '*': { read: 'ask' } }), { read: 'ask' }, 'asking is stricter than nothing');
  });

  it('reports invalid values, which count as ask', () => {
    const cases: readonly [unknown, unknown, RegExp][] = [
      ['deny', { read: 'ask', edit: 'ask', run: 'ask', fetch: 'ask' }, /is not an object/],
      [{ '*': 'allow' }, { read: 'ask', edit: 'ask', run: 'ask', fetch: 'ask' }, /entry for "\*"/],
      [{ demo: { run: 'yes', read: 'allow' } }, { run: 'ask', read: 'allow' }, /"run" for "demo"/],
      [{ demo: { delete: 'deny' } }, {}, /unknown property "delete"/],
    ];
    for (const [user, expected, problem] of cases) {
      assert.deepEqual(of('demo', user), expected);
      assert.match(combineUserAndWorkspacePolicies(user, []).problems.join('; '), problem);
    }
    assert.deepEqual(of('demo', { '*': { run: 'allow' } }, { '*': { run: 7 } }), { run: 'ask' });
    assert.match(
      combineUserAndWorkspacePolicies({}, [{ '*': { run: 'allow' } }]).problems.join(),
      /can only be stricter/,
    );
    assert.deepEqual(
      combineUserAndWorkspacePolicies({ '*': { run: 'allow' } }, [{ '*': { run: 'ask' } }]).problems,
      [],
    );
  });

  it("keeps the user's own words apart, for whoever shows and changes them", () => {
    const policy = combineUserAndWorkspacePolicies({ '*': { run: 'allow' } }, [{ '*': { run: 'deny' } }]);
    assert.deepEqual([...policy.userPolicies], [['*', { run: 'allow' }]]);
  });

  it('is about every kind that a request may be of', () => {
    assert.deepEqual(policyKindsOfRequest(createFileRequest('demo', 'search')), ['read']);
    assert.deepEqual(policyKindsOfRequest(createFileRequest('demo', 'delete', '/a')), ['edit']);
    assert.deepEqual(policyKindsOfRequest(createFileRequest('demo', 'other')), []);
    const hidden = {
      ...createFileRequest('demo', 'read'),
      command: { argv: ['cat'], cwd: '/' },
      input: { url: '"https://x"' },
    };
    assert.deepEqual(policyKindsOfRequest(hidden), ['read', 'run', 'fetch']);
  });
});
