import type { AcpBackendDeps } from '../../../src/acp/node/session/acpBackend';
import { AgentServer, type AgentServerDeps } from '../../../src/acp/node/serve/agentServer';
import { connectToAgent } from '../../../src/acp/node/remote/remoteAgentLink';
import { remoteConnectionTexts } from '../../../src/acp/common/connection/connectionTexts';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import { backendOf } from '../backendHarness';
import { ScriptedAgents, type Script } from './scriptedAgent';
import { OutgoingHttp } from '../../../src/wire/node/outgoingHttp';

export const transports = ['http', 'webSocket'] as const;
export type Transport = (typeof transports)[number];

export const remoteToken = 'a-token-of-24-characters';

export async function serveAgents(
  startAgent: AgentServerDeps['startAgent'],
  options: Partial<AgentServerDeps> = {},
): Promise<AgentServer> {
  const server = new AgentServer({
    startAgent,
    host: '127.0.0.1',
    port: 0,
    token: remoteToken,
    allowedHosts: [],
    clock: systemClock,
    log: nullLogger,
    ...options,
  });
  await server.start();
  return server;
}

/** The address of a server over one of the transports. */
export function addressOf(url: string, transport: Transport, token = remoteToken) {
  const address = transport === 'http' ? url : url.replace(/^http/, 'ws');
  return { url: address, headers: { Authorization: `Bearer ${token}` } };
}

type LinkDeps = Partial<Parameters<typeof connectToAgent>[1]>;

/** A backend that connects to an address. Its sessions do not know that. */
export function remoteBackendOf(
  address: () => Parameters<typeof connectToAgent>[0],
  options: Partial<AcpBackendDeps> = {},
  link: LinkDeps = {},
) {
  return backendOf(() => undefined, {
    texts: remoteConnectionTexts,
    startAgent: () =>
      Promise.resolve(
        connectToAgent(address(), { clock: systemClock, http: new OutgoingHttp(), log: nullLogger, ...link }),
      ),
    ...options,
  });
}

/** A scripted agent behind a server of its own. */
export async function servedBackendOf(script: Script, transport: Transport, options: Partial<AcpBackendDeps> = {}) {
  const agents = new ScriptedAgents(script);
  const server = await serveAgents(agents.start);
  const made = remoteBackendOf(() => addressOf(server.url, transport), options);
  return { ...made, agents, server };
}
