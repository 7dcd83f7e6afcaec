import assert from 'node:assert/strict';
import { Approvals, tooManyApprovalsMessage } from '../../../../../src/session/common/engine/approvals';
import { toToolRequest } from '../../../../../src/acp/common/approvals/toolRequests';
import { PermissionRequest } from '../../../../../src/acp/common/v1/v1Schema';
import { PermissionService } from '../../../../../src/acp/node/session/permissionService';
import type { SessionEvent, ToolKind } from '../../../../../src/session/common/sessionEvents';
import type { SessionLimits } from '../../../../../src/session/common/sessionBackend';
import type { ToolCommand } from '../../../../../src/session/common/toolCaller';
import { nullLogger } from '../../../../../src/base/common/log';
import type { PermissionRule } from '../../../../../src/permissions/common/rules/permissionRules';
import { FakeClock } from '../../../../fake/fakeClock';
import { standingOf } from '../../../../fake/fakePermissions';

const { signal } = new AbortController();
const run = { argv: ['npm', 'test'], cwd: '/ws', env: {} };
const allowRun: PermissionRule = { effect: 'allow', command: run.argv, cwd: '/ws', scope: 'always' };
const allowEdits: PermissionRule = { effect: 'allow', kind: 'edit', pathGlob: '/ws/**', scope: 'always' };

function serviceOf(rules: readonly PermissionRule[] = [], permissions?: unknown, limits?: SessionLimits) {
  const events: SessionEvent[] = [];
  const turn = new AbortController();
  let current = turn;
  const approvals = new Approvals('s1', new FakeClock(), undefined, (event) => events.push(event));
  const standing = standingOf(rules, () => permissions);
  const service = new PermissionService({
    agentId: 'demo',
    agentTitle: 'Demo',
    cwd: '/ws',
    approvals,
    standing,
    limits,
    log: nullLogger,
    modeName: () => undefined,
    stopSignal: () => current.signal,
  });
  const beginTurn = () => void (current = new AbortController());
  return { approvals, service, events, standing, turn, beginTurn };
}
type Opened = ReturnType<typeof serviceOf>;

