import * as z from 'zod';
import { DraftHarness, draftMessage, draftOptions, draftText } from '../../../fake/acp/draftHarness';
import type { RawPeer } from '../../../fake/acp/rawPeer';
import type { Agent, Script } from './support/agent';
import { conforms } from './support/conforms';

const InThread = z.object({ threadId: z.string() });
const failure = (error: unknown) => ({ error: { code: -32000, message: String(error) } });
const unknownMethod = { error: { code: -32601, message: 'Method not found' } };
const wireIsText = 'the wire knows text and the reading of files, nothing else';
const cannot = {
  endBlock: wireIsText,
  think: wireIsText,
  begin: wireIsText,
  end: wireIsText,
  misuse: 'a reading that failed is not told',
  leaveOpen: 'what an answer proposes is asked about when it is complete, and the turn waits for it',
  usage: wireIsText,
  others: 'what an agent says by itself is a whole message',
  settings: wireIsText,
  takenUp: 'one process has a session, and whoever loads it again gets the same one',
};

/** What an agent does in a thread through the requests that it can make. Questions come of the changes that it proposes. */
function agentOf(peer: RawPeer, threadId: string, say: Agent['say']): Agent {
  return {
    say,
    use: async () => {
      await peer.ask('readTextFile', { threadId, path: '/ws/a.ts' });
    },
    ask: (call) => say(`\n\`\`\`diff\n--- /dev/null\n+++ b/new-${call}.ts\n@@ -0,0 +1 @@\n+b\n\`\`\`\n`),
    untilStopped: () => new Promise(() => undefined),
    lose: () => {
      peer.close();
      return new Promise(() => undefined);
    },
  };
}

conforms({
  title: 'an agent of the draft that keeps its threads',
  cwd: () => draftOptions.cwd,
  cannot,
  open: ({ deadlineMs }) => {
    let play: Script = () => Promise.resolve();
    let threads = 0;
    const history = [
      { type: 'message', ...draftMessage('user', 'before') },
      { type: 'message', ...draftMessage('assistant', 'Earlier.') },
    ];
    const drafts = new DraftHarness((peer) => {
      peer.answers.set('createThread', () => ({ result: { threadId: `t${++threads}` } }));
      peer.answers.set('openThread', () => ({ result: null }));
      peer.answers.set('getThreadEntries', () => ({ result: { entries: history } }));
      peer.answers.set('sendMessage', (params) => {
        const { threadId } = InThread.parse(params);
        const say = async (text: string) => {
          await peer.ask('streamMessageChunk', { threadId, chunk: draftText(text) });
        };
        return play(agentOf(peer, threadId, say)).then(() => ({ result: null }), failure);
      });
    });
    return Promise.resolve({
      backend: drafts.backend,
      play: (script) => (play = script),
      takeUpHistory: () => drafts.backend.loadSession('old', draftOptions),
      ...(deadlineMs === undefined ? {} : { passDeadline: () => drafts.clock.advance(deadlineMs) }),
      close: () => drafts.backend.stop(),
    });
  },
});

conforms({
  title: 'an agent of the draft that asks for its threads',
  cwd: () => draftOptions.cwd,
  cannot,
  open: ({ deadlineMs }) => {
    let play: Script = () => Promise.resolve();
    const drafts = new DraftHarness((peer) => {
      peer.answers.set('createThread', () => unknownMethod);
      peer.answers.set('streamMessageChunk', (params) => {
        const { threadId } = InThread.parse(params);
        const say = async (text: string) => {
          await peer.ask('streamMessageChunk', { threadId, chunk: draftText(text) });
        };
        const end = () => peer.ask('sendMessage', { threadId, message: draftMessage('assistant', '') });
        return play(agentOf(peer, threadId, say)).then(() => {
          void end();
          return { result: null };
        }, failure);
      });
    });
    const { backend } = drafts;
    return Promise.resolve({
      backend,
      play: (script) => (play = script),
      takeUpHistory: async () => {
        play = (agent) => agent.say('Earlier.');
        const session = await backend.createSession(draftOptions);
        await session.sendPrompt({ text: 'before' });
        for await (const { event } of session.events()) if (event.event === 'prompt:complete') break;
        await session.close();
        return await backend.loadSession(session.id, draftOptions);
      },
      ...(deadlineMs === undefined ? {} : { passDeadline: () => drafts.clock.advance(deadlineMs) }),
      close: () => backend.stop(),
    });
  },
});
