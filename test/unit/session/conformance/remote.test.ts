import { cwd } from '../../../fake/backendHarness';
import { addressOf, remoteBackendOf, serveAgents, servedBackendOf, transports } from '../../../fake/acp/remoteAgents';
import { ScriptedV2Agents } from '../../../fake/acp/scriptedV2Agent';
import { conforms } from './support/conforms';
import { V1Agent } from './support/v1Agent';
import { V2Agent } from './support/v2Agent';

for (const transport of transports) {
  conforms({
    title: `an agent at a URL, over ${transport}`,
    cwd: () => cwd,
    cannot: { takenUp: 'one process has a session, and whoever loads it again gets the same one' },
    open: async () => {
      const agent = new V1Agent();
      const { backend, server } = await servedBackendOf(agent.script, transport);
      return {
        backend,
        play: (script) => (agent.play = script),
        takeUpHistory: () => backend.loadSession('old', { cwd }),
        beginOther: ({ id }, script) => agent.beginOther(id, script),
        close: async () => {
          await backend.stop();
          await server.stop();
        },
      };
    },
  });

  conforms({
    title: `an agent of ACP v2 at a URL, over ${transport}`,
    cwd: () => cwd,
    cannot: {
      usage: 'the stable part of the protocol does not tell what a turn used',
      takenUp: 'one process has a session, and whoever loads it again gets the same one',
    },
    open: async () => {
      const agent = new V2Agent();
      const server = await serveAgents(new ScriptedV2Agents(agent.script).start);
      const { backend } = remoteBackendOf(() => addressOf(server.url, transport), { protocol: '2' });
      return {
        backend,
        play: (script) => (agent.play = script),
        takeUpHistory: () => backend.loadSession('old', { cwd }),
        beginOther: ({ id }, script) => agent.beginOther(id, script),
        close: async () => {
          await backend.stop();
          await server.stop();
        },
      };
    },
  });
}
