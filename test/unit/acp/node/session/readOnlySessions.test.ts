import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import * as z from 'zod';
import type { AgentApp } from '@agentclientprotocol/sdk';
import { toToolRequest } from '../../../../../src/acp/common/approvals/toolRequests';
import { PermissionRequest } from '../../../../../src/acp/common/v1/v1Schema';
import { PermissionService } from '../../../../../src/acp/node/session/permissionService';
import { nullLogger } from '../../../../../src/base/common/log';
import type { PermissionRule } from '../../../../../src/permissions/common/rules/permissionRules';
import { Approvals } from '../../../../../src/session/common/engine/approvals';
import { ToolKind } from '../../../../../src/session/common/sessionEvents';
import { cwd, Follower, useBackends } from '../../../../fake/backendHarness';
import { basics, capabilities } from '../../../../fake/acp/scriptedAgent';
import { FakeClock } from '../../../../fake/fakeClock';
import { standingOf } from '../../../../fake/fakePermissions';

const { signal } = new AbortController();
const reason = 'This is a side question: you can read, but not change or run anything. Answer without it.';
const refused = { isGranted: false, reason };
const options = [
  { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
  { optionId: 'ever', name: 'Always allow', kind: 'allow_always' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];

/** A service in whose session the user, all rules and the policy allow everything. */
function permissive(isReadOnly = true) {
  const everything: PermissionRule[] = [
    ...ToolKind.unwrap().options.map((kind): PermissionRule => ({
      effect: 'allow',
      kind,
      pathGlob: '/ws/**',
      scope: 'always',
    })),
    { effect: 'allow', command: ['npm', 'test'], cwd: '/ws', scope: 'always' },
  ];
  const standing = standingOf(everything, () => ({ read: 'allow', edit: 'allow', run: 'allow', fetch: 'allow' }));
  const approvals: Approvals = new Approvals('s1', new FakeClock(), undefined, (event) => {
    const [answer] = event.event === 'approval:required' ? event.data.options : [];
    if (event.event === 'approval:required' && answer !== undefined)
      queueMicrotask(() => approvals.answer(event.data.approval_id, answer));
  });
  const about = { agentId: 'demo', agentTitle: 'Demo', cwd: '/ws', modeName: () => undefined };
  return new PermissionService({ ...about, approvals, standing, log: nullLogger, isReadOnly });
}

async function isAllowed(
  service: PermissionService,
  kind: ToolKind,
  rawInput: Record<string, unknown>,
): Promise<boolean> {
  const request = PermissionRequest.parse({ sessionId: 's1', toolCall: { toolCallId: 'c1' }, options });
  const call = { id: 'c1', name: undefined, title: 'Do it', content: [], locations: [], kind, rawInput };
  const wanted = await toToolRequest(call, {
    agent: 'demo',
    cwd: '/ws',
    resolve: (path) => (path.startsWith('/ws') ? Promise.resolve(path) : Promise.reject(new Error('outside'))),
    protectionOf: () => Promise.resolve(undefined),
  });
  const outcome = await service.decideToolCall(request, call, wanted, { signal, hasChanged: false });
  return outcome.outcome === 'selected' && outcome.optionId !== 'no';
}

describe('a session that only reads', () => {
  const make = useBackends();

  it('is granted nothing but reading, whatever rules, policy and the user allow', async () => {
    const member = fc.oneof(
      fc.record({ file_path: fc.constantFrom('/ws/a.ts', '/ws/.git/config', '/etc/passwd') }),
      fc.record({ command: fc.constantFrom('npm test', 'cat a.ts', ['npm', 'test']) }),
      fc.record({ url: fc.constant('https://example.com/') }),
      fc.record({ pattern: fc.constantFrom('foo', '**/*.ts') }),
      fc.record({ content: fc.constant('text') }),
      fc.record({ anything: fc.constantFrom('x', 3, true, { a: 1 }) }),
    );
    const inputs = fc
      .array(member, { maxLength: 3 })
      .map((all): Record<string, unknown> => Object.assign({}, ...all) as Record<string, unknown>);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...ToolKind.unwrap().options), inputs, async (kind, input) => {
        if (!(await isAllowed(permissive(), kind, input))) return;
        assert.ok(['read', 'search', 'fetch'].includes(kind), kind);
        for (const name of ['command', 'anything']) assert.equal(input[name] ?? undefined, undefined, name);
      }),
      { numRuns: 1000 },
    );
    assert.equal(await isAllowed(permissive(), 'read', { file_path: '/ws/a.ts' }), true);
    assert.equal(await isAllowed(permissive(), 'fetch', { url: 'https://example.com/' }), true);
    const service = permissive();
    const command = { argv: ['npm', 'test'], cwd: '/ws', env: {} };
    const change = { path: '/ws/a.ts', before: '', after: 'x', isUnsaved: false, isUnread: false };
    assert.deepEqual(await service.mayRun(command), refused);
    assert.deepEqual(await service.mayStart(command), refused);
    assert.deepEqual(service.mayWriteWithoutAsking('/ws/a.ts', signal), refused);
    assert.deepEqual(await service.askToWrite(change, signal), refused);
    const files = [{ path: '/ws/a.ts', before: '', after: 'x' }];
    assert.deepEqual(await service.mayChangeFiles({ purpose: 'change it', files }, signal), refused);
    assert.deepEqual(await service.mayRead('/ws/a.ts', signal), { isGranted: true });
  });

  it('differs from others, which are granted what is allowed', async () => {
    const service = permissive(false);
    assert.equal(await isAllowed(service, 'edit', { file_path: '/ws/a.ts' }), true);
    assert.deepEqual(await service.mayRun({ argv: ['npm', 'test'], cwd: '/ws', env: {} }), { isGranted: true });
    const change = { path: '/ws/a.ts', before: '', after: 'x', isUnsaved: false, isUnread: false };
    assert.deepEqual(await service.askToWrite(change, signal), { isGranted: true });
  });

  /** An agent with modes, which begins in `yolo`; what it is asked goes to `wire`. */
  const moded = (wire: string[], ids: readonly string[]) => (app: AgentApp) => {
    const availableModes = ids.map((id) => ({ id, name: id }));
    basics(app, {}, { modes: { currentModeId: 'yolo', availableModes } });
    app.onRequest('session/set_mode', ({ params }) => {
      wire.push(`mode ${params.modeId}`);
      return {};
    });
    app.onRequest('session/prompt', async ({ params: { prompt, sessionId }, client }) => {
      wire.push(...prompt.map((block) => (block.type === 'text' ? block.text : JSON.stringify(block))));
      await client
        .request('fs/write_text_file', { sessionId, path: '/ws/a.txt', content: 'changed' })
        .catch((error: unknown) => wire.push(String(error)));
      return { stopReason: 'end_turn' };
    });
  };

  it('asks in a mode that asks, is told what it may do, and cannot write', async () => {
    const wire: string[] = [];
    const { backend, editor } = make(moded(wire, ['yolo', 'plan', 'default']));
    const session = await backend.createSession({ cwd, isReadOnly: true });
    const follower = new Follower(session);
    await session.sendPrompt({ text: 'What is this?' });
    await follower.next('prompt:complete');
    assert.equal(wire[0], 'mode default');
    assert.match(wire.join('\n'), /This is a side question, apart from the work\./);
    assert.ok(wire.includes('What is this?'));
    assert.match(wire.at(-1) ?? '', /You may not edit '\/ws\/a\.txt'\. This is a side question/);
    assert.equal((await editor.readText('/ws/a.txt')).text, 'one\ntwo\nthree\n');
    await assert.rejects(session.setConfig('mode', 'yolo'), { code: 'unsupported', message: /can only read/ });
  });

  it('prefers a mode that only reads', async () => {
    const wire: string[] = [];
    const { backend } = make(moded(wire, ['yolo', 'default', 'read-only']));
    const session = await backend.createSession({ cwd, isReadOnly: true });
    const follower = new Follower(session);
    await session.sendPrompt({ text: 'What is this?' });
    await follower.next('prompt:complete');
    assert.equal(wire[0], 'mode read-only');
  });

  it('gets no prompt if the agent acts without asking in all its modes', async () => {
    const wire: string[] = [];
    const { backend } = make(moded(wire, ['yolo', 'full-access']));
    const session = await backend.createSession({ cwd, isReadOnly: true });
    const follower = new Follower(session);
    await session.sendPrompt({ text: 'What is this?' });
    assert.match((await follower.next('error')).error, /^Demo acts without asking in all modes .* It was not sent\.$/);
    assert.deepEqual(wire, []);
  });

  it('is read-only from the moment in which it is copied from one that writes', async () => {
    const wire: string[] = [];
    const { backend } = make((app) => {
      app.onRequest('initialize', () => ({
        protocolVersion: 1,
        agentCapabilities: { ...capabilities, loadSession: true, sessionCapabilities: { fork: {}, resume: {} } },
      }));
      const availableModes = ['yolo', 'default'].map((id) => ({ id, name: id }));
      app.onRequest('session/fork', z.unknown(), () => ({
        sessionId: 'copy',
        modes: { currentModeId: 'yolo', availableModes },
      }));
      moded(wire, ['yolo', 'default'])(app);
    });
    const first = await backend.createSession({ cwd });
    const id = await backend.forkSession(first.id, { cwd, isReadOnly: true });
    assert.equal(id, 'copy');
    const session = await backend.loadSession(id, { cwd, isReadOnly: true });
    await assert.rejects(session.setConfig('mode', 'yolo'), { code: 'unsupported', message: /can only read/ });
    const follower = new Follower(session);
    await session.sendPrompt({ text: 'What is this?' });
    await follower.next('prompt:complete');
    assert.equal(wire[0], 'mode default');
    assert.match(wire.at(-1) ?? '', /This is a side question/);
    await first.setConfig('mode', 'yolo');
  });
});
