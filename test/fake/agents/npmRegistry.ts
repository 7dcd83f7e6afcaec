import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';

/** Where npm's own client is loaded from: it is no package of the test. */
const upstream = 'https://registry.npmjs.org';

interface FakePackage {
  readonly name: string;
  readonly version: string;
  /** Contents by file name. A `package.json` is added. */
  readonly files: Readonly<Record<string, string>>;
  /** Commands by name: the file that each starts. */
  readonly bin: Readonly<Record<string, string>>;
}

/** A registry of npm packages and a registry of agents on loopback. The test that starts one stops it. */
export class NpmRegistry {
  private readonly server: Server;
  private readonly tarballs = new Map<string, Buffer>();
  private readonly versions = new Map<string, Record<string, unknown>>();
  /** The document of the registry of agents. */
  agents: unknown = { version: '1.0.0', agents: [] };
  readonly requests: string[] = [];

  private constructor() {
    this.server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
      const path = decodeURIComponent(pathname);
      this.requests.push(path);
      void this.answer(path).then(
        ({ body, type }) => response.writeHead(200, { 'content-type': type }).end(body),
        () => response.writeHead(404).end(),
      );
    });
  }

  static async start(): Promise<NpmRegistry> {
    const registry = new NpmRegistry();
    await new Promise<void>((resolve) => registry.server.listen(0, '127.0.0.1', resolve));
    return registry;
  }

  get origin(): string {
    const address = this.server.address();
    if (typeof address !== 'object' || !address) throw new Error('The registry does not listen.');
    return `http://127.0.0.1:${address.port}`;
  }

  get agentsAddress(): string {
    return `${this.origin}/agents.json`;
  }

  async publish({ bin, files, name, version }: FakePackage): Promise<void> {
    const manifest = { name, version, license: 'MIT', bin };
    const contents = { ...files, 'package.json': JSON.stringify(manifest) };
    const entries = Object.entries(contents).map(([file, body]) => ({
      header: { name: `package/${file}`, size: Buffer.byteLength(body), mode: 0o755 },
      body,
    }));
    const tarball = gzipSync(Buffer.from(await packTar(entries)));
    const file = `/${name}/-/${name}-${version}.tgz`;
    this.tarballs.set(file, tarball);
    this.versions.set(name, {
      ...this.versions.get(name),
      [version]: {
        ...manifest,
        dist: {
          tarball: `${this.origin}${file}`,
          integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
          unpackedSize: entries.reduce((sum, { header }) => sum + header.size, 0),
        },
      },
    });
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(path: string): Promise<{ readonly body: Buffer | string; readonly type: string }> {
    const json = 'application/json';
    if (path === '/agents.json') return { body: JSON.stringify(this.agents), type: json };
    const tarball = this.tarballs.get(path);
    if (tarball) return { body: tarball, type: 'application/octet-stream' };
    const name = path.slice(1);
    const versions = this.versions.get(name);
    if (versions) {
      const latest = Object.keys(versions).at(-1);
      return { body: JSON.stringify({ name, versions, 'dist-tags': { latest } }), type: json };
    }
    if (!path.startsWith('/npm/-/')) throw new Error(`nothing at ${path}`);
    const response = await fetch(upstream + path);
    if (!response.ok) throw new Error(`${upstream} answered ${response.status}`);
    return { body: Buffer.from(await response.arrayBuffer()), type: 'application/octet-stream' };
  }
}
