import { randomUUID } from 'node:crypto';
import { AgentLauncher } from '../../../src/acp/node/catalogue/agentLauncher';
import { AgentReaper } from '../../../src/acp/node/process/agentReaper';
import { nullLogger, type Logger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import { disabledTrafficTap } from '../../../src/wire/common/traffic';
import { FakeEditor } from '../fakeEditor';
import { standingOf } from '../fakePermissions';
import { answeringConsent } from '../answeringConsent';
import { OutgoingHttp } from '../../../src/wire/node/outgoingHttp';

/**
 * A program that stands for a window: it runs an agent (its first argument) in the folder that is its second, with the
 * reaper that is its third, gives the agent something to do when there is a fourth, and prints the agent's process id as
 * soon as the agent is up or at work.
 */
async function main(agentFile: string, folder: string, reaperFile: string, prompt?: string): Promise<void> {
  let pid = '';
  const log: Logger = {
    ...nullLogger,
    child: () => log,
    info: (message) => {
      pid ||= /process (\d+)/.exec(message)?.[1] ?? '';
    },
  };
  const reaper = new AgentReaper({ file: reaperFile, log: nullLogger });
  const launcher = new AgentLauncher({
    clientInfo: { name: 'backline', title: 'Backline', version: '0.0.0' },
    editor: new FakeEditor({}, [folder]),
    clock: systemClock,
    http: new OutgoingHttp(),
    log,
    tap: disabledTrafficTap,
    standing: standingOf(),
    environment: { PATH: '' },
    defaultFolder: () => folder,
    isTrusted: () => true,
    agentConsent: { consent: answeringConsent('denied'), places: () => ({ cwd: folder, folders: [folder] }) },
    guard: (leader) => reaper.watch(leader),
    createId: randomUUID,
    random: Math.random,
    elicit: () => Promise.resolve({ action: 'decline' }),
    runInTerminal: () => Promise.resolve(false),
    keysOf: () => Promise.resolve({}),
  });
  const backend = launcher.createBackend({
    id: 'demo',
    title: 'Demo',
    command: process.execPath,
    args: [agentFile],
    env: {},
    dialect: 'v1',
    mcpServers: {},
    missingFile: 'error',
    source: 'demo',
  });
  await backend.capabilities();
  if (prompt !== undefined) {
    const session = await backend.createSession({ cwd: folder });
    await session.sendPrompt({ text: prompt });
    for await (const { event } of session.events()) {
      if (event.event === 'content_block:delta') break;
    }
  }
  process.stdout.write(`${pid}\n`);
}

const [, , agentFile = '', folder = '', reaperFile = '', prompt] = process.argv;
void main(agentFile, folder, reaperFile, prompt);
