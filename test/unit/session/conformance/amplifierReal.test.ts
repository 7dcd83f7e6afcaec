import { RealDialectServer } from '../../../fake/amplifier/realDialectServer';
import type { RealTurn, TurnScript } from '../../../fake/amplifier/realDialectSession';
import { connectTo } from '../../amplifier/node/clientHarness';
import type { Agent, Script } from './support/agent';
import { conforms } from './support/conforms';

const cwd = '/ws';

/** One turn on the server that exists. It tells the whole text again at the end, with other white space. */
function agentOf(turn: RealTurn, server: RealDialectServer, timeoutSeconds: number, said: string[]): Agent {
  const begin = (call: string): Promise<void> => {
    turn.toolPre(call);
    return Promise.resolve();
  };
  const end = (call: string): Promise<void> => {
    turn.toolPost(call, 'done');
    return Promise.resolve();
  };
  return {
    say: (text) => {
      said.push(text);
      turn.delta(text);
      return Promise.resolve();
    },
    think: (text) => {
      turn.thinking(text);
      return Promise.resolve();
    },
    begin,
    end,
    use: async (call) => {
      await begin(call);
      await end(call);
    },
    misuse: (call) => {
      turn.toolPre(call);
      const result = { success: false, output: null, error: 'It did not work.' };
      turn.session.emit('tool:post', { tool_name: call, operation: call, result, duration_ms: null });
      return Promise.resolve();
    },
    ask: (call) => turn.gatedTool(call, { timeoutSeconds }),
    untilStopped: () => new Promise(() => undefined),
    lose: async () => {
      await server.stop();
      await server.start();
      await new Promise(() => undefined);
    },
  };
}

conforms({
  title: 'an Amplifier server as it exists',
  cwd: () => cwd,
  cannot: {
    endBlock: 'the server announces no blocks: something else must come between them',
    leaveOpen: 'the server goes on when it has an answer, not before',
    settings: 'the server has no way to set anything',
    history: 'the server tells no history',
    others: 'the server cannot stop a turn',
  },
  open: async ({ deadlineMs = 299_000 }) => {
    let play: Script = () => Promise.resolve();
    const script: TurnScript = async (turn) => {
      const said: string[] = [];
      await play(agentOf(turn, server, 1 + deadlineMs / 1000, said));
      turn.complete(said.join(''));
    };
    const server = new RealDialectServer({ script, pingMs: 20 });
    await server.start();
    const { backend } = connectTo(server.url, { limits: { settleMs: 20_000 } });
    const other = connectTo(server.url, { limits: { settleMs: 20_000 } });
    return {
      backend,
      play: (next) => (play = next),
      takeUp: ({ id }) => other.backend.loadSession(id, { cwd }),
      close: async () => {
        backend.dispose();
        other.backend.dispose();
        await server.stop();
      },
    };
  },
});
