import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ToolKind } from '../../../../../src/session/common/sessionEvents';
import {
  ruleMatches,
  createNarrowestRule,
  PermissionRule,
} from '../../../../../src/permissions/common/rules/permissionRules';
import { describeRule, describeLastingAnswer, ruleTitle } from '../../../../../src/permissions/common/rules/ruleWords';
import { createFileRequest, type ToolRequest } from '../../../../../src/permissions/common/requests/toolRequest';
import { parseToolInput } from '../../../../../src/permissions/common/requests/toolInput';
import { RuleGlobs } from '../../../../../src/permissions/common/rules/ruleGlobs';

const globs = new RuleGlobs();
const run: ToolRequest = { ...createFileRequest('demo', 'execute'), command: { argv: ['npm', 'test'], cwd: '/ws' } };
const edit = createFileRequest('demo', 'edit', '/ws/src/a.ts');
const read = createFileRequest('demo', 'read', '/ws/src/a.ts');
const allow = (members: Partial<PermissionRule>): PermissionRule => ({ effect: 'allow', scope: 'always', ...members });
const deny = (members: Partial<PermissionRule>): PermissionRule => ({ effect: 'deny', scope: 'always', ...members });
const rawInput = '{"path":"/ws/a"}';
const otherOn = (tool: string): ToolRequest => ({ ...createFileRequest('demo', 'other', '/ws/a'), tool, rawInput });
const listing = allow({ kind: 'other', tool: 'list', rawInput, paths: ['/ws/a'] });
/** As rules were made before they knew of `kind`, `env` and `input` of commands. */
const older = allow({ agent: 'demo', command: ['npm', 'test'], cwd: '/ws' });

