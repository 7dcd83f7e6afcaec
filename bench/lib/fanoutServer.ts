import { randomUUID } from 'node:crypto';
import { AcpBackend } from '../../src/acp/node/acpBackend';
import { startAgentProcess } from '../../src/acp/node/agentProcess';
import { RestartPolicy } from '../../src/acp/node/restartPolicy';
import { AmplifierServer } from '../../src/amplifier/node/server/amplifierServer';
import { nullLogger } from '../../src/base/common/log';
import { systemClock } from '../../src/base/node/systemClock';
import { closedTap } from '../../src/wire/common/traffic';
import { FakeEditor } from '../../test/fake/fakeEditor';
import { tellParent } from './child';

/** The embedded server over an ACP agent, which is this same bundle in the role `agent`; tells its port. */
export async function runFanoutServer(): Promise<void> {
  const cwd = process.cwd();
  const env = { PATH: process.env['PATH'] ?? '' };
  const command = { command: process.execPath, args: [__filename, 'agent'], env, cwd };
  const editor = new FakeEditor({}, [cwd]);
  const backend = new AcpBackend({
    id: 'bench',
    title: 'Bench',
    clientInfo: { name: 'backline', title: 'Backline', version: '0.0.0' },
    editor,
    clock: systemClock,
    log: nullLogger,
    tap: closedTap,
    startAgent: () => startAgentProcess(command, { clock: systemClock, log: nullLogger }),
    restartPolicy: new RestartPolicy(() => Date.now(), Math.random),
    rules: { rules: [], add: () => Promise.resolve() },
    missingFile: 'error',
    terminalEnv: env,
    mcpServers: () => Promise.resolve([]),
  });
  const entry = { id: 'bench', title: 'Bench', source: 'configured', description: '' } as const;
  const server = new AmplifierServer({
    backends: { list: () => Promise.resolve([entry]), open: () => Promise.resolve(backend) },
    workspace: { folders: editor.folders, resolve: (path) => Promise.resolve(path), stat: (path) => editor.stat(path) },
    clock: systemClock,
    log: nullLogger,
    newId: randomUUID,
    version: '0.0.0',
    host: '127.0.0.1',
    ports: [0],
    token: undefined,
    profilesFrom: 'the bench',
  });
  await server.start();
  process.on('exit', () => backend.dispose());
  process.on('disconnect', () => process.exit());
  tellParent({ port: Number(new URL(server.url).port) });
}
