// A window that installs an npm package, in a process of its own so that it can be killed. Built by the tests that start it:
// installHost.js <folder of the agents> <agent-reaper.js> <name@version>, with the environment of npm as its own.
import { AgentReaper } from '../../../src/acp/node/process/agentReaper';
import { AgentInstaller } from '../../../src/agents/node/agentInstaller';
import { nullLogger } from '../../../src/base/common/log';
import { realInstallPorts } from './installPorts';

const [folder = '', reaperFile = '', spec = ''] = process.argv.slice(2);

async function main(): Promise<void> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) env[name] = value;
  const reaper = new AgentReaper({ file: reaperFile, log: nullLogger });
  const guardProcess = (group: number) => {
    console.log(group);
    return reaper.watch(group);
  };
  const installer = new AgentInstaller({ folder, ports: { ...realInstallPorts(env), guardProcess } });
  await installer.start();
  const agent = { id: 'test-agent', name: 'Test Agent', version: '1.0.0', description: 'x', authors: [] };
  const distributions = [{ kind: 'npx', package: spec, args: [], env: {} } as const];
  const { signal } = new AbortController();
  await installer.install({ ...agent, distributions }, { signal, onProgress: () => undefined });
}

void main();
