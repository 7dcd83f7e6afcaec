import assert from 'node:assert/strict';
import type { AmplifierEvent } from '../../../../src/amplifier/common/events';
import { nullLogger } from '../../../../src/base/common/log';
import { Approvals } from '../../../../src/acp/common/approvals';
import type { PermissionRule, ToolFacts } from '../../../../src/acp/common/permissionRules';
import { PermissionRequest } from '../../../../src/acp/common/v1Schema';
import { SessionGrants } from '../../../../src/acp/common/sessionGrants';
import { PermissionDesk } from '../../../../src/acp/node/permissionDesk';
import { FakeClock } from '../../../fake/fakeClock';

const { signal } = new AbortController();
const run = { argv: ['npm', 'test'], cwd: '/ws', env: {} };
const allowRun: PermissionRule = { effect: 'allow', command: run.argv, scope: 'always' };

function deskOf(initial: readonly PermissionRule[] = []) {
  const rules = [...initial];
  const events: AmplifierEvent[] = [];
  const turn = new AbortController();
  const approvals = new Approvals('s1', new FakeClock(), 300_000, (event) => events.push(event));
  const add = (rule: PermissionRule): Promise<void> => Promise.resolve(void rules.push(rule));
  const sessionGrants = new SessionGrants();
  const desk = new PermissionDesk({
    agentId: 'demo',
    agentTitle: 'Demo',
    cwd: '/ws',
    approvals,
    rules: { rules, add, sessionGrants },
    log: nullLogger,
    mode: () => undefined,
    stopped: () => turn.signal,
  });
  return { approvals, desk, events, rules, sessionGrants, turn };
}

