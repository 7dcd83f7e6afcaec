import { backendOf, cwd } from '../../../fake/backendHarness';
import { conforms } from './support/conforms';
import { V1Agent } from './support/v1Agent';

conforms({
  title: 'an agent of ACP v1',
  cwd: () => cwd,
  cannot: { takenUp: 'one process has a session, and whoever loads it again gets the same one' },
  open: () => {
    const agent = new V1Agent();
    const { backend } = backendOf(agent.script);
    return Promise.resolve({
      backend,
      play: (script) => (agent.play = script),
      takeUpHistory: () => backend.loadSession('old', { cwd }),
      beginOther: ({ id }, script) => agent.beginOther(id, script),
      close: () => backend.stop(),
    });
  },
});
