import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import * as net from 'node:net';
import * as vscode from 'vscode';
import { WebSocketServer } from 'ws';
import { connectToAgent } from '../../src/acp/node/remote/remoteAgentLink';
import { openDownload, readBody } from '../../src/agents/node/download/openDownload';
import { AmplifierClient } from '../../src/amplifier/node/client/http/amplifierClient';
import { messageOf } from '../../src/base/common/errors';
import { nullLogger } from '../../src/base/common/log';
import { systemClock } from '../../src/base/node/systemClock';
import { fetchAnswer } from '../../src/context/node/httpAnswer';
import { Settings } from '../../src/platform/vscode/settings';
import { OutgoingHttp } from '../../src/wire/node/outgoingHttp';
import { makeCertificate, startTlsServer, type Certificate, type TlsServer } from '../unit/context/support/tlsServer';

/** A proxy that connects every name to this machine, as the only one that knows it. */
class LocalProxy {
  readonly targets: string[] = [];
  private readonly sockets = new Set<net.Socket>();
  private readonly server = net.createServer((socket) => {
    this.keep(socket);
    socket.once('data', (data) => {
      const [, host = '', port = ''] = /^CONNECT (\S+):(\d+) HTTP/.exec(data.toString('latin1')) ?? [];
      this.targets.push(host);
      const target = net.connect(Number(port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        socket.pipe(target).pipe(socket);
      });
      this.keep(target);
    });
  });

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const address = this.server.address();
    assert.ok(address !== null && typeof address === 'object');
    return `http://127.0.0.1:${address.port}`;
  }

  stop(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private keep(socket: net.Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
  }
}

describe('all HTTP of the extension', () => {
  const log = nullLogger;
  const settings = new Settings(log);
  const http = new OutgoingHttp(() => settings.network().verifiesCertificates);
  const proxy = new LocalProxy();
  let proxyUrl: string;
  let trusted: Certificate;
  let untrusted: Certificate;
  let server: TlsServer | undefined;
  let asked: string[];

  const set = async (name: string, value: unknown): Promise<void> =>
    await vscode.workspace.getConfiguration('http').update(name, value, vscode.ConfigurationTarget.Global);

  before(async () => {
    proxyUrl = await proxy.start();
    // The test runner has started VS Code with this variable.
    const file = process.env['NODE_EXTRA_CA_CERTS'] ?? '';
    trusted = { cert: await readFile(file, 'utf8'), key: await readFile(`${file}.key`, 'utf8') };
    untrusted = await makeCertificate({ host: 'DNS:trusted.backline.test,IP:127.0.0.1' });
  });
  beforeEach(() => {
    asked = [];
    proxy.targets.length = 0;
  });
  afterEach(async () => {
    server?.close();
    for (const name of ['proxy', 'noProxy', 'proxyStrictSSL']) await set(name, undefined);
  });
  after(() => proxy.stop());

  /** Returns the port. */
  async function serve(certificate: Certificate): Promise<string> {
    server = await startTlsServer(certificate, ({ url = '', method = '' }, response) => {
      asked.push(`${method} ${url}`);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"status":"healthy"}');
    });
    return new URL(server.origin).port;
  }

  const signal = new AbortController().signal;
  async function connectAgent(url: string): Promise<void> {
    const agent = connectToAgent({ url, headers: {} }, { clock: systemClock, http, log });
    const closed = new Promise<string>((resolve) => {
      agent.stream.onDidClose(({ error }) => resolve(error?.message ?? ''));
    });
    agent.stream.onMessage(() => undefined);
    const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: 1 } };
    await agent.stream.send(initialize).catch(() => undefined);
    const message = await closed;
    await agent.stop();
    if (asked.length === 0) throw new Error(message);
  }

  /** Everything that sends requests, to `https://<host>`. Each throws its own error if nothing was asked. */
  const requests: Readonly<Record<string, (host: string) => Promise<unknown>>> = {
    'a context provider': (host) => fetchAnswer(http.fetch, `https://${host}/`, { method: 'POST', body: '{}' }, 1_000),
    'a download': async (host) =>
      await readBody(
        await openDownload(`https://${host}/`, {
          ...{ fetch: http.fetch, clock: systemClock, signal, maxBytes: 1_000, silenceMs: 20_000 },
          allowsLoopback: false,
        }),
      ),
    'an Amplifier server': async (host) => {
      const baseUrl = new URL(`https://${host}`);
      const client = new AmplifierClient({ http, baseUrl, log, timeouts: { healthMs: 20_000 } });
      await client.health().finally(() => client.dispose());
    },
    'a remote agent': (host) => connectAgent(`https://${host}/acp`),
    'a remote agent over a WebSocket': async (host) => {
      const sockets = new WebSocketServer({ noServer: true });
      server?.server.on('upgrade', (request, socket, head) => {
        asked.push('upgrade');
        sockets.handleUpgrade(request, socket, head, (webSocket) => webSocket.close());
      });
      await connectAgent(`wss://${host}/acp`);
    },
  };

  for (const [what, ask] of Object.entries(requests)) {
    describe(`a request to ${what}`, () => {
      it('trusts the certificates in NODE_EXTRA_CA_CERTS', async () => {
        await ask(`127.0.0.1:${await serve(trusted)}`);
        assert.equal(asked.length > 0, true);
      });

      it('goes through http.proxy, and trusts the same certificates behind it', async () => {
        await set('proxy', proxyUrl);
        await ask(`trusted.backline.test:${await serve(trusted)}`);
        assert.ok(proxy.targets.includes('trusted.backline.test'));
      });

      it('does not go through http.proxy to hosts of http.noProxy', async () => {
        await set('proxy', proxyUrl);
        await set('noProxy', ['trusted.backline.test']);
        await assert.rejects(ask(`trusted.backline.test:${await serve(trusted)}`));
        assert.deepEqual([asked, proxy.targets], [[], []]);
      });

      it('is not sent to a server whose certificate is not trusted, and the error says how to trust it', async () => {
        await assert.rejects(ask(`127.0.0.1:${await serve(untrusted)}`), (error) => {
          const advice = error instanceof Error && 'advice' in error ? String(error.advice) : '';
          assert.match(`${messageOf(error)} ${advice}`, /its certificate is self-signed.*NODE_EXTRA_CA_CERTS/s);
          return true;
        });
        assert.deepEqual(asked, []);
      });

      it('accepts any certificate if http.proxyStrictSSL is off', async () => {
        await set('proxyStrictSSL', false);
        await ask(`127.0.0.1:${await serve(untrusted)}`);
        assert.equal(asked.length > 0, true);
      });

      it('says that the proxy cannot be reached', async () => {
        await set('proxy', 'http://127.0.0.1:9');
        await assert.rejects(ask(`trusted.backline.test:${await serve(trusted)}`), (error) => {
          const advice = error instanceof Error && 'advice' in error ? String(error.advice) : '';
          assert.match(`${messageOf(error)} ${advice}`, /http\.proxy/);
          return true;
        });
      });
    });
  }
});
