import { AcpBackend } from '../../src/acp/node/session/acpBackend';
import { startAgentProcess } from '../../src/acp/node/process/agentProcess';
import { RestartPolicy } from '../../src/acp/node/process/restartPolicy';
import { nullLogger } from '../../src/base/common/log';
import { systemClock } from '../../src/base/node/systemClock';
import { disabledTrafficTap } from '../../src/wire/common/traffic';
import type { FakeEditor } from '../../test/fake/fakeEditor';
import { standingOf } from '../../test/fake/fakePermissions';

/** A backend over an agent which is this same bundle in the role `agent`. The caller disposes it. */
export function benchAgent(editor: FakeEditor): AcpBackend {
  const cwd = process.cwd();
  const env = { PATH: process.env['PATH'] ?? '' };
  const command = { command: process.execPath, args: [__filename, 'agent'], env, cwd };
  return new AcpBackend({
    id: 'bench',
    title: 'Bench',
    clientInfo: { name: 'backline', title: 'Backline', version: '0.0.0' },
    editor,
    clock: systemClock,
    log: nullLogger,
    tap: disabledTrafficTap,
    startAgent: () => startAgentProcess(command, { clock: systemClock, log: nullLogger }),
    restartPolicy: new RestartPolicy(() => performance.now(), Math.random),
    standing: standingOf(),
    missingFile: 'error',
    terminalEnv: env,
    mcpServers: () => Promise.resolve([]),
    defaultFolder: () => '/ws',
  });
}
