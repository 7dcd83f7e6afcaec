import { cwd } from '../../../fake/backendHarness';
import { v2BackendOf } from '../../../fake/acp/scriptedV2Agent';
import { conforms } from './support/conforms';
import { V2Agent } from './support/v2Agent';

conforms({
  title: 'an agent of ACP v2',
  cwd: () => cwd,
  cannot: {
    usage: 'the stable part of the protocol does not tell what a turn used',
    takenUp: 'one process has a session, and whoever loads it again gets the same one',
  },
  open: () => {
    const agent = new V2Agent();
    const { backend } = v2BackendOf(agent.script);
    return Promise.resolve({
      backend,
      play: (script) => (agent.play = script),
      takeUpHistory: () => backend.loadSession('old', { cwd }),
      beginOther: ({ id }, script) => agent.beginOther(id, script),
      close: () => backend.stop(),
    });
  },
});
