import assert from 'node:assert/strict';
import type { AmplifierEvent } from '../../../../src/amplifier/common/events';
import { Approvals, type ApprovalOption } from '../../../../src/acp/common/approvals';
import {
  decide,
  describeRule,
  narrowRule,
  PermissionRule,
  type ToolFacts,
} from '../../../../src/acp/common/permissionRules';
import { permissionContext, permissionPrompt, toolFacts } from '../../../../src/acp/common/toolFacts';
import { FakeClock } from '../../../fake/fakeClock';

const command: ToolFacts = {
  agent: 'demo',
  kind: 'execute',
  paths: [],
  command: { argv: ['npm', 'test'], cwd: '/ws' },
};
const edit: ToolFacts = { agent: 'demo', kind: 'edit', paths: ['/ws/src/a.ts'] };
const rule = (members: Partial<PermissionRule>): PermissionRule => ({ effect: 'allow', scope: 'always', ...members });

describe('permission rules', () => {
  const cases: readonly [string, PermissionRule[], ToolFacts, 'allow' | 'deny' | undefined][] = [
    ['ask without a rule', [], command, undefined],
    ['allow the exact command', [rule({ command: ['npm', 'test'] })], command, 'allow'],
    ['ask for a longer command', [rule({ command: ['npm'] })], command, undefined],
    ['ask for the same words cut elsewhere', [rule({ command: ['npm test'] })], command, undefined],
    ['ask for the command in another folder', [rule({ command: ['npm', 'test'], cwd: '/ws/sub' })], command, undefined],
    ['ask for the command of another agent', [rule({ command: ['npm', 'test'], agent: 'other' })], command, undefined],
    ['allow a glob that has every path', [rule({ kind: 'edit', pathGlob: '/ws/src/**' })], edit, 'allow'],
    [
      'ask when one path is outside the glob',
      [rule({ pathGlob: '/ws/src/**' })],
      { ...edit, paths: [...edit.paths, '/ws/package.json'] },
      undefined,
    ],
    ['ask when a rule about paths meets no path', [rule({ pathGlob: '/ws/**' })], { ...edit, paths: [] }, undefined],
    ['not take a folder for its longer sibling', [rule({ pathGlob: '/ws/s/**' })], edit, undefined],
    ['deny when one of the paths matches', [rule({ effect: 'deny', pathGlob: '/ws/**/*.ts' })], edit, 'deny'],
    ['let deny win', [rule({ kind: 'edit' }), rule({ effect: 'deny', pathGlob: '/ws/src/**' })], edit, 'deny'],
    [
      'not let a rule about files allow a command',
      [rule({ pathGlob: '/ws/**' })],
      { ...command, paths: ['/ws/a'] },
      undefined,
    ],
    ['allow all commands when told so by kind', [rule({ kind: 'execute' })], command, 'allow'],
    [
      'match an exact path with glob characters',
      [rule({ pathGlob: '/ws/[id].ts' })],
      { ...edit, paths: ['/ws/[id].ts'] },
      'allow',
    ],
    [
      'ask for a path that the editor refused',
      [rule({ kind: 'edit' }), rule({ pathGlob: '/ws/**' })],
      { ...edit, isUnresolved: true },
      undefined,
    ],
    [
      'deny a path that the editor refused',
      [rule({ effect: 'deny', pathGlob: '/ws/**' })],
      { ...edit, isUnresolved: true },
      'deny',
    ],
    ['deny a command however it is cut', [rule({ effect: 'deny', command: ['npm test'] })], command, 'deny'],
    ['match Windows paths', [rule({ pathGlob: 'C:/ws/**' })], { ...edit, paths: ['C:\\ws\\a.ts'] }, 'allow'],
  ];
  for (const [behaviour, rules, facts, expected] of cases) {
    it(behaviour, () => assert.equal(decide(rules, facts), expected));
  }

  it('refuse a rule that would allow everything', () => {
    assert.equal(PermissionRule.safeParse(rule({})).success, false);
    assert.equal(PermissionRule.safeParse(rule({ effect: 'deny' })).success, true);
  });

  it('made by an answer are about the one path, whatever letters are in it', () => {
    for (const path of ['/ws/[id].ts', '/ws/{a,b}/*?.ts', '/ws/(x)/@(a|b)', '/ws/a\\b', 'C:\\ws\\[id].ts']) {
      const made = narrowRule({ ...edit, paths: [path] }, 'allow', 'always');
      assert.ok(made);
      assert.equal(decide([made], { ...edit, paths: [path] }), 'allow', path);
      for (const other of ['/ws/i.ts', '/ws/a/xy.ts', '/ws/x/a', '/ws/ab', 'C:\\ws\\i.ts']) {
        assert.equal(decide([made], { ...edit, paths: [other] }), undefined, `${path} ${other}`);
      }
    }
    assert.equal(narrowRule({ ...edit, isUnresolved: true }, 'allow', 'always'), undefined);
  });

  it('say in words what an answer for always would match', () => {
    const made = narrowRule(command, 'allow', 'session');
    assert.deepEqual(made, { effect: 'allow', agent: 'demo', command: ['npm', 'test'], cwd: '/ws', scope: 'session' });
    assert.equal(describeRule(made), 'Allow running "npm test" in /ws by demo, in this session');
    assert.equal(narrowRule({ ...edit, paths: ['/a', '/b'] }, 'allow', 'always'), undefined);
  });
});