const options = [
  { optionId: 'yes', name: 'Allow\u202e', kind: 'allow_once' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];
const editing = { kind: 'edit' as ToolKind, rawInput: { file_path: '/ws/a.ts' } as Record<string, unknown> };
const executing = (rawInput: Record<string, unknown>) => ({ kind: 'execute' as ToolKind, rawInput });

/** Resolves when the question is there, or when it was answered without one. */
async function ask({ events, service }: Opened, offered = options, about = editing, members = {}, until = signal) {
  const request = PermissionRequest.parse({
    sessionId: 's1',
    toolCall: { toolCallId: 'c1', ...members },
    options: offered,
  });
  const call = { id: 'c1', name: undefined, title: 'Do it', content: [], locations: [], ...about };
  const wanted = await toToolRequest(call, {
    agent: 'demo',
    cwd: '/ws',
    resolve: (path) => (path.startsWith('/ws') ? Promise.resolve(path) : Promise.reject(new Error('outside'))),
    protectionOf: (path) => Promise.resolve(path.includes('.vscode') ? { reason: 'VS Code runs it' } : undefined),
  });
  const before = events.length;
  const answer = service.decideToolCall(request, call, wanted, { signal: until, hasChanged: false });
  return { answer, question: events.slice(before).find((event) => event.event === 'approval:required')?.data };
}

const required = ({ events }: Opened) =>
  events.flatMap((event) => (event.event === 'approval:required' ? [event.data] : []));
const noReason = { isGranted: false, reason: 'The user has stopped this.' };

describe('what an agent may do', () => {
  it('is nothing once its turn was cancelled, and nobody is asked', async () => {
    const opened = serviceOf([allowRun]);
    assert.deepEqual(await opened.service.mayRun(run), { isGranted: true });
    opened.turn.abort();
    assert.deepEqual(await opened.service.mayRun(run), noReason);
    assert.deepEqual(await opened.service.mayRead('/ws/a.ts', signal), noReason);
    assert.deepEqual(opened.service.mayWriteWithoutAsking('/ws/a.ts', signal), noReason);
    const change = { path: '/ws/a.ts', before: '', after: 'x', isUnsaved: true, isUnread: false };
    assert.deepEqual(await opened.service.askToWrite(change, signal), noReason);
    assert.deepEqual(await (await ask(opened)).answer, { outcome: 'cancelled' });
    assert.deepEqual(opened.events, []);
  });

  it('is asked, whatever rules allow, if parts of the request cannot be shown, and is never allowed for longer', async () => {
    const opened = serviceOf([{ effect: 'allow', agent: 'demo', kind: 'edit', paths: ['/ws/a.ts'], scope: 'always' }]);
    assert.deepEqual(await (await ask(opened)).answer, { outcome: 'selected', optionId: 'yes' });
    const { question } = await ask(opened, options, editing, { content: 'text' });
    const warning = 'Backline can’t read parts of this request, so they are not shown: content.';
    assert.deepEqual(question?.context?.['warnings'], [warning]);
    assert.equal(question.option_kinds?.includes('allow_always'), false);
    const otherwise = { ...editing, otherCommand: 'rm -rf /' };
    const { question: second } = await ask(opened, options, otherwise);
    assert.deepEqual(second?.context?.['warnings'], ['The tool call of this request has another command: rm -rf /']);
  });

  it('is no longer asked when the agent takes its request back', async () => {
    const { events, service } = serviceOf();
    const request = new AbortController();
    const change = { path: '/ws/a.ts', before: '', after: 'x', isUnsaved: true, isUnread: false };
    const asked = [service.mayRun(run, request.signal), service.askToWrite(change, request.signal)];
    request.abort();
    assert.deepEqual(await Promise.all(asked), [noReason, noReason]);
    assert.equal(events.filter(({ event }) => event === 'approval:denied').length, 2);
  });

  describe('once the user has allowed a tool call with a command', () => {
    const line = 'npm test && echo "done"';
    const started: ToolCommand = { argv: [line], cwd: '/ws', env: {}, shell: 'bash' };
    const program: ToolCommand = { argv: ['npm', 'test'], cwd: '/ws', env: { CI: '1' } };
    const inputOf = ({ argv, cwd, env }: ToolCommand): Record<string, unknown> => ({
      command: argv.length === 1 ? argv[0] : argv,
      cwd,
      env,
    });

    /** The user answers the question about a call with this command. */
    async function answered(opened: Opened, command = started, answer = 'Allow[U+202E]', about = {}, members = {}) {
      const count = required(opened).length;
      const asked = await ask(opened, options, { ...executing(inputOf(command)), ...about }, members);
      opened.approvals.answer(required(opened)[count]?.approval_id ?? '', answer);
      return await asked.answer;
    }

    /** Whether the user is asked before the command is started. */
    async function isAsked(opened: Opened, command: ToolCommand): Promise<boolean> {
      const count = required(opened).length;
      const permit = opened.service.mayStart(command, signal);
      await new Promise(setImmediate);
      const question = required(opened)[count];
      if (question) opened.approvals.answer(question.approval_id, 'Deny');
      assert.equal((await permit).isGranted, question === undefined);
      return question !== undefined;
    }

    for (const [what, command] of [
      ['a line', started],
      ['a program with variables', program],
    ] as const) {
      it(`is not asked again when exactly that is started, once: ${what}`, async () => {
        const opened = serviceOf();
        assert.deepEqual(await answered(opened, command), { outcome: 'selected', optionId: 'yes' });
        assert.equal(await isAsked(opened, command), false);
        assert.equal(await isAsked(opened, command), true, 'a second time');
        await answered(opened, command);
        await answered(opened, command);
        assert.equal(await isAsked(opened, command), false);
        assert.equal(await isAsked(opened, command), false);
        assert.equal(await isAsked(opened, command), true);
      });
    }

    const nearMisses: Record<string, ToolCommand> = {
      'a longer line': { ...started, argv: [`${line} && rm -rf .`] },
      'a line with another space': { ...started, argv: [`${line} `] },
      'a part of the line': { ...started, argv: ['npm test'] },
      'the line as a program': { argv: [line], cwd: '/ws', env: {}, isProgram: true },
      'the line with an argument': { argv: [line, ''], cwd: '/ws', env: {} },
      'another folder': { ...started, cwd: '/ws/sub' },
      'another variable': { ...started, env: { PATH: '/tmp' } },
      'a warning': { ...started, warning: 'It can run more.' },
    };
    for (const [what, command] of Object.entries(nearMisses)) {
      it(`is asked about anything else: ${what}`, async () => {
        const opened = serviceOf();
        await answered(opened);
        assert.equal(await isAsked(opened, command), true);
        assert.equal(await isAsked(opened, started), false, 'the allowed command can still be started');
      });
    }

    it('is asked about a program with other arguments or variables', async () => {
      for (const other of [
        { argv: ['npm', 'test', '--', '-x'] },
        { argv: ['npm test'] },
        { argv: ['npm', ' test'] },
        { env: {} },
        { env: { CI: '0' } },
        { env: { CI: '1', NODE_OPTIONS: '-r ./x' } },
      ]) {
        const opened = serviceOf();
        await answered(opened, program);
        assert.equal(await isAsked(opened, { ...program, ...other }), true, JSON.stringify(other));
      }
    });

    it('is asked in another turn, after a denial, and about what was not all shown or has changed', async () => {
      const later = serviceOf();
      await answered(later);
      later.beginTurn();
      assert.equal(await isAsked(later, started), true, 'another turn');
      const denied = serviceOf();
      await answered(denied, started, 'Reject');
      assert.equal(await isAsked(denied, started), true, 'denied');
      const unread = serviceOf();
      await answered(unread, started, undefined, {}, { content: 'text' });
      assert.equal(await isAsked(unread, started), true, 'parts were not shown');
      const doubtful = serviceOf();
      await answered(doubtful, started, undefined, { otherCommand: 'rm -rf /' });
      assert.equal(await isAsked(doubtful, started), true, 'two commands');
      const changed = serviceOf();
      const change = new AbortController();
      const { answer } = await ask(changed, options, executing(inputOf(started)), {}, change.signal);
      changed.approvals.answer('approval-1', 'Allow[U+202E]');
      change.abort();
      await answer;
      assert.equal(await isAsked(changed, started), true, 'the call changed at that moment');
      const other = serviceOf();
      await answered(other, started, undefined, { kind: 'other' });
      assert.equal(await isAsked(other, started), true, 'no command of its own');
    });

    it('is asked if the call was more than its command: it could be restricted, or about another folder', async () => {
      const input = inputOf(started);
      for (const more of [
        { dry_run: true },
        { sandbox: 'read-only' },
        { stdin: 'y' },
        { path: '/ws/sub' },
        { cmd: 'ls' },
      ]) {
        const opened = serviceOf();
        await answered(opened, started, undefined, executing({ ...input, ...more }));
        assert.equal(await isAsked(opened, started), true, JSON.stringify(more));
      }
      for (const more of [{ riskLevel: 'low', riskLevelReason: 'It only tests.', timeout: 60 }, { path: '/ws' }]) {
        const opened = serviceOf();
        await answered(opened, started, undefined, executing({ ...input, ...more }));
        assert.equal(await isAsked(opened, started), false, JSON.stringify(more));
      }
    });

    it('is asked again if a rule has allowed the one start, and is gone', async () => {
      const opened = serviceOf();
      await answered(opened);
      const rule: PermissionRule = { effect: 'allow', command: [...started.argv], cwd: '/ws', scope: 'always' };
      await opened.standing.rules.add(rule);
      assert.equal(await isAsked(opened, started), false);
      await opened.standing.rules.remove(rule);
      assert.equal(await isAsked(opened, started), true);
    });

    it('is asked once the call has ended or changed, and not because another one has', async () => {
      for (const [over, expected] of [
        ['c1', true],
        ['c2', false],
      ] as const) {
        const opened = serviceOf();
        await answered(opened);
        opened.service.approvedCommands.withdraw((id) => id === over);
        assert.equal(await isAsked(opened, started), expected, over);
      }
    });

    it('is asked by a new process of the agent', async () => {
      const opened = serviceOf();
      await answered(opened);
      opened.service.clearAgentGrants();
      assert.equal(await isAsked(opened, started), true);
    });

    it('is refused where a rule denies the command by then, or the turn was stopped', async () => {
      const opened = serviceOf();
      await answered(opened);
      await opened.standing.rules.add({ effect: 'deny', command: [...started.argv], cwd: '/ws', scope: 'always' });
      assert.equal((await opened.service.mayStart(started, signal)).isGranted, false);
      const stopped = serviceOf();
      await answered(stopped);
      stopped.turn.abort();
      assert.deepEqual(await stopped.service.mayStart(started, signal), noReason);
    });

    it('is asked by tools of the window nevertheless', async () => {
      const opened = serviceOf();
      await answered(opened);
      const permit = opened.service.mayRun(started, signal);
      opened.approvals.answer(required(opened).at(-1)?.approval_id ?? '', 'Deny');
      assert.equal((await permit).isGranted, false);
    });
  });

  it('is listed as long as the session remembers it, and can be taken back', async () => {
    const { approvals, service, standing } = serviceOf();
    const answered = service.mayRun(run, signal);
    approvals.answer('approval-1', 'Always allow in this conversation');
    assert.deepEqual(await answered, { isGranted: true });
    assert.deepEqual(await service.mayRun(run, signal), { isGranted: true });
    const [grant] = standing.grants.grants;
    assert.ok(grant?.kind === 'rule');
    assert.deepEqual(grant.rule.command, ['npm', 'test']);
    assert.equal(grant.rule.scope, 'session');
    grant.revoke();
    assert.equal(standing.grants.grants.length, 0);
    const again = service.mayRun(run, signal);
    approvals.answer('approval-2', 'Always allow in this conversation');
    assert.deepEqual(await again, { isGranted: true }, 'it is asked again');
    service.dispose();
    assert.equal(standing.grants.grants.length, 0);
    assert.deepEqual(standing.rules.rules, []);
  });

  it('is listed also where only the agent remembers the answer, once, and cannot be taken back', async () => {
    const opened = serviceOf();
    const offered = [...options, { optionId: 'all', name: 'Allow All', kind: 'allow_always' }];
    for (const id of ['approval-1', 'approval-2']) {
      const { answer } = await ask(opened, offered);
      opened.approvals.answer(id, 'Allow All');
      assert.deepEqual(await answer, { outcome: 'selected', optionId: 'all' });
    }
    assert.deepEqual(opened.standing.grants.grants, [
      { kind: 'remembered', effect: 'allow', optionLabel: 'Allow All', agentId: 'demo', agentTitle: 'Demo' },
    ]);
    opened.service.clearAgentGrants();
    assert.deepEqual(opened.standing.grants.grants, [], 'another process does not know it');
  });

  it('can be made a rule where the agent offers none, and the agent is answered for this once', async () => {
    const edit = { agent: 'demo', kind: 'edit', paths: ['/ws/a.ts'], scope: 'always' };
    for (const [name, optionId, rule] of [
      ['Always allow', 'yes', { effect: 'allow', ...edit }],
      ['Always deny', 'no', { effect: 'deny', ...edit }],
    ] as const) {
      const opened = serviceOf();
      const { answer, question } = await ask(opened);
      assert.deepEqual(question?.options, [
        'Allow[U+202E]',
        'Always allow in this conversation',
        'Always allow',
        'Reject',
        'Always deny',
      ]);
      assert.deepEqual(question.context?.['scopes'], {
        'Always allow in this conversation': 'editing a.ts, this conversation',
        'Always allow': 'editing a.ts, every conversation with Demo',
        'Always deny': 'editing a.ts, every conversation with Demo',
      });
      opened.approvals.answer('approval-1', name);
      assert.deepEqual(await answer, { outcome: 'selected', optionId });
      assert.deepEqual(opened.standing.rules.rules, [rule]);
      assert.deepEqual(await (await ask(opened)).answer, { outcome: 'selected', optionId });
      assert.equal(opened.standing.rules.rulesWithUsage[0]?.useCount, 1);
    }
  });

  it('is told to count once only where the rule cannot be kept', async () => {
    const many = Array.from({ length: 1_000 }, (_, index): PermissionRule => ({ ...allowRun, cwd: `/ws/${index}` }));
    const full = serviceOf(many);
    const failing = serviceOf();
    failing.standing.memento.update = () => Promise.reject(new Error('The disk is full.'));
    for (const [opened, reason] of [
      [full, /only this time.* limit of 1000 rules/],
      [failing, /only this time.* The disk is full\./],
    ] as const) {
      const answered = opened.service.mayRun(run);
      opened.approvals.answer('approval-1', 'Always allow');
      assert.deepEqual(await answered, { isGranted: true });
      const [notice] = opened.events.flatMap((event) => (event.event === 'notice' ? [event.data] : []));
      assert.equal(notice?.level, 'warning');
      assert.match(notice.message, reason);
      assert.equal((await ask(opened)).question?.options.length, 5);
      opened.approvals.withdrawAll();
    }
  });

  it('is offered once first, then for always, then not, whatever order the agent has', async () => {
    const opened = serviceOf();
    const { question } = await ask(opened, [
      { optionId: '1', name: 'Always Allow in project', kind: 'allow_always' },
      { optionId: '2', name: 'Reject', kind: 'reject_once' },
      { optionId: '3', name: 'Allow', kind: 'allow_once' },
    ]);
    assert.deepEqual(
      question?.options.map((name, index) => [name, question.option_kinds?.[index]]),
      [
        ['Allow', 'allow_once'],
        ['Always Allow in project', 'allow_always'],
        ['Always allow in this conversation (rule in Backline)', 'allow_always'],
        ['Always allow (rule in Backline)', 'allow_always'],
        ['Reject', 'reject_once'],
        ['Always deny', 'reject_always'],
      ],
    );
    assert.deepEqual(question.context?.['scopes'], {
      'Always Allow in project': 'the agent decides what is similar',
      'Always allow in this conversation (rule in Backline)': 'editing a.ts, this conversation',
      'Always allow (rule in Backline)': 'editing a.ts, every conversation with Demo',
      'Always deny': 'editing a.ts, every conversation with Demo',
    });
    opened.approvals.answer('approval-1', 'Reject');
  });

  it('reports what a rule about a command would be, also with the environment it holds', async () => {
    const opened = serviceOf();
    const command = { argv: ['npm test'], cwd: '/ws/lib', env: { CI: '1' } };
    const asked = opened.service.mayRun(command);
    const [question] = required(opened);
    assert.equal(question?.prompt, 'Demo wants to run npm test in lib with CI set');
    assert.deepEqual(question.options, ['Allow once', 'Always allow in this conversation', 'Always allow', 'Deny']);
    assert.deepEqual(question.context?.['scopes'], {
      'Always allow in this conversation': 'any "npm test" in lib with CI=1, this conversation',
      'Always allow': 'any "npm test" in lib with CI=1, every conversation with Demo',
    });
    opened.approvals.answer('approval-1', 'Always allow');
    await asked;
    assert.deepEqual(await opened.service.mayRun(command), { isGranted: true });
    const other = opened.service.mayRun({ ...command, env: { CI: '2' } });
    assert.equal(required(opened).length, 2);
    opened.approvals.withdrawAll();
    await other;
  });

  it('is not made a rule where it is not known what is touched', async () => {
    const opened = serviceOf();
    const { answer, question } = await ask(opened, options, { kind: 'edit', rawInput: { file_path: '/etc/passwd' } });
    assert.deepEqual(question?.options, ['Allow[U+202E]', 'Reject']);
    assert.match(JSON.stringify(question.context?.['warnings']), /could not be checked/);
    opened.approvals.withdrawAll();
    await answer;
  });

  it('is never allowed for more than once by a rule or a policy', async () => {
    const onlyAlways = [
      { optionId: 'all', name: 'Allow All', kind: 'allow_always' },
      { optionId: 'no', name: 'Reject', kind: 'reject_once' },
    ];
    const opened = serviceOf([allowEdits], { '*': { edit: 'allow' } });
    assert.ok((await ask(opened, onlyAlways)).question);
    opened.approvals.withdrawAll();
  });
});

describe('the limits of a session', () => {
  const all = { '*': { read: 'allow', edit: 'allow', run: 'allow' } };

  it('deny what the policy and a rule allow', async () => {
    const { service } = serviceOf([allowRun], all, { run: 'deny' });
    assert.equal((await service.mayRun(run)).isGranted, false);
    assert.equal((await service.mayRead('/ws/a.ts', signal)).isGranted, true);
  });

  it('ask about what only the policy allows', async () => {
    const opened = serviceOf([], all, { edit: 'ask' });
    assert.ok((await ask(opened)).question);
    const unlimited = serviceOf([], all);
    assert.equal((await ask(unlimited)).question, undefined);
  });
});

describe('the policy for agents', () => {
  it('allows, denies with a reason, and asks', async () => {
    const allowing = serviceOf([], { '*': { run: 'allow', edit: 'allow' } });
    assert.deepEqual(await allowing.service.mayRun({ ...run, env: { CI: '1' } }), { isGranted: true });
    assert.deepEqual(await (await ask(allowing)).answer, { outcome: 'selected', optionId: 'yes' });
    const denying = serviceOf([allowRun, allowEdits], { demo: { run: 'deny', edit: 'deny' } });
    const denied = await denying.service.mayRun(run);
    assert.match(denied.isGranted ? '' : denied.reason, /backline\.permissions\) do not allow commands/);
    assert.deepEqual(await (await ask(denying)).answer, { outcome: 'selected', optionId: 'no' });
    assert.deepEqual(denying.events, []);
  });

  it('denies this once only: where the agent can only be denied for good, its request is cancelled', async () => {
    const onlyAlways = [
      { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
      { optionId: 'never', name: 'Never', kind: 'reject_always' },
    ];
    const denyEdits: PermissionRule = { effect: 'deny', kind: 'edit', scope: 'always' };
    for (const opened of [serviceOf([denyEdits]), serviceOf([], { '*': { edit: 'deny' } })]) {
      assert.deepEqual(await (await ask(opened, onlyAlways)).answer, { outcome: 'cancelled' });
      assert.deepEqual(opened.events, []);
    }
  });

  it('lets agents read and write files of the workspace where it reports nothing, and is obeyed where it does', async () => {
    const silent = serviceOf();
    assert.deepEqual(await silent.service.mayRead('/ws/a', signal), { isGranted: true });
    assert.deepEqual(silent.service.mayWriteWithoutAsking('/ws/a', signal), { isGranted: true });
    const denying = serviceOf([], { '*': { read: 'deny', edit: 'deny' } });
    assert.equal((await denying.service.mayRead('/ws/a', signal)).isGranted, false);
    assert.equal(denying.service.mayWriteWithoutAsking('/ws/a', signal)?.isGranted, false);
    const asking = serviceOf([], { '*': { read: 'ask', edit: 'ask' } });
    assert.equal(asking.service.mayWriteWithoutAsking('/ws/a', signal), undefined);
    const reading = asking.service.mayRead('/ws/a', signal);
    assert.deepEqual(required(asking)[0]?.options, [
      'Allow once',
      'Always allow in this conversation',
      'Always allow',
      'Deny',
    ]);
    asking.approvals.answer('approval-1', 'Always allow in this conversation');
    assert.deepEqual(await reading, { isGranted: true });
    assert.deepEqual(await asking.service.mayRead('/ws/a', signal), { isGranted: true });
  });
});

describe('attacks on the questions', () => {
  const git = { argv: ['git', 'status'], cwd: '/ws', env: {} };
  const allowGit: PermissionRule = { effect: 'allow', command: git.argv, cwd: '/ws', scope: 'always' };

  for (const env of [{ PATH: '/ws/fakebin:/usr/bin' }, { LD_PRELOAD: '/ws/evil.so' }, { NODE_OPTIONS: '-r ./evil' }]) {
    it(`${Object.keys(env).join()} in the environment of an allowed command is asked, and seen`, async () => {
      const opened = serviceOf([allowGit]);
      assert.deepEqual(await opened.service.mayRun(git), { isGranted: true });
      const asked = opened.service.mayRun({ ...git, env });
      const [question] = required(opened);
      assert.deepEqual(question?.context?.['env'], env);
      assert.match(question.prompt, /git status with .* set$/);
      opened.approvals.answer('approval-1', 'Deny');
      assert.equal((await asked).isGranted, false);
    });
  }

  const plain = { command: 'npm test' };
  for (const added of [
    { env: { NODE_OPTIONS: '-r ./evil' } },
    { dangerouslyDisableSandbox: true },
    { with_escalated_permissions: true },
    { sandbox_permissions: 'require_escalated' },
    { sandbox: false },
    { shell: '/ws/sh' },
    { run_in_background: true },
    { cwd: '/ws/other' },
    { workdir: '/ws/other' },
    { args: ['--', 'evil'] },
    { path: '/ws/x' },
  ]) {
    it(`${JSON.stringify(added)} beside an always allowed command is asked, and seen`, async () => {
      const opened = serviceOf();
      const first = await ask(opened, options, executing(plain));
      opened.approvals.answer('approval-1', 'Always allow');
      await first.answer;
      assert.equal(
        (await ask(opened, options, executing({ ...plain, description: 'Other words' }))).question,
        undefined,
      );
      const { answer, question } = await ask(opened, options, executing({ ...plain, ...added }));
      assert.deepEqual(question?.context?.['input'], { ...plain, ...added });
      opened.approvals.answer('approval-2', 'Reject');
      assert.deepEqual(await answer, { outcome: 'selected', optionId: 'no' });
    });
  }

  it('that lift a restriction are told as such, and asked even where every command may run', async () => {
    const opened = serviceOf([], { '*': { run: 'allow' } });
    assert.equal((await ask(opened, options, executing(plain))).question, undefined);
    const { question } = await ask(opened, options, executing({ ...plain, dangerouslyDisableSandbox: true }));
    assert.deepEqual(question?.context?.['escalations'], { dangerouslyDisableSandbox: true });
    opened.approvals.withdrawAll();
  });

  it('about protected files are asked whatever rule or policy, and nothing that lasts is offered', async () => {
    const opened = serviceOf([allowEdits], { '*': { edit: 'allow' } });
    const offered = [{ optionId: 'all', name: 'Allow All', kind: 'allow_always' }, ...options];
    const about = { kind: 'read' as ToolKind, rawInput: {} };
    const shown = { ...about, content: [{ type: 'diff' as const, path: '/ws/.vscode/settings.json', newText: '{}' }] };
    for (const request of [{ kind: 'edit' as ToolKind, rawInput: { path: '/ws/.vscode/settings.json' } }, shown]) {
      const { answer, question } = await ask(opened, offered, request);
      assert.deepEqual(question?.option_kinds, ['allow_once', 'reject_once']);
      assert.deepEqual(question.context?.['warnings'], ['.vscode/settings.json is protected: VS Code runs it.']);
      opened.approvals.answer(question.approval_id, 'Allow[U+202E]');
      assert.deepEqual(await answer, { outcome: 'selected', optionId: 'yes' });
    }
    assert.deepEqual(opened.standing.grants.grants, []);
  });

  it('about protected files can only be denied where the agent can be allowed for good only, which is said', async () => {
    const opened = serviceOf();
    const about = { kind: 'edit' as ToolKind, rawInput: { path: '/ws/.vscode/settings.json' } };
    const forGood = { optionId: 'all', name: 'Allow All', kind: 'allow_always' };
    const never = { optionId: 'never', name: 'Never', kind: 'reject_always' };
    for (const [offered, shown, outcome] of [
      [[forGood], ['Deny'], { outcome: 'cancelled' }],
      [[forGood, never], ['Never'], { outcome: 'selected', optionId: 'never' }],
    ] as const) {
      const { answer, question } = await ask(opened, [...offered], about);
      assert.deepEqual(question?.options, shown);
      assert.match(JSON.stringify(question.context?.['warnings']), /only to allow this permanently/);
      opened.approvals.answer(question.approval_id, shown[0]);
      assert.deepEqual(await answer, outcome);
    }
    const remembered = {
      kind: 'remembered',
      effect: 'deny',
      optionLabel: 'Never',
      agentId: 'demo',
      agentTitle: 'Demo',
    };
    assert.deepEqual(opened.standing.grants.grants, [remembered]);
  });

  it('by options that lie are marked, and the kind is what counts', async () => {
    const opened = serviceOf();
    const { answer, question } = await ask(opened, [
      { optionId: 'a', name: 'Deny', kind: 'allow_always' },
      { optionId: 'b', name: 'Allow', kind: 'reject_once' },
      { optionId: 'c', name: 'Allow', kind: 'allow_once' },
    ]);
    const ofAgent = ['Allow (allows once)', 'Deny (always allows)', 'Allow (denies once)'];
    assert.deepEqual(
      question?.options.filter((name) => ofAgent.includes(name)),
      ofAgent,
    );
    assert.deepEqual(question.context?.['misnamed'], ofAgent.slice(1));
    opened.approvals.answer('approval-1', 'Deny (always allows)');
    assert.deepEqual(await answer, { outcome: 'selected', optionId: 'a' });
    assert.equal(opened.events.at(-1)?.event, 'approval:granted');
  });

  it('by 3,000 at once are 32 questions, and each is answered', async () => {
    const opened = serviceOf();
    const commands = Array.from({ length: 1_500 }, (_, index) =>
      opened.service.mayRun({ ...git, argv: [`c${index}`] }),
    );
    const tools = await Promise.all(
      Array.from({ length: 1_500 }, (_, index) => ask(opened, options, executing({ command: `t${index}` }))),
    );
    assert.equal(required(opened).length, 32);
    assert.equal(opened.events.filter(({ event }) => event === 'notice').length, 1);
    const refused = await Promise.all(tools.map(({ answer }) => answer));
    assert.ok(refused.every((outcome) => outcome.outcome === 'selected' && outcome.optionId === 'no'));
    assert.deepEqual(await commands.at(-1), { isGranted: false, reason: tooManyApprovalsMessage });
    opened.approvals.withdrawAll();
    const all = await Promise.all(commands);
    assert.ok(all.every(({ isGranted }) => !isGranted));
  });
});
