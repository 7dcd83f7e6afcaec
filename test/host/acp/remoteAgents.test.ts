import assert from 'node:assert/strict';
import { once } from 'node:events';
import * as net from 'node:net';
import * as vscode from 'vscode';
import { connectToAgent } from '../../../src/acp/node/remote/remoteAgentLink';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import { eventually } from '../../support/eventually';
import { OutgoingHttp } from '../../../src/wire/node/outgoingHttp';

/** A proxy that notes where it should connect, and refuses. Stop it. */
class NotingProxy {
  readonly targets: string[] = [];
  private readonly server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (data) => {
      const [, target] = /^CONNECT (\S+) HTTP/.exec(data.toString('latin1')) ?? [];
      this.targets.push(target ?? 'not a CONNECT');
      socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n');
    });
  });

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const address = this.server.address();
    assert.ok(address !== null && typeof address === 'object');
    return `http://127.0.0.1:${address.port}`;
  }

  async stop(): Promise<void> {
    this.server.close();
    await once(this.server, 'close');
  }
}

describe('remote agents and the network settings of VS Code', () => {
  const proxy = new NotingProxy();
  const configuration = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('http');
  const set = async (name: string, value: unknown): Promise<void> =>
    await configuration().update(name, value, vscode.ConfigurationTarget.Global);

  before(async () => {
    await set('proxy', await proxy.start());
  });
  afterEach(() => set('noProxy', undefined));
  after(async () => {
    await set('proxy', undefined);
    await proxy.stop();
  });

  async function attempt(url: string): Promise<string> {
    const agent = connectToAgent(
      { url, headers: {} },
      { clock: systemClock, http: new OutgoingHttp(), log: nullLogger },
    );
    const closed = new Promise<string>((resolve) => {
      agent.stream.onDidClose(({ error }) => resolve(error?.message ?? ''));
    });
    agent.stream.onMessage(() => undefined);
    const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: 1 } };
    await agent.stream.send(initialize).catch(() => undefined);
    const message = await closed;
    await agent.stop();
    return message;
  }

  for (const scheme of ['https', 'wss']) {
    it(`are reached over ${scheme} through http.proxy, except hosts of http.noProxy`, async () => {
      const target = `${scheme}-agent.test:8443`;
      await eventually('the proxy', async () => {
        assert.notEqual(await attempt(`${scheme}://${target}/acp`), '');
        assert.ok(proxy.targets.includes(target), proxy.targets.join());
      });
      await set('noProxy', [`${scheme}-agent.test`]);
      await eventually('no proxy', async () => {
        const before = proxy.targets.length;
        assert.match(await attempt(`${scheme}://${target}/acp`), /ENOTFOUND|EAI_AGAIN/);
        assert.equal(proxy.targets.length, before);
      });
    });
  }
});