describe('what a tool call touches', () => {
  const resolve = (path: string): Promise<string> =>
    path.startsWith('/ws')
      ? Promise.resolve(path.replace('/ws/link', '/ws/real'))
      : Promise.reject(new Error('outside'));
  const context = { agent: 'demo', cwd: '/ws', resolve };

  it('is read from places, diffs and input, with real paths, without repetition', async () => {
    const facts = await toolFacts(
      {
        title: 'Read /etc/passwd',
        kind: 'edit',
        locations: [{ path: '/ws/link/a.ts' }],
        content: [{ type: 'diff', path: '/ws/real/a.ts', newText: '' }],
        rawInput: { file_path: '/outside' },
      },
      context,
    );
    const paths = ['/ws/real/a.ts', '/outside'];
    assert.deepEqual(facts, { agent: 'demo', kind: 'edit', paths, isUnresolved: true });
    assert.equal(
      permissionPrompt('Demo', facts, { title: 'Read', cwd: '/ws' }),
      'Demo wants to edit /ws/real/a.ts, /outside',
    );
  });

  it('is a command line as one argument, or its arguments, in the folder it names', async () => {
    const call = { title: 'x', kind: 'execute' as const, locations: [], content: [] };
    const line = await toolFacts({ ...call, rawInput: { command: 'npm test' } }, context);
    assert.deepEqual(line.command, { argv: ['npm test'], cwd: '/ws' });
    const apart = await toolFacts({ ...call, rawInput: { command: 'git', args: ['push', '-f'] } }, context);
    assert.deepEqual(apart.command, { argv: ['git', 'push', '-f'], cwd: '/ws' }, 'arguments belong to the command');
    const argv = await toolFacts({ ...call, rawInput: { command: ['ls', '-l'], workdir: '/ws/link' } }, context);
    assert.deepEqual(argv, {
      agent: 'demo',
      kind: 'execute',
      paths: [],
      command: { argv: ['ls', '-l'], cwd: '/ws/real' },
    });
    assert.equal(permissionPrompt('Demo', argv, { title: undefined, cwd: '/ws' }), 'Demo wants to run ls -l in real');
    const outside = await toolFacts({ ...call, rawInput: { command: 'ls', cwd: '/etc' } }, context);
    assert.equal(outside.isUnresolved, true);
  });

  it('is told with names from the folder of the session, as far as it is known to be in there', () => {
    const about = { title: undefined, cwd: '/ws' };
    const prompt = (facts: ToolFacts) => permissionPrompt('Demo', facts, about);
    assert.equal(prompt(command), 'Demo wants to run npm test');
    const paths = ['/ws/src/a.ts', '/ws', '/wsx/b.ts'];
    assert.equal(prompt({ ...edit, paths }), 'Demo wants to edit src/a.ts, /ws, /wsx/b.ts');
    const refused = { ...edit, paths: ['/ws/../etc/passwd'], isUnresolved: true };
    assert.equal(prompt(refused), 'Demo wants to edit /ws/../etc/passwd');
    const windows = permissionPrompt('Demo', { ...edit, paths: ['C:\\ws\\a.ts'] }, { ...about, cwd: 'C:\\ws' });
    assert.equal(windows, 'Demo wants to edit a.ts');
  });

  it('is shown as the line it is, or as its arguments', () => {
    const call = { title: 'x', kind: 'execute' as const, locations: [], content: [], rawInput: {} };
    const shown = (argv: string[]) =>
      permissionContext(call, { ...command, command: { argv, cwd: '/ws' } }, { agent: 'Demo', mode: undefined })[
        'command'
      ];
    assert.equal(shown(['npm test']), 'npm test');
    assert.deepEqual(shown(['npm', 'test']), ['npm', 'test']);
  });

  it('is told in words that nothing in them can bend', () => {
    const argv = ['rm', '-rf', 'a b', "it's", '', 'x\n\u001b[2K\u202e'];
    const facts: ToolFacts = { ...command, command: { argv, cwd: '/ws' } };
    assert.equal(
      permissionPrompt('Demo', facts, { title: undefined, cwd: '/other' }),
      "Demo wants to run rm -rf 'a b' 'it'\\''s' '' 'x\\n\\u{1b}[2K\\u{202e}' in /ws",
    );
    assert.equal(
      permissionPrompt('Demo', { ...edit, paths: [] }, { title: 'Fine\r\u2066', cwd: '/ws' }),
      'Demo asks: Fine\\u{d}\\u{2066}',
    );
    const made = describeRule(rule({ pathGlob: '/ws/\u202ea' }));
    assert.equal(made, 'Allow every tool on /ws/\\u{202e}a, always');
  });
});

