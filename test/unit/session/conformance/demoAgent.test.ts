import { join } from 'node:path';
import { nullLogger } from '../../../../src/base/common/log';
import { systemClock } from '../../../../src/base/node/systemClock';
import { startAgentProcess } from '../../../../src/acp/node/process/agentProcess';
import { backendOf } from '../../../fake/backendHarness';
import { useDemoAgent } from '../../../fake/acp/demoHarness';
import { conforms } from './support/conforms';

describe('over stdio', () => {
  const demo = useDemoAgent();
  /** One process for all tests: each has a session of its own in it. */
  let agent: ReturnType<typeof backendOf> | undefined;

  after(() => agent?.backend.stop());

  function start(): ReturnType<typeof backendOf> {
    const { agentFile, folder } = demo;
    const args = [agentFile, '--state', join(folder, 'state')];
    const command = { command: process.execPath, args, env: { PATH: '' }, cwd: folder };
    const made = backendOf(() => undefined, {
      startAgent: () => startAgentProcess(command, { clock: systemClock, log: nullLogger }),
    });
    made.editor.setFolders(folder);
    return made;
  }

  conforms({
    title: 'the demo agent',
    cwd: () => demo.folder,
    cannot: {
      endBlock: 'it tells one text between two calls',
      misuse: 'it has no tool that fails by itself',
      begin: 'it waits for each of its tools',
      end: 'it waits for each of its tools',
      leaveOpen: 'it waits for each answer',
      others: 'it does nothing that nobody has asked for',
      usage: 'there is no model that would use any',
      takenUp: 'one process has a session, and whoever loads it again gets the same one',
    },
    open: () => {
      const { backend, editor } = (agent ??= start());
      editor.setFile(join(demo.folder, 'a.ts'), 'const colour = 1;\n');
      return Promise.resolve({
        backend,
        takeUpHistory: async () => {
          const options = { cwd: demo.folder };
          const session = await backend.createSession(options);
          await session.sendPrompt({ text: 'hello' });
          for await (const { event } of session.events()) if (event.event === 'prompt:complete') break;
          await session.close();
          return await backend.loadSession(session.id, options);
        },
        close: () => Promise.resolve(),
      });
    },
  });
});
