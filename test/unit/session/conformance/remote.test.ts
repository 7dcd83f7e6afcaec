import { cwd } from '../../../fake/backendHarness';
import { servedBackendOf, transports } from '../../../fake/remoteAgents';
import { conforms } from './support/conforms';
import { V1Agent } from './support/v1Agent';

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
        close: async () => {
          await backend.stop();
          await server.stop();
        },
      };
    },
  });
}