describe('questions to the user', () => {
  const options: ApprovalOption[] = [
    { name: 'Allow', kind: 'allow_once' },
    { name: 'allow ', kind: 'allow_always', matches: 'everything' },
    { name: 'Reject', kind: 'reject_once' },
  ];
  function open() {
    const clock = new FakeClock();
    const events: AmplifierEvent[] = [];
    const approvals = new Approvals('s1', clock, 300_000, (event) => events.push(event));
    const asked = approvals.ask({ prompt: 'May it?', options, context: { a: 1 }, callId: 'c1' });
    return { clock, events, approvals, asked };
  }

  it('are told with all their options: names that look alike say what they mean, and always says to what', () => {
    const [event] = open().events;
    assert.deepEqual(event, {
      event: 'approval:required',
      data: {
        session_id: 's1',
        approval_id: 'approval-1',
        prompt: 'May it?',
        options: ['Allow (allows once)', 'allow  (always allows)', 'Reject'],
        option_kinds: ['allow_once', 'allow_always', 'reject_once'],
        timeout: 300,
        default: 'deny',
        context: { a: 1, matches: { 'allow  (always allows)': 'everything' } },
        call_id: 'c1',
      },
    });
  });

  it('are answered by the name of an option', async () => {
    const { approvals, asked, clock, events } = open();
    approvals.answer('approval-1', 'allow  (always allows)');
    assert.deepEqual(await asked, { chosen: options[1] });
    assert.equal(events.at(-1)?.event, 'approval:granted');
    assert.equal(clock.pending, 0);
  });

  it('refuse an answer that is none of the options, a late one and one to no question', () => {
    const { approvals } = open();
    assert.throws(() => approvals.answer('approval-1', 'Allow'), { code: 'approvalInvalid' });
    approvals.answer('approval-1', 'Reject');
    assert.throws(() => approvals.answer('approval-1', 'Reject'), { code: 'approvalResolved' });
    assert.throws(() => approvals.answer('approval-9', 'Reject'), { code: 'approvalInvalid' });
  });

  it('are denied when nobody answers in time', async () => {
    const { asked, clock, events } = open();
    clock.advance(300_000);
    assert.deepEqual(await asked, { timedOut: true });
    assert.equal(events.at(-1)?.event, 'approval:denied');
  });

  it('are refused beyond 32, and not asked at all when nobody waits any more', async () => {
    const { approvals, events } = open();
    const ask = (signal?: AbortSignal) =>
      approvals.ask({ prompt: 'And?', options, context: {}, ...(signal ? { signal } : {}) });
    assert.equal(await ask(AbortSignal.abort()), undefined);
    const others = Array.from({ length: 31 }, () => ask());
    assert.deepEqual(await ask(), { refused: true });
    assert.equal(events.length, 32);
    approvals.withdrawAll();
    await Promise.all(others);
  });

  it('are denied when they are withdrawn, all of them or one', async () => {
    const { approvals, asked, events } = open();
    const controller = new AbortController();
    const other = approvals.ask({ prompt: 'And?', options, context: {}, signal: controller.signal });
    controller.abort();
    assert.equal(await other, undefined);
    approvals.withdrawAll();
    assert.equal(await asked, undefined);
    assert.equal(events.filter(({ event }) => event === 'approval:denied').length, 2);
  });
});