describe('a permission rule', () => {
  const rows: readonly [string, PermissionRule, ToolRequest, boolean][] = [
    ['allows the exact command in its folder', older, run, true],
    ['does not allow it for another agent', older, { ...run, agent: 'other' }, false],
    [
      'does not allow it in another folder',
      older,
      { ...run, command: { argv: ['npm', 'test'], cwd: '/ws/sub' } },
      false,
    ],
    ['does not allow a longer command', older, { ...run, command: { argv: ['npm', 'test', '-f'], cwd: '/ws' } }, false],
    [
      'does not allow the same words cut elsewhere',
      older,
      { ...run, command: { argv: ['npm test'], cwd: '/ws' } },
      false,
    ],
    ['does not allow it with an environment it knows nothing of', older, { ...run, env: { CI: '1' } }, false],
    ['does not allow it with members it knows nothing of', older, { ...run, input: { login: 'true' } }, false],
    ['does not allow it for files it knows nothing of', older, { ...run, paths: ['/ws/a'] }, false],
    ['of the kind other does not say which tool', allow({ kind: 'other', paths: ['/ws/a'] }), otherOn('list'), false],
    ['allows the tool that it names', listing, otherOn('list'), true],
    ['does not allow another tool on the same file', listing, otherOn('delete'), false],
    ['does not allow it with another input', listing, { ...otherOn('list'), rawInput: '{}' }, false],
    [
      'does not allow it without an input',
      listing,
      { ...createFileRequest('demo', 'other', '/ws/a'), tool: 'list' },
      false,
    ],
    ['does not allow a tool without a name', listing, createFileRequest('demo', 'other', '/ws/a'), false],
    ['denies every tool of a kind on a file', deny({ kind: 'other', paths: ['/ws/a'] }), otherOn('delete'), true],
    ['does not allow it as another kind of tool', older, { ...run, kind: 'other' }, false],
    [
      'allows a command with the environment it holds',
      { ...older, env: { CI: '1' } },
      { ...run, env: { CI: '1' } },
      true,
    ],
    ['does not allow it without that environment', { ...older, env: { CI: '1' } }, run, false],
    [
      'does not allow it with more of it',
      { ...older, env: { CI: '1' } },
      { ...run, env: { CI: '1', PATH: '/x' } },
      false,
    ],
    ['without a folder allows no command', allow({ command: ['npm', 'test'] }), run, false],
    ['about a kind alone allows no command', allow({ kind: 'execute' }), run, false],
    ['about a kind alone allows nothing that names files', allow({ kind: 'read' }), read, false],
    [
      'about a kind alone allows what names nothing',
      allow({ kind: 'think' }),
      createFileRequest('demo', 'think'),
      true,
    ],
    ['allows reading below a folder', allow({ kind: 'read', pathGlob: '/ws/**' }), read, true],
    ['allows no editing by that', allow({ kind: 'read', pathGlob: '/ws/**' }), edit, false],
    ['allows a glob that has every path', allow({ kind: 'edit', pathGlob: '/ws/src/**' }), edit, true],
    [
      'does not allow when one path is outside its glob',
      allow({ pathGlob: '/ws/src/**' }),
      { ...edit, paths: [...edit.paths, '/ws/package.json'] },
      false,
    ],
    ['about paths does not allow what names none', allow({ pathGlob: '/ws/**' }), { ...edit, paths: [] }, false],
    ['does not take a folder for its longer sibling', allow({ pathGlob: '/ws/s/**' }), edit, false],
    ['about files allows no command', allow({ pathGlob: '/ws/**' }), { ...run, kind: 'edit', paths: ['/ws/a'] }, false],
    ['allows nothing unresolved', allow({ pathGlob: '/ws/**' }), { ...edit, isUnresolved: true }, false],
    [
      'about one file allows no second one',
      allow({ kind: 'edit', paths: ['/ws/a'] }),
      createFileRequest('demo', 'edit', '/ws/a', '/ws/b'),
      false,
    ],
    [
      'matches an exact path with glob characters',
      allow({ pathGlob: '/ws/[id].ts' }),
      createFileRequest('demo', 'edit', '/ws/[id].ts'),
      true,
    ],
    [
      'matches paths of Windows',
      allow({ pathGlob: 'C:/ws/**' }),
      createFileRequest('demo', 'edit', 'C:\\ws\\a.ts'),
      true,
    ],
    [
      'denies when one of the paths matches',
      deny({ pathGlob: '/ws/**/*.ts' }),
      createFileRequest('demo', 'edit', '/x', '/ws/a.ts'),
      true,
    ],
    ['denies what is unresolved', deny({ pathGlob: '/ws/**' }), { ...edit, isUnresolved: true }, true],
    ['denies a command however it is cut', deny({ command: ['npm test'] }), run, true],
    [
      'denies a command in any folder',
      deny({ command: ['npm', 'test'] }),
      { ...run, command: { argv: ['npm', 'test'], cwd: '/x' } },
      true,
    ],
    [
      'denies a command whatever is added',
      deny({ command: ['npm', 'test'] }),
      { ...run, env: { A: '1' }, input: { b: '1' } },
      true,
    ],
    ['denies one variable among others', deny({ env: { A: '1' } }), { ...run, env: { A: '1', B: '2' } }, true],
    ['does not deny another value of it', deny({ env: { A: '1' } }), { ...run, env: { A: '2' } }, false],
    ['denies one member among others', deny({ input: { a: '1' } }), { ...run, input: { a: '1', b: '2' } }, true],
    ['denies every file of a kind', deny({ kind: 'edit' }), edit, true],
  ];
  for (const [behaviour, rule, request, expected] of rows) {
    it(behaviour, () => assert.equal(ruleMatches(rule, request, globs), expected));
  }

  it('is invalid if it would allow everything or has an unknown member', () => {
    assert.equal(PermissionRule.safeParse(allow({})).success, false);
    assert.equal(PermissionRule.safeParse(deny({})).success, true);
    assert.equal(PermissionRule.safeParse({ ...older, unless: 'Monday' }).success, false);
  });

  it('is only made of what is known, about a command or one file, and not too long to keep', () => {
    assert.equal(createNarrowestRule({ ...edit, isUnresolved: true }, 'allow', 'always'), undefined);
    assert.equal(createNarrowestRule({ ...edit, paths: ['/a', '/b'] }, 'allow', 'always'), undefined);
    assert.equal(createNarrowestRule(createFileRequest('demo', 'fetch'), 'allow', 'always'), undefined);
    const long = { ...run, command: { argv: ['sh', '-c', 'x'.repeat(20_000)], cwd: '/ws' } };
    assert.equal(createNarrowestRule(long, 'allow', 'always'), undefined);
  });

  it('is described in text that its contents cannot manipulate', () => {
    const full = { ...run, env: { CI: '1' }, input: { login: 'true' } };
    const made = createNarrowestRule(full, 'allow', 'session');
    assert.ok(made);
    assert.equal(
      describeRule(made),
      'Allow running "npm test" in /ws with CI=1 with login: true by demo, in this conversation',
    );
    assert.equal(describeRule(allow({ pathGlob: '/ws/\u202ea' })), 'Allow using any tool in /ws/[U+202E]a, always');
    const edits = allow({ kind: 'edit', pathGlob: '/ws/**' });
    assert.equal(describeRule(edits), 'Allow editing files in /ws/**, always');
    assert.equal(ruleTitle(edits), 'Edit files');
    const one = allow({ kind: 'read', paths: ['/ws/a'] });
    assert.equal(describeRule(one), 'Allow reading files at /ws/a, always');
  });

  it('has a short scope', () => {
    const scope = (request: ToolRequest, lasts: 'session' | 'always') => {
      const made = createNarrowestRule(request, 'allow', lasts);
      assert.ok(made);
      return describeLastingAnswer(made, { agentTitle: 'Demo', folder: '/ws' });
    };
    assert.equal(scope(run, 'session'), 'any "npm test" in this folder, this conversation');
    assert.equal(scope(run, 'always'), 'any "npm test" in this folder, every conversation with Demo');
    assert.equal(scope(edit, 'session'), 'editing src/a.ts, this conversation');
    assert.equal(
      scope(otherOn('list'), 'session'),
      'using the tool “list” with exactly this input on a, this conversation',
    );
    const inLib = { ...run, command: { argv: ['npm test'], cwd: '/ws/lib' }, env: { A: '1', B: '2' } };
    assert.equal(scope(inLib, 'session'), 'any "npm test" in lib with A=1 and B=2, this conversation');
    const escalated = { ...run, input: { sandbox: 'false' } };
    assert.equal(scope(escalated, 'session'), 'any "npm test" in this folder with the same sandbox, this conversation');
  });
});

