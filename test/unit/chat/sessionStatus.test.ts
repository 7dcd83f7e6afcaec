import assert from 'node:assert/strict';
import { BackendError } from '../../../src/session/common/sessionBackend';
import {
  conversationStatus,
  type ConversationStatusInput,
} from '../../../src/chat/common/conversation/conversationView';
import type { TurnPhase } from '../../../src/chat/common/conversation/turnPhase';
import { ChatBackendSession } from './support/chatBackend';

const idle = { isBusy: false, isStarting: false, statusText: undefined };
const busy = { ...idle, isBusy: true };
const starting = { ...busy, isStarting: true };
const facts: ConversationStatusInput = {
  agent: 'Claude',
  transcript: idle,
  backend: { kind: 'ready' },
  readonly: undefined,
  phase: { kind: 'idle' },
};
const signIn = { kind: 'authRequired', message: 'Sign in.', methods: [] } as const;
const failed = { kind: 'failed', message: 'It was lost.' } as const;
const failure: TurnPhase = { kind: 'idle', failure: new BackendError('backend', 'Not taken.') };
const stopping: TurnPhase = { kind: 'stopping', session: new ChatBackendSession('s'), pendingResponses: 1 };
const resuming: TurnPhase = { kind: 'resuming', isStopped: false };
const status = (more: Partial<ConversationStatusInput>) => conversationStatus({ ...facts, ...more });

describe('conversationStatus', () => {
  it('is idle when nothing happens', () => assert.deepEqual(status({}), { status: 'idle' }));

  it('is readonly before anything else', () => {
    const everything = { backend: signIn, phase: stopping, transcript: busy };
    assert.deepEqual(status({ ...everything, readonly: 'Why.' }), { status: 'readonly', statusText: 'Why.' });
  });

  it('is signIn only if a prompt waits for it or was not accepted', () => {
    const asks = { status: 'signIn', statusText: 'Sign in.' };
    assert.deepEqual(status({ backend: signIn, transcript: busy, phase: stopping }), asks);
    assert.deepEqual(status({ backend: signIn, phase: failure }), asks);
    assert.deepEqual(status({ backend: signIn }), { status: 'idle' });
  });

  it('says in one sentence why a prompt was not accepted, if that is known, and has the report in its details', () => {
    const refused = (text: string, details?: string) =>
      status({ phase: { kind: 'idle', failure: new BackendError('backend', text, details) } });
    assert.deepEqual(refused('{"type":"overloaded_error"}', 'HTTP 529'), {
      status: 'failed',
      statusText: 'Claude is overloaded (529).',
      statusDetails: '{"type":"overloaded_error"}\nHTTP 529',
    });
    assert.deepEqual(
      refused('Claude AI usage limit reached|1999999999').statusText,
      'The usage limit of Claude is reached.',
    );
    const unknown = { status: 'failed', statusText: 'Not taken.', statusDetails: 'because' };
    assert.deepEqual(refused('Not taken.', 'because'), unknown);
    const advice = 'It did not answer in time. Set its dialect to v1.';
    const own = status({ phase: { kind: 'idle', failure: new BackendError('timeout', advice) } });
    assert.deepEqual(own, { status: 'failed', statusText: advice });
  });

  it('is stopping before all other activity, and reconnecting before busy', () => {
    assert.deepEqual(status({ phase: stopping, transcript: busy }), { status: 'stopping' });
    assert.deepEqual(status({ phase: { ...resuming, isStopped: true } }), { status: 'stopping' });
    const looking = { status: 'reconnecting', statusText: 'Checking whether the turn is still running…' };
    assert.deepEqual(status({ phase: resuming, transcript: busy }), looking);
  });

  it('is starting with the message of the backend', () => {
    const backend = { kind: 'starting', message: 'Asking…' } as const;
    assert.deepEqual(status({ transcript: starting, backend }), { status: 'starting', statusText: 'Asking…' });
    assert.deepEqual(status({ transcript: starting, backend: undefined }), { status: 'starting' });
    assert.deepEqual(status({ transcript: starting, backend: failed }), { status: 'starting' });
  });

  it('is reconnecting with its details if the backend has failed during a turn', () => {
    const lost = { status: 'reconnecting', statusText: 'It was lost.' };
    assert.deepEqual(status({ transcript: busy, backend: failed }), lost);
    const backend = { ...failed, details: 'ECONNRESET' };
    assert.deepEqual(status({ transcript: busy, backend }), { ...lost, statusDetails: 'ECONNRESET' });
    assert.deepEqual(status({ backend: failed }), { status: 'idle' });
  });

  it('is busy with the activity of the agent, whatever failed before', () => {
    assert.deepEqual(status({ transcript: busy, phase: failure }), { status: 'busy' });
    const transcript = { ...busy, statusText: 'Reading…' };
    assert.deepEqual(status({ transcript }), { status: 'busy', statusText: 'Reading…' });
  });

  it('is failed if the last prompt was not accepted', () => {
    assert.deepEqual(status({ phase: failure }), { status: 'failed', statusText: 'Not taken.' });
    const withDetails: TurnPhase = { kind: 'idle', failure: new BackendError('backend', 'Not taken.', 'ENOENT') };
    const shown = { status: 'failed', statusText: 'Not taken.', statusDetails: 'ENOENT' };
    assert.deepEqual(status({ phase: withDetails }), shown);
  });
});
