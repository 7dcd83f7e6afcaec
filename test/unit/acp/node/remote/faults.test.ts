import assert from 'node:assert/strict';
import type { WebSocket } from 'ws';
import type { ProtocolSetting } from '../../../../../src/acp/common/catalogue/agentSettings';
import type { Clock } from '../../../../../src/base/common/async';
import { systemClock } from '../../../../../src/base/node/systemClock';
import { cwd, Follower } from '../../../../fake/backendHarness';
import { CuttableProxy } from '../../../../fake/acp/cuttableProxy';
import { addressOf, remoteBackendOf, serveAgents, transports, type Transport } from '../../../../fake/acp/remoteAgents';
import { basics, echo, never, says, ScriptedAgents, type Script } from '../../../../fake/acp/scriptedAgent';
import { eventually } from '../../../../support/eventually';
import { turns } from '../../../../support/turns';
import { headers, HttpAgent, initialized, textOf, useRemote, LyingServer } from './support';

describe('a connection to a remote agent', () => {
  const { cleanups, lying, backendAt, failureAt } = useRemote();

  /** An agent of the SDK behind our server, which is reached through a proxy that can be cut. */
  async function servedThroughProxy(script: Script, transport: Transport, protocol: ProtocolSetting = 'auto') {
    const agents = new ScriptedAgents(script);
    const server = await serveAgents(agents.start);
    const proxy = new CuttableProxy(new URL(server.url));
    await proxy.start();
    cleanups.push(() => proxy.stop());
    cleanups.push(() => server.stop());
    const { url } = addressOf(`http://127.0.0.1:${proxy.url.port}/acp`, transport);
    return { agents, backend: backendAt(url, {}, { protocol }), proxy, server };
  }

  for (const transport of transports) {
    describe(`over ${transport}`, () => {
      const scheme = transport === 'http' ? 'http' : 'ws';

      it('that is cut before the answer to initialize is tried once more, with version 1', async () => {
        const offers: unknown[] = [];
        const { backend, proxy } = await servedThroughProxy((app) => {
          app.onRequest('initialize', ({ params }) => {
            offers.push(params.protocolVersion);
            if (offers.length > 1) return { protocolVersion: 1 };
            proxy.cut();
            return never();
          });
        }, transport);
        await backend.capabilities();
        assert.deepEqual(offers, [2, 1]);
      });

      it('that is refused is not tried again with version 1', async () => {
        const agent = new HttpAgent();
        agent.intercept = ({ response }) => {
          response.writeHead(403).end();
          return true;
        };
        const server = await lying({
          ...agent.behavior,
          upgrade: (socket) => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n'),
        });
        assert.match(await failureAt(server.url(scheme)), /refused the connection \(403\)/);
        assert.equal(server.requests.length, 1);
      });

      it('that is cut before the answer to version 1 fails, and the next attempt connects', async () => {
        let starts = 0;
        const { backend, proxy } = await servedThroughProxy(
          (app) => {
            const nth = ++starts;
            app.onRequest('initialize', () => {
              if (nth === 1) {
                proxy.cut();
                return never();
              }
              return { protocolVersion: 1 };
            });
          },
          transport,
          '1',
        );
        await assert.rejects(backend.capabilities(), /Demo is unavailable/);
        await backend.capabilities();
        assert.equal(starts, 2);
      });

      it('that is cut while a session is created fails that, and the next session is created', async () => {
        let cuts = 0;
        const { backend, proxy } = await servedThroughProxy((app) => {
          app.onRequest('session/new', () => {
            if (cuts++ > 0) return { sessionId: 's' };
            proxy.cut();
            return never();
          });
          basics(app);
        }, transport);
        await assert.rejects(backend.createSession({ cwd }), /Demo is unavailable/);
        await backend.createSession({ cwd });
      });

      it('that is cut in a turn ends it, and the next prompt resumes the session in a new connection', async () => {
        const resumed: string[] = [];
        const { agents, backend, proxy, server } = await servedThroughProxy((app, process, nth) => {
          app.onRequest('session/resume', ({ params }) => {
            resumed.push(params.sessionId);
            return {};
          });
          if (nth > 1) echo(app, process, nth);
          else {
            basics(app);
            app.onRequest('session/prompt', async ({ params, client }) => {
              await client.notify('session/update', says(params.sessionId, 'half'));
              return never();
            });
          }
        }, transport);
        const session = await backend.createSession({ cwd });
        const follower = new Follower(session);
        await session.sendPrompt({ text: 'first' });
        await follower.next('content_block:delta');
        proxy.cut();
        const { error: words } = await follower.next('error');
        assert.match(words, /Demo is unavailable\. .*was (lost|closed)/);
        await session.sendPrompt({ text: 'second' });
        await follower.next('prompt:complete');
        assert.deepEqual(resumed, [session.id]);
        assert.match(JSON.stringify(follower.all('content_block:delta')), /second/);
        await eventually('the first agent has ended', () => assert.ok(agents.started[0]?.isGone));
        assert.equal(server.agentCount, 1);
      });

      it('that is cut in an approval withdraws it', async () => {
        const { backend, proxy } = await servedThroughProxy((app) => {
          basics(app);
          app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
            const toolCall = { toolCallId: 'c', title: 'Run' };
            const options = [{ optionId: 'y', name: 'Yes', kind: 'allow_once' as const }];
            await client.request('session/request_permission', { sessionId, toolCall, options });
            return { stopReason: 'end_turn' };
          });
        }, transport);
        const session = await backend.createSession({ cwd });
        const follower = new Follower(session);
        await session.sendPrompt({ text: 'x' });
        await follower.next('approval:required');
        proxy.cut();
        await follower.next('approval:denied');
        await follower.next('error');
      });

      it('is refused with a wrong token, in words that explain what to do', async () => {
        const server = await serveAgents(new ScriptedAgents(echo).start, { token: 'another-token-of-mine' });
        cleanups.push(() => server.stop());
        const failure = await failureAt(addressOf(server.url, transport).url);
        assert.match(
          failure,
          /refused the connection \(401\)\. Check the agent’s headers, .* "Backline: Manage Agent Keys…"/,
        );
      });

      it('does not follow a redirect, so that the token stays', async () => {
        const thief = await lying({});
        const server = await lying({
          http: ({ response }) => response.writeHead(307, { Location: thief.url('http') }).end(),
          upgrade: (socket) =>
            socket.end(`HTTP/1.1 307 Temporary Redirect\r\nLocation: ${thief.url('ws')}\r\nContent-Length: 0\r\n\r\n`),
        });
        assert.match(await failureAt(server.url(scheme)), /redirects to another URL \(307\)/);
        assert.deepEqual(thief.requests, []);
      });

      it('fails if there is no server, or one that accepts no connection', async () => {
        const server = await new LyingServer({}).start();
        const url = server.url(scheme);
        await server.stop();
        assert.match(await failureAt(url), /No agent answers at .* \(ECONNREFUSED\)\. Check the URL/);
      });

      it('is lost if the server gives no sign of life', async () => {
        const agent = new HttpAgent();
        const sockets: WebSocket[] = [];
        const server = await lying({
          ...agent.behavior,
          socket: (socket) => {
            sockets.push(socket);
            socket.on('message', (data) => {
              const { id } = JSON.parse(textOf(data)) as { id: number };
              socket.send(JSON.stringify(initialized(id)));
              // From now on nothing is read, so that no ping is answered.
              setImmediate(() => socket.pause());
            });
          },
        });
        const backend = backendAt(server.url(scheme));
        await backend.capabilities();
        // The stream has had a sign of life before.
        await eventually('the stream', () => assert.ok(transport === 'webSocket' || agent.streams.has('')));
        agent.streams.get('')?.write(':\n\n');
        await eventually('the loss', () => {
          assert.ok(backend.state.kind === 'failed');
          assert.match(backend.state.message, /nothing has arrived|the server did not answer/);
        });
        for (const socket of sockets) socket.resume();
      });

      it('is not lost while the server gives signs of life, though it has nothing to say', async () => {
        const server = await serveAgents(new ScriptedAgents(echo).start);
        cleanups.push(() => server.stop());
        let checks = 0;
        const clock: Clock = {
          ...systemClock,
          setTimer: (delayMs, callback) => {
            let isWanted = true;
            const check = async (): Promise<void> => {
              // Signs of life that have arrived while this process stood still are read first.
              if (delayMs === 40) await turns();
              if (delayMs === 40) checks++;
              if (isWanted) callback();
            };
            const timer = systemClock.setTimer(delayMs, () => void check());
            return {
              dispose: () => {
                isWanted = false;
                timer.dispose();
              },
            };
          },
        };
        const limits = { pingMs: 40, silenceMs: 120 };
        const { url } = addressOf(server.url, transport);
        const { backend } = remoteBackendOf(() => ({ url, headers }), {}, { limits, clock });
        cleanups.push(() => backend.stop());
        const session = await backend.createSession({ cwd });
        await eventually('some checks', () => assert.ok(checks >= 5));
        const follower = new Follower(session);
        await session.sendPrompt({ text: 'still there?' });
        await follower.next('prompt:complete');
      });

      it('ends with a message that is too large, before it is in memory', async () => {
        const agent = new HttpAgent();
        const server = await lying({
          ...agent.behavior,
          socket: (socket) => socket.on('message', () => socket.send('x'.repeat(100_000))),
        });
        const backend = backendAt(server.url(scheme), { maxMessageBytes: 10_000 });
        const connecting = backend.capabilities();
        if (transport === 'http') {
          await connecting;
          await eventually('the stream', () => assert.ok(agent.streams.has('')));
          agent.streams.get('')?.write(`data: ${'x'.repeat(100_000)}\n\n`);
        }
        await connecting.catch(() => undefined);
        await eventually('the end', () => {
          assert.ok(backend.state.kind === 'failed');
          assert.match(backend.state.message, /too large/);
        });
      });

      it('hands over no answer twice, and none that nothing asked for', async () => {
        const agent = new HttpAgent();
        const say = { current: (message: Record<string, unknown>): void => agent.say(message) };
        const answer = (message: Record<string, unknown>): void => {
          const { id, method } = message;
          if (method === 'session/new') {
            say.current({ id: 'nobody-asked', result: { sessionId: 'wrong' } });
            say.current({ id, result: { sessionId: 's1' } });
            say.current({ id, result: { sessionId: 's2' } });
          } else if (id !== undefined) say.current({ id, result: {} });
        };
        agent.onMessage = answer;
        const server = await lying({
          ...agent.behavior,
          socket: (socket) => {
            say.current = (message) => socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
            socket.on('message', (data) => {
              const message = JSON.parse(textOf(data)) as Record<string, unknown>;
              if (message['method'] === 'initialize') say.current(initialized(message['id']));
              else answer(message);
            });
          },
        });
        const backend = backendAt(server.url(scheme), {});
        const session = await backend.createSession({ cwd });
        assert.equal(session.id, 's1');
        assert.equal(backend.state.kind, 'ready');
      });

      it('skips what is no message, and continues', async () => {
        const agent = new HttpAgent();
        const server = await lying({
          ...agent.behavior,
          socket: (socket) =>
            socket.on('message', (data) => {
              const { id, method } = JSON.parse(textOf(data)) as Record<string, unknown>;
              if (method === undefined) return;
              for (const noise of ['no json', '[1,2]', '7', '""', '{"jsonrpc":"2.0"}']) socket.send(noise);
              socket.send(Buffer.from([1, 2, 3]));
              const result =
                method === 'initialize' ? initialized(id) : { jsonrpc: '2.0', id, result: { sessionId: 's' } };
              socket.send(JSON.stringify(result));
            }),
        });
        agent.onMessage = ({ id }) => {
          const stream = agent.streams.get('');
          for (const noise of ['no json', '[1,2]', '7', '""', '{"jsonrpc":"2.0"}']) stream?.write(`data: ${noise}\n\n`);
          stream?.write('event: odd\nid: 7\nretry: 1\n\n');
          if (id !== undefined) agent.say({ id, result: { sessionId: 's' } });
        };
        const backend = backendAt(server.url(scheme), {});
        assert.equal((await backend.createSession({ cwd })).id, 's');
      });

      it('is ended at the server when the agent is stopped', async () => {
        const agents = new ScriptedAgents(echo);
        const server = await serveAgents(agents.start);
        cleanups.push(() => server.stop());
        const backend = backendAt(addressOf(server.url, transport).url, {});
        await backend.createSession({ cwd });
        await backend.stop();
        assert.equal(backend.state.kind, 'stopped');
        await eventually('the agent has ended', () =>
          assert.deepEqual([agents.last.isGone, server.agentCount], [true, 0]),
        );
      });

      it('tells when the agent behind it has crashed, and connects to a new one', async () => {
        const agents = new ScriptedAgents((app, process, nth) => {
          if (nth > 1) echo(app, process, nth);
          else {
            basics(app);
            app.onRequest('session/prompt', () => {
              process.crash('boom');
              return never();
            });
          }
        });
        const server = await serveAgents(agents.start);
        cleanups.push(() => server.stop());
        const backend = backendAt(addressOf(server.url, transport).url, {});
        const session = await backend.createSession({ cwd });
        const follower = new Follower(session);
        await session.sendPrompt({ text: 'x' });
        await follower.next('error');
        await session.sendPrompt({ text: 'again' });
        await follower.next('prompt:complete');
        assert.equal(agents.started.length, 2);
      });
    });
  }
});