const word = fc.oneof(fc.constantFrom('PATH', 'a', 'env', 'sandbox', 'constructor', 'toString', ''), fc.string());
const name = word.filter((text) => text !== '__proto__');
const record = fc.dictionary(name, word, { maxKeys: 4 });
const path = fc.oneof(
  fc.constantFrom('/ws/a', '/ws/*', '/ws/[a]', 'C:\\ws\\a'),
  fc.string().map((text) => `/ws/${text}`),
);
const kind = fc.constantFrom(...ToolKind.unwrap().options);
const argv = fc.array(word, { minLength: 1, maxLength: 4 });
const requests: fc.Arbitrary<ToolRequest> = fc
  .record({
    agent: word,
    kind,
    tool: word,
    rawInput: word,
    paths: fc.uniqueArray(path, { maxLength: 3 }),
    command: fc.option(fc.record({ argv, cwd: path }), { nil: undefined }),
    env: record,
    input: record,
  })
  .map(({ command, paths, ...rest }) => ({
    ...rest,
    // Without a command a rule is about one file.
    paths: command ? paths : [paths[0] ?? '/ws/a'],
    ...(command ? { command } : {}),
    escalations: {},
    isUnresolved: false,
  }));

/** The same record with one entry more, less or changed. */
function changed(entries: Readonly<Record<string, string>>): fc.Arbitrary<Readonly<Record<string, string>>> {
  const names = Object.keys(entries);
  const added = fc
    .tuple(
      name.filter((text) => !Object.hasOwn(entries, text)),
      word,
    )
    .map(([key, value]) => ({ ...entries, [key]: value }));
  if (names.length === 0) return added;
  const one = fc.constantFrom(...names);
  const removed = one.map((key) => Object.fromEntries(Object.entries(entries).filter(([other]) => other !== key)));
  const other = fc
    .tuple(one, word)
    .filter(([key, value]) => entries[key] !== value)
    .map(([key, value]) => ({ ...entries, [key]: value }));
  return fc.oneof(added, removed, other);
}

/** The request with one change that could make it do something else. */
function changes(request: ToolRequest): fc.Arbitrary<ToolRequest> {
  const { agent, command, env, input, paths } = request;
  const all: fc.Arbitrary<ToolRequest>[] = [
    word.filter((other) => other !== agent).map((other) => ({ ...request, agent: other })),
    kind.filter((other) => other !== request.kind).map((other) => ({ ...request, kind: other })),
    path.filter((other) => !paths.includes(other)).map((other) => ({ ...request, paths: [...paths, other] })),
    fc.constant({ ...request, isUnresolved: true }),
  ];
  if (request.kind !== 'other') {
    all.push(changed(env).map((other) => ({ ...request, env: other })));
    all.push(changed(input).map((other) => ({ ...request, input: other })));
  } else {
    // The whole input has both.
    all.push(word.filter((other) => other !== request.rawInput).map((rawInput) => ({ ...request, rawInput })));
    all.push(word.filter((other) => other !== request.tool).map((tool) => ({ ...request, tool })));
  }
  if (paths.length > 0) all.push(fc.constant({ ...request, paths: paths.slice(1) }));
  if (command) {
    const sameArgv = (other: readonly string[]): boolean => JSON.stringify(other) === JSON.stringify(command.argv);
    all.push(
      argv.filter((other) => !sameArgv(other)).map((other) => ({ ...request, command: { ...command, argv: other } })),
      word.map((more) => ({ ...request, command: { ...command, argv: [...command.argv, more] } })),
      path.filter((cwd) => cwd !== command.cwd).map((cwd) => ({ ...request, command: { ...command, cwd } })),
      fc.constant({ agent, kind: request.kind, paths, env, input, escalations: {}, isUnresolved: false }),
    );
  } else all.push(fc.record({ argv, cwd: path }).map((other) => ({ ...request, command: other })));
  return fc.oneof(...all);
}

