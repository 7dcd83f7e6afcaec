import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decideRequest, type Decision, type DecisionContext } from '../../../../src/permissions/common/decide';
import { createNarrowestRule, type PermissionRule } from '../../../../src/permissions/common/rules/permissionRules';
import type { AgentPolicy } from '../../../../src/permissions/common/policy/policy';
import { createFileRequest, type ToolRequest } from '../../../../src/permissions/common/requests/toolRequest';
import { RuleGlobs } from '../../../../src/permissions/common/rules/ruleGlobs';

const run: ToolRequest = { ...createFileRequest('demo', 'execute'), command: { argv: ['npm', 'test'], cwd: '/ws' } };
const edit = createFileRequest('demo', 'edit', '/ws/a.ts');
const protectedEdit = createFileRequest('demo', 'edit', '/ws/.vscode/tasks.json');
const made = (request: ToolRequest, effect: PermissionRule['effect']): PermissionRule => {
  const rule = createNarrowestRule(request, effect, 'always');
  assert.ok(rule);
  return rule;
};
const allAllowed: AgentPolicy = { read: 'allow', edit: 'allow', run: 'allow', fetch: 'allow' };
const globEdit: PermissionRule = { effect: 'allow', kind: 'edit', pathGlob: '/ws/**', scope: 'always' };

type Shown = 'allow by rule' | 'deny by rule' | 'allow by policy' | 'deny by policy' | `ask: ${string}`;

function shown(decision: Decision): Shown {
  if (decision.answer === 'ask') return `ask: ${decision.because}`;
  return `${decision.answer} by ${'rule' in decision ? 'rule' : 'policy'}`;
}

const rows: readonly [string, ToolRequest, Partial<DecisionContext>, Shown][] = [
  ['nothing said in advance', run, {}, 'ask: unsettled'],
  ['a rule that allows', run, { rules: [made(run, 'allow')] }, 'allow by rule'],
  [
    'a rule that allows before a policy that asks',
    run,
    { rules: [made(run, 'allow')], policy: { run: 'ask' } },
    'allow by rule',
  ],
  ['a policy that allows', run, { policy: { run: 'allow' } }, 'allow by policy'],
  [
    'a rule that denies first',
    run,
    { rules: [made(run, 'allow'), made(run, 'deny')], policy: allAllowed },
    'deny by rule',
  ],
  [
    'a policy that denies before a rule that allows',
    run,
    { rules: [made(run, 'allow')], policy: { run: 'deny' } },
    'deny by policy',
  ],
  ['a protected file whatever allows it', protectedEdit, { rules: [globEdit], policy: allAllowed }, 'ask: protected'],
  ['a protected file that a rule denies', protectedEdit, { rules: [made(protectedEdit, 'deny')] }, 'deny by rule'],
  ['a protected file that a policy denies', protectedEdit, { policy: { edit: 'deny' } }, 'deny by policy'],
  ['a protected file that is only read', { ...protectedEdit, kind: 'read' }, { policy: allAllowed }, 'allow by policy'],
  [
    'a protected file that a tool of no known kind names',
    { ...protectedEdit, kind: 'other' },
    { policy: allAllowed },
    'ask: protected',
  ],
  [
    'a protected file that a command names',
    { ...run, kind: 'read', paths: protectedEdit.paths },
    { policy: allAllowed },
    'ask: protected',
  ],
  [
    'something unresolved whatever allows it',
    { ...edit, isUnresolved: true },
    { rules: [globEdit], policy: allAllowed },
    'ask: unresolved',
  ],
  [
    'something unresolved that a rule denies',
    { ...edit, isUnresolved: true },
    { rules: [made(edit, 'deny')] },
    'deny by rule',
  ],
  [
    'something unresolved that a policy denies',
    { ...edit, isUnresolved: true },
    { policy: { edit: 'deny' } },
    'deny by policy',
  ],
  [
    'a lifted restriction under a policy that allows',
    { ...run, escalations: { sandbox: false } },
    { policy: allAllowed },
    'ask: escalation',
  ],
  [
    'a lifted restriction that a rule holds exactly',
    { ...run, input: { sandbox: 'false' }, escalations: { sandbox: false } },
    { rules: [made({ ...run, input: { sandbox: 'false' } }, 'allow')] },
    'allow by rule',
  ],
  ['an edit inside the workspace', edit, { policy: { edit: 'allow' } }, 'allow by policy'],
  ['an edit of files that are not named', { ...edit, paths: [] }, { policy: { edit: 'allow' } }, 'ask: unsettled'],
  [
    'a deletion under a policy that allows editing',
    { ...edit, kind: 'delete' },
    { policy: allAllowed },
    'ask: unsettled',
  ],
  [
    'a deletion under a policy that denies editing',
    { ...edit, kind: 'delete' },
    { policy: { edit: 'deny' } },
    'deny by policy',
  ],
  ['a command that calls itself reading', { ...run, kind: 'read' }, { policy: { read: 'allow' } }, 'ask: unsettled'],
  [
    'a command that calls itself reading where running is denied',
    { ...run, kind: 'read' },
    { policy: { read: 'allow', run: 'deny' } },
    'deny by policy',
  ],
  [
    'reading from the network',
    { ...createFileRequest('demo', 'read'), input: { url: '"https://x.example"' } },
    { policy: { read: 'allow' } },
    'ask: unsettled',
  ],
  [
    'fetching',
    { ...createFileRequest('demo', 'fetch'), input: { url: '"https://x.example"', prompt: '"what"' } },
    { policy: { fetch: 'allow' } },
    'allow by policy',
  ],
  [
    'fetching a file',
    { ...createFileRequest('demo', 'fetch'), input: { url: '"file:///etc/passwd"' } },
    { policy: allAllowed },
    'ask: unsettled',
  ],
  [
    'fetching with a body',
    { ...createFileRequest('demo', 'fetch'), input: { url: '"https://x.example"', body: '"secret"' } },
    { policy: allAllowed },
    'ask: unsettled',
  ],
  [
    'a search with the members of one',
    { ...createFileRequest('demo', 'search'), input: { pattern: '"a+"', glob: '"*.{ts,js}"', path: 'null' } },
    { policy: { read: 'allow' } },
    'allow by policy',
  ],
  [
    'a search outside of its folder',
    { ...createFileRequest('demo', 'search'), input: { pattern: '"../../**"' } },
    { policy: allAllowed },
    'ask: unsettled',
  ],
  [
    'a known member with a value of no known shape',
    { ...createFileRequest('demo', 'read', '/ws/a'), input: { pages: '{"script":"x"}' } },
    { policy: allAllowed },
    'ask: unsettled',
  ],
  [
    'a command in the background',
    { ...run, input: { run_in_background: 'true' } },
    { policy: { run: 'allow' } },
    'allow by policy',
  ],
  [
    'a command with a variable that only tells it something',
    { ...run, env: { CI: '1' } },
    { policy: { run: 'allow' } },
    'allow by policy',
  ],
  ...['LD_PRELOAD', 'Path', 'NODE_OPTIONS'].map((name): [string, ToolRequest, Partial<DecisionContext>, Shown] => [
    `a command with ${name}`,
    { ...run, env: { [name]: '/ws/x' } },
    { policy: allAllowed },
    'ask: escalation',
  ]),
  [
    'a command with a variable that a rule holds exactly',
    { ...run, env: { LD_PRELOAD: '/ws/x' } },
    { rules: [made({ ...run, env: { LD_PRELOAD: '/ws/x' } }, 'allow')] },
    'allow by rule',
  ],
  ['what has no kind of its own', createFileRequest('demo', 'other'), { policy: allAllowed }, 'ask: unsettled'],
];

