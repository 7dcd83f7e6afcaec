import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import * as z from 'zod';
import { makeTarGz, type ArchivedFile } from './archives';

interface PublishedPackage {
  readonly name: string;
  readonly version: string;
  /** Members of its package.json. */
  readonly manifest?: Readonly<Record<string, unknown>>;
  readonly files: Readonly<Record<string, string>>;
}

type Fault = (request: IncomingMessage, response: ServerResponse, tarball: Buffer | undefined) => boolean;

/** A registry of npm on this machine. The caller stops it. */
export class NpmRegistryServer {
  private readonly packages = new Map<
    string,
    { readonly manifest: Record<string, unknown>; readonly tarball: Buffer }
  >();
  private server: Server | undefined;
  origin = '';
  readonly requests: string[] = [];
  readonly authorizations = new Set<string | undefined>();
  /** Answers itself if it returns true. */
  fault: Fault = () => false;

  async start(): Promise<void> {
    this.server = createServer((request, response) => this.answer(request, response));
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.origin = `http://127.0.0.1:${z.object({ port: z.number() }).parse(this.server.address()).port}`;
  }

  stop(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }

  /** Returns the tarball's SHA-512 in base64. */
  async publish({ name, version, manifest = {}, files }: PublishedPackage): Promise<string> {
    const own = { name, version, license: 'MIT', ...manifest };
    const archived: ArchivedFile[] = [
      { name: 'package/package.json', text: JSON.stringify(own) },
      ...Object.entries(files).map(([file, text]) => ({ name: `package/${file}`, text, mode: 0o755 })),
    ];
    const tarball = await makeTarGz(archived);
    const sha512 = createHash('sha512').update(tarball).digest('base64');
    const dist = {
      integrity: `sha512-${sha512}`,
      tarball: `${this.origin}/${name}/-/${name.replace(/^.*\//, '')}-${version}.tgz`,
    };
    const known = this.packages.get(name)?.manifest['versions'];
    const versions = { ...(typeof known === 'object' ? known : {}), [version]: { ...own, dist } };
    this.packages.set(name, { manifest: { name, 'dist-tags': { latest: version }, versions }, tarball });
    return sha512;
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const url = decodeURIComponent(request.url ?? '').slice(1);
    this.requests.push(url);
    this.authorizations.add(request.headers.authorization);
    const [name = ''] = url.split('/-/');
    const found = this.packages.get(name);
    const isTarball = url.includes('/-/');
    if (this.fault(request, response, isTarball ? found?.tarball : undefined)) return;
    if (!found) response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"Not found"}');
    else if (isTarball) response.setHeader('content-length', found.tarball.length).end(found.tarball);
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(found.manifest));
  }
}