const options = [
  { optionId: 'yes', name: 'Allow\u202e', kind: 'allow_once' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];
const facts: ToolFacts = { agent: 'demo', kind: 'edit', paths: ['/ws/a.ts'] };
const call = { title: 'Edit', kind: 'edit' as const, content: [], locations: [], rawInput: {} };
const ask = ({ desk }: ReturnType<typeof deskOf>, offered = options, about = facts) => {
  const request = PermissionRequest.parse({ sessionId: 's1', toolCall: { toolCallId: 'c1' }, options: offered });
  return desk.decideTool(request, call, about, signal);
};
const namesIn = ({ events }: ReturnType<typeof deskOf>): readonly string[] =>
  events.flatMap((event) => (event.event === 'approval:required' ? event.data.options : []));
const matchesIn = ({ events }: ReturnType<typeof deskOf>): unknown =>
  events.flatMap((event) => (event.event === 'approval:required' ? [event.data.context?.['matches']] : []))[0];

describe('what an agent may do', () => {
  it('is nothing once its turn was cancelled, and nobody is asked', async () => {
    const opened = deskOf([allowRun]);
    assert.equal(await opened.desk.mayRun(run), true);
    opened.turn.abort();
    assert.equal(await opened.desk.mayRun(run), false);
    assert.equal(await opened.desk.mayOverwrite('/ws/a.ts', signal), false);
    assert.deepEqual(await ask(opened), { outcome: 'cancelled' });
    assert.deepEqual(opened.events, []);
  });

  it('is no longer asked when the agent takes its request back', async () => {
    const { desk, events } = deskOf();
    const request = new AbortController();
    const asked = [desk.mayRun(run, request.signal), desk.mayOverwrite('/ws/a.ts', request.signal)];
    request.abort();
    assert.deepEqual(await Promise.all(asked), [false, false]);
    assert.equal(events.filter(({ event }) => event === 'approval:denied').length, 2);
  });

  it('is listed as long as the session remembers it, and can be taken back', async () => {
    const opened = deskOf();
    const { approvals, desk, sessionGrants } = opened;
    const answered = desk.mayRun(run, signal);
    approvals.answer('approval-1', 'Run always in this session');
    assert.equal(await answered, true);
    assert.equal(await desk.mayRun(run, signal), true);
    assert.match(sessionGrants.all[0]?.text ?? '', /^Allow running "npm test".*in this session$/);
    sessionGrants.all[0]?.revoke?.();
    assert.equal(sessionGrants.all.length, 0);
    const again = desk.mayRun(run, signal);
    approvals.answer('approval-2', 'Run always in this session');
    assert.equal(await again, true, 'it is asked again');
    desk.dispose();
    assert.equal(sessionGrants.all.length, 0);
  });

  it('is listed also where only the agent remembers the answer, once, and cannot be taken back', async () => {
    const opened = deskOf();
    const offered = [...options, { optionId: 'all', name: 'Allow All', kind: 'allow_always' }];
    for (const id of ['approval-1', 'approval-2']) {
      const asked = ask(opened, offered);
      opened.approvals.answer(id, 'Allow All');
      assert.deepEqual(await asked, { outcome: 'selected', optionId: 'all' });
    }
    assert.deepEqual(opened.sessionGrants.all, [{ text: 'Allow All', agentTitle: 'Demo' }]);
  });

  it('is told for files by the rules that deny', () => {
    const { desk } = deskOf([{ effect: 'deny', kind: 'edit', pathGlob: '/ws/lib/**', scope: 'always' }]);
    assert.equal(desk.denies('edit', '/ws/lib/a.ts'), true);
    assert.equal(desk.denies('read', '/ws/lib/a.ts'), false);
  });

  it('can be made a rule where the agent offers none, and the agent is answered for this once', async () => {
    for (const [index, effect, optionId] of [
      [2, 'allow', 'yes'],
      [3, 'deny', 'no'],
    ] as const) {
      const opened = deskOf();
      const answer = ask(opened);
      const names = namesIn(opened);
      assert.deepEqual(names.slice(0, 2), ['Allow\\u{202e}', 'Reject']);
      opened.approvals.answer('approval-1', names[index] ?? '');
      assert.deepEqual(await answer, { outcome: 'selected', optionId });
      const rule = { effect, agent: 'demo', kind: 'edit', pathGlob: '/ws/a.ts', scope: 'always' };
      assert.deepEqual(opened.rules, [rule]);
      assert.deepEqual(matchesIn(opened), {
        'Always allow': 'tools of kind edit on /ws/a.ts by demo, always',
        'Always deny': 'tools of kind edit on /ws/a.ts by demo, always',
      });
      assert.deepEqual(await ask(opened), { outcome: 'selected', optionId });
    }
  });

  it('says what each rule about a command would match', async () => {
    const opened = deskOf();
    const asked = opened.desk.mayRun({ argv: ['npm test'], cwd: '/ws/lib', env: {} });
    const [event] = opened.events;
    assert.ok(event?.event === 'approval:required');
    assert.equal(event.data.prompt, 'Demo wants to run npm test in lib');
    assert.equal(event.data.context?.['command'], 'npm test');
    assert.deepEqual(event.data.options, ['Run once', 'Run always in this session', 'Run always', 'Do not run']);
    assert.deepEqual(matchesIn(opened), {
      'Run always in this session': 'running "npm test" in /ws/lib by demo, in this session',
      'Run always': 'running "npm test" in /ws/lib by demo, always',
    });
    opened.approvals.withdrawAll();
    await asked;
  });

  it('is not made a rule where the agent has its own, or where it is not known what is touched', async () => {
    const opened = deskOf();
    const asked = [
      ask(opened, [...options, { optionId: 'always', name: 'Always allow', kind: 'allow_always' }]),
      ask(opened, options, { ...facts, isUnresolved: true }),
    ];
    assert.equal(namesIn(opened).length, 3 + 2);
    assert.deepEqual(matchesIn(opened), {
      'Always allow': 'whatever Demo takes for the same, which may be everything it asks in this conversation',
    });
    opened.approvals.withdrawAll();
    await Promise.all(asked);
  });
});
