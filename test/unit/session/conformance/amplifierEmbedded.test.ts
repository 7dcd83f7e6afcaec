import { backendOf, cwd } from '../../../fake/backendHarness';
import { connectTo, patientLimits } from '../../amplifier/node/clientHarness';
import { registryOf, ServerHarness } from '../../amplifier/server/support/serverHarness';
import { conforms } from './support/conforms';
import { V1Agent } from './support/v1Agent';

conforms({
  title: 'the embedded Amplifier server before an agent of ACP v1',
  cwd: () => cwd,
  cannot: {
    settings: 'the API reference has no way to set anything',
    history: 'a session is loaded with what is still true of it, and its new turns',
  },
  open: async ({ deadlineMs }) => {
    const agent = new V1Agent();
    const { backend: served } = backendOf(agent.script);
    const harness = await ServerHarness.start({
      backends: registryOf({ fake: served }),
      ...(deadlineMs === undefined ? {} : { limits: { approvalTimeoutMs: 1000 + deadlineMs } }),
    });
    const url = new URL(harness.url);
    const { backend } = connectTo(url, { limits: patientLimits });
    const other = connectTo(url, { limits: patientLimits });
    return {
      backend,
      play: (script) => (agent.play = script),
      beginOther: async ({ id }, script) => {
        agent.play = script;
        const theirs = await other.backend.loadSession(id, { cwd });
        await theirs.sendPrompt({ text: 'theirs' });
      },
      takeUp: ({ id }) => other.backend.loadSession(id, { cwd }),
      close: async () => {
        backend.dispose();
        other.backend.dispose();
        await harness.stop();
        await served.stop();
      },
    };
  },
});