const ofPolicy = ['read', 'search', 'edit', 'execute', 'fetch'] as const;

function requestOf(kind: (typeof ofPolicy)[number]): ToolRequest {
  if (kind === 'execute') return run;
  const address = { ...createFileRequest('demo', kind), input: { url: '"https://x.example"' } };
  return kind === 'fetch' ? address : createFileRequest('demo', kind, '/ws/a.ts');
}

describe('a policy that allows everything', () => {
  for (const kind of ofPolicy) {
    const standing: DecisionContext = {
      rules: [],
      policy: allAllowed,
      globs: new RuleGlobs(),
      isProtected: () => false,
    };
    const request = requestOf(kind);

    it(`allows no ${kind} with a member that is not known`, () => {
      assert.equal(shown(decideRequest(request, standing)), 'allow by policy');
      fc.assert(
        fc.property(fc.string(), fc.jsonValue(), (name, value) => {
          fc.pre(value !== null);
          const input = { ...request.input, [`x_${name}`]: JSON.stringify(value) };
          assert.equal(shown(decideRequest({ ...request, input }, standing)), 'ask: unsettled');
        }),
      );
      const script = { ...request, input: { ...request.input, script: '"curl x | sh"' } };
      assert.equal(shown(decideRequest(script, standing)), 'ask: unsettled');
    });

    it(`allows no ${kind} that names nothing`, () => {
      assert.equal(shown(decideRequest(createFileRequest('demo', kind), standing)), 'ask: unsettled');
    });

    if (kind === 'execute') continue;
    it(`allows no ${kind} with an environment`, () => {
      assert.equal(shown(decideRequest({ ...request, env: { CI: '1' } }, standing)), 'ask: unsettled');
    });
  }
});

describe('what becomes of a request', () => {
  for (const [what, request, standing, expected] of rows) {
    it(`${what}: ${expected}`, () => {
      const isProtected = (path: string): boolean => path.includes('.vscode');
      assert.equal(
        shown(decideRequest(request, { rules: [], policy: {}, globs: new RuleGlobs(), isProtected, ...standing })),
        expected,
      );
    });
  }
});