describe('a program whose name reads as a command line', () => {
  const line: ToolRequest = { ...run, command: { argv: ['git status'], cwd: '/ws' } };
  const program: ToolRequest = { ...run, command: { argv: ['git status'], cwd: '/ws', isProgram: true } };

  it('is not allowed by the rule for the line, and the other way round', () => {
    for (const [made, other] of [
      [line, program],
      [program, line],
    ] as const) {
      const rule = createNarrowestRule(made, 'allow', 'always');
      assert.ok(rule);
      assert.deepEqual(
        [ruleMatches(rule, made, new RuleGlobs()), ruleMatches(rule, other, new RuleGlobs())],
        [true, false],
      );
      const denial = createNarrowestRule(made, 'deny', 'always');
      assert.ok(denial && ruleMatches(denial, other, new RuleGlobs()), 'a denial holds for both');
    }
    const titles = [line, program]
      .map((made) => createNarrowestRule(made, 'allow', 'always'))
      .map((rule) => rule && ruleTitle(rule));
    assert.deepEqual(titles, ['Run "git status"', "Run the program 'git status'"]);
  });

  it('is recognized in the input of a tool', () => {
    const isProgram = (input: Record<string, unknown>) => parseToolInput(input, false).isProgram;
    assert.deepEqual(
      [{ command: 'git status' }, { command: ['git status'] }, { command: ['git', 'status'] }, { command: ['ls'] }].map(
        isProgram,
      ),
      [undefined, true, undefined, undefined],
    );
  });
});

describe('the rule made by an answer for always', () => {
  it('allows the same request, also when it has been kept, and none that differs in anything', () => {
    const withChange = requests.chain((request) => fc.tuple(fc.constant(request), changes(request)));
    fc.assert(
      fc.property(withChange, ([request, other]) => {
        const rule = createNarrowestRule(request, 'allow', 'always');
        assert.ok(rule);
        const kept = PermissionRule.parse(JSON.parse(JSON.stringify(rule)));
        assert.deepEqual(kept, rule);
        assert.equal(ruleMatches(kept, request, globs), true);
        assert.equal(ruleMatches(kept, { ...request, paths: [...request.paths].reverse() }, globs), true);
        assert.equal(ruleMatches(kept, other, globs), false);
      }),
      { numRuns: 2_000 },
    );
  });

  it('allows of files just what its few words say, and a denial no less', () => {
    const place = fc.constantFrom('/ws/a.ts', '/ws/src/a.ts', '/ws/a.ts/b', '/ws', '/ws2/a.ts', '/ws/*', '/ws/A.ts');
    const request = fc
      .record({
        agent: fc.constantFrom('demo', 'other'),
        // The kind `other` compares the whole input.
        kind: fc.constantFrom(...ToolKind.unwrap().options.filter((one) => one !== 'other')),
        tool: fc.constantFrom('list', 'delete'),
        paths: fc.uniqueArray(place, { minLength: 0, maxLength: 2 }),
        env: fc.constantFrom({}, { A: '1' }),
        input: fc.constantFrom({}, { sandbox: 'false' }, { sandbox: 'true' }),
      })
      .map((members): ToolRequest => ({ ...createFileRequest('', 'read'), ...members }));
    const scopeIn = (rule: PermissionRule): string =>
      describeLastingAnswer(rule, { agentTitle: rule.agent ?? '', folder: '/ws' });
    fc.assert(
      fc.property(request, request, fc.constantFrom('session', 'always'), (asked, later, lasts) => {
        const rule = createNarrowestRule(asked, 'allow', lasts);
        const other = createNarrowestRule(later, 'allow', lasts);
        // About no file, or several, there are no words that are short and right.
        assert.equal(rule === undefined, asked.paths.length !== 1);
        if (!rule) return;
        const isSaid =
          other !== undefined &&
          asked.agent === later.agent &&
          scopeIn(rule) === scopeIn(other) &&
          asked.input['sandbox'] === later.input['sandbox'];
        assert.equal(ruleMatches(rule, later, globs), isSaid, `${scopeIn(rule)} for ${JSON.stringify(later)}`);
        const denial = createNarrowestRule(asked, 'deny', lasts);
        assert.ok(denial && (!isSaid || ruleMatches(denial, later, globs)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('denies the same request also with anything added to it', () => {
    const withMore = requests.chain((request) => fc.tuple(fc.constant(request), record, record));
    fc.assert(
      fc.property(withMore, ([request, env, input]) => {
        const rule = createNarrowestRule(request, 'deny', 'always');
        assert.ok(rule);
        assert.equal(ruleMatches(rule, request, globs), true);
        const other = { ...request, env: { ...request.env, ...env }, input: { ...request.input, ...input } };
        assert.equal(ruleMatches(rule, { ...other, isUnresolved: true }, globs), true);
      }),
    );
  });
});
