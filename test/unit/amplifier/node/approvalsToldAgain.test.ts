import assert from 'node:assert/strict';
import { nullLogger } from '../../../../src/base/common/log';
import { SessionStatus } from '../../../../src/amplifier/common/apiSchema';
import type { SessionEvent } from '../../../../src/session/common/sessionEvents';
import { TurnReconciler } from '../../../../src/amplifier/common/turnReconciler';
import { AmplifierClient } from '../../../../src/amplifier/node/client/amplifierClient';
import { SessionApprovals } from '../../../../src/amplifier/node/client/sessionApprovals';
import { applyStatus } from '../../../../src/amplifier/node/client/sessionStatus';
import { FakeClock } from '../../../fake/fakeClock';

const request = { approval_id: 'a', prompt: 'p', options: ['Allow', 'Deny'] };

describe('a request that is shown and told once more', () => {
  let clock: FakeClock;
  let told: SessionEvent[];
  let superseded: number;
  let reconciler: TurnReconciler;
  let approvals: SessionApprovals;

  beforeEach(() => {
    clock = new FakeClock();
    told = [];
    superseded = 0;
    reconciler = new TurnReconciler('s', (event) => told.push(event), {
      onLeft: () => undefined,
      onSuperseded: () => superseded++,
    });
    approvals = new SessionApprovals({
      client: new AmplifierClient({ baseUrl: new URL('http://127.0.0.1:1'), log: nullLogger }),
      sessionId: 's',
      clock,
      reconciler,
      onFailed: () => undefined,
      giveUp: () => Promise.resolve(),
      settleMs: 2000,
      look: () => undefined,
      onUnclear: () => undefined,
    });
    tell();
  });

  const tell = (): void => reconciler.handle({ event: 'approval:required', data: { ...request, session_id: 's' } });
  const status = (pending: unknown = request): void => {
    const read = SessionStatus.parse({ session_id: 's', status: 'processing', pending_approval: pending });
    applyStatus(read, reconciler, approvals);
  };

  it('is the same right after a connection was made', () => {
    approvals.connected();
    clock.advance(249);
    tell();
    assert.equal(superseded, 0);
    assert.equal(told.length, 1);
  });

  it('is the same right after the status that is asked for then, however late that comes', () => {
    approvals.connected();
    clock.advance(5000);
    status();
    clock.advance(249);
    tell();
    assert.equal(superseded, 0);
    assert.equal(told.length, 1);
  });

  it('is another one after that', () => {
    approvals.connected();
    status();
    clock.advance(250);
    tell();
    assert.equal(superseded, 1);
  });

  it('is another one after any other status', () => {
    approvals.connected();
    status();
    clock.advance(250);
    status();
    tell();
    assert.equal(superseded, 1);
  });

  it('is another one when nothing was shown as the connection was made', () => {
    approvals.connected();
    status(null);
    clock.advance(1000);
    tell();
    status();
    tell();
    assert.equal(superseded, 1);
  });
});
